/**
 * Which acknowledged writes a failover would lose: what the promoted replica has not received when the master dies;
 * and where the master lives on behind a cut, what it goes on acknowledging, unless it is fenced
 * (`min-replicas-to-write`).
 */
import { type Accident, isCut, isLost } from './accident.ts'
import type { GroupLayout, LayoutNode } from './layout.ts'

/** Milliseconds, at the soonest and at the latest. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

export interface Loss {
  /** [replication: strict] Nothing that was acknowledged; what is said below is zero then. */
  readonly isNothing: boolean
  /** How many bytes the promoted replica was behind when the master last reported it; null: it did not. */
  readonly behindBytes: number | null
  readonly toldAgoMs: number | null
  /** The old master lives on, and its clients may reach it; null: it does not. */
  readonly goesOn: {
    /** How long it acknowledges writes that will be discarded. */
    readonly forMs: number
    /** Whether min-replicas-to-write stops it; if not, it goes on until a Sentinel reaches it. */
    readonly isFenced: boolean
    /** At the rate it writes now; null: unknown. */
    readonly bytes: number | null
  } | null
}

export function expectedLoss(
  layout: GroupLayout,
  accident: Accident,
  { promoted, takesMs }: { readonly promoted: LayoutNode; readonly takesMs: TimeSpan },
): Loss {
  const { master, isStrict, toldAgoMs = null } = layout
  if (isStrict) return { isNothing: true, behindBytes: 0, toldAgoMs: null, goesOn: null }
  const behindBytes = promoted.lagBytes ?? null
  const isAlive = !isLost(accident, master) && !master.isDown
  return {
    isNothing: false,
    behindBytes,
    toldAgoMs: behindBytes === null ? null : toldAgoMs,
    goesOn: isAlive ? goesOn(layout, accident, takesMs) : null,
  }
}

function goesOn(layout: GroupLayout, accident: Accident, { to }: TimeSpan): Loss['goesOn'] {
  const { master, replicas, facts } = layout
  const {
    minReplicasToWrite = 0,
    minReplicasMaxLagSeconds = 10,
    bytesPerSecond,
  } = facts.get(master.address) ?? {}
  const followers = replicas.filter(
    (one) => !one.isDown && !isLost(accident, one) && !isCut(accident, one, master),
  )
  const isFenced = minReplicasToWrite > followers.length
  const forMs = isFenced ? Math.min(to, 1_000 * (minReplicasMaxLagSeconds + 1)) : to
  const bytes = bytesPerSecond === undefined ? null : Math.round((bytesPerSecond * forMs) / 1_000)
  return { forMs, isFenced, bytes }
}
