/**
 * Why an acknowledged write is gone. How the node stood that acknowledged it is seen at that moment; what
 * became of it afterwards, when the write is missed.
 */
import type { MissingWrite, NodeMember, WriteLossCause } from './api.ts'
import type { ManagedGroup, ManagedNode, ManagedSentinel } from './parts.ts'

/** How a node stood when it acknowledged a write. */
export type AckStanding = 'by right' | 'cut off' | 'deposed'

export interface AcknowledgedWrite {
  readonly value: string
  readonly by: ManagedNode | undefined
  readonly standing: AckStanding
  readonly atMs: number
  /** When the node was started for the last time before it acknowledged the write. */
  readonly startedAtMs: number
}

export interface StandingView {
  readonly group: ManagedGroup
  readonly sentinels: readonly ManagedSentinel[]
  readonly isCut: (one: NodeMember, other: ManagedSentinel) => boolean
}

export function standingOf(
  by: ManagedNode,
  { group, sentinels, isCut }: StandingView,
): AckStanding {
  if (group.told().some(({ node }) => node !== undefined && node !== by)) return 'deposed'
  const cut = sentinels.filter((sentinel) => isCut(by, sentinel))
  return 2 * cut.length > sentinels.length ? 'cut off' : 'by right'
}

export function missingWrite(
  key: string,
  write: AcknowledgedWrite,
  found: string | undefined,
  master: ManagedNode,
): MissingWrite {
  const { value, by, atMs } = write
  const [cause, story] = causeOf(write, found, master)
  return { key, value, found, by: by?.name, acknowledgedAtMs: atMs, cause, story }
}

function causeOf(
  { by, standing, startedAtMs }: AcknowledgedWrite,
  found: string | undefined,
  master: ManagedNode,
): [WriteLossCause, string] {
  if (found !== undefined) return ['overwritten', `${master.name} has another value`]
  if (by === undefined) return ['unknown', `${master.name} does not have it`]
  const tookOver = `${master.name} took over without having received it`
  if (by === master) {
    return by.startsMs.at(-1) === startedAtMs
      ? ['unknown', `${by.name} acknowledged it and does not have it any more: was it deleted?`]
      : ['empty-restart', `${by.name} acknowledged it, was restarted and has lost it`]
  }
  switch (standing) {
    case 'cut off':
      return [
        'split-brain',
        `${by.name} acknowledged it while it was cut off from most of the Sentinels, and ${tookOver}`,
      ]
    case 'deposed':
      return [
        'split-brain',
        `${by.name} acknowledged it when another node was master already; ${master.name} never received it`,
      ]
    case 'by right':
      return ['asynchronous', `${by.name} acknowledged it, and ${tookOver}`]
  }
}
