/**
 * Which replica becomes the master. First who must not: those that are down, unreachable, barred by
 * priority 0, silent for too long, or cut off from the master long before it failed; and who only if there
 * is nobody else, having none of the data. Then the order: lower priority, more of the stream, smaller run
 * id. The run id decides nothing but must decide the same everywhere.
 */
import { isNoHistory } from './replication-id.ts'
import type { Group, Master, Replica, Turn } from './state.ts'
import { commandLink, isSdown } from './state.ts'
import { isBetterForWrites } from './write-faults.ts'

export interface Candidate {
  readonly priority: number
  /** Bytes of the replication stream applied. */
  readonly offset: number
  readonly runId: string
}

/** Best first. A missing run id sorts last. */
export function comparePromotion(a: Candidate, b: Candidate): number {
  if (a.priority !== b.priority) return a.priority - b.priority
  if (a.offset !== b.offset) return b.offset - a.offset
  return compareRunIds(a.runId.toLowerCase(), b.runId.toLowerCase())
}

/**
 * The replicas that may be promoted now, in no order. Where the master lives and refuses writes, those
 * that could take them go alone: there is little to lose by an offset, and nothing to win with another
 * that refuses them. Once it is dead, what each has of its data counts, as ever.
 */
export function promotableReplicas(turn: Turn, group: Group): Replica[] {
  const fit = withTheData(fitReplicas(turn, group))
  if (!livesGray(turn, group)) return fit
  return preferred(fit, ({ writes }) => isBetterForWrites(writes, group.master.writes))
}

/**
 * Where the master has lost its data, those that have followed it since have lost them as well. It will not
 * come back with more than the others have, so old data are better than none then.
 */
function fitReplicas(turn: Turn, group: Group): Replica[] {
  const able = [...group.replicas.values()].filter((replica) => isAble(turn, replica))
  const recent = able.filter((replica) => !isTooOld(turn, replica))
  if (group.master.emptiedAtMs === undefined) return recent
  const witnesses = able.filter((replica) => replica.guard !== undefined)
  return preferred(witnesses, (replica) => recent.includes(replica))
}

/** A node that was started as a master and has followed nobody since comes last, whatever its priority. */
function withTheData(fit: readonly Replica[]): Replica[] {
  return preferred(fit, ({ roleReported, replid2 }) => {
    return roleReported !== 'master' || !isNoHistory(replid2)
  })
}

/** Those of whom it is true, or all where it is true of none. */
function preferred(list: readonly Replica[], isBetter: (one: Replica) => boolean): Replica[] {
  const better = list.filter(isBetter)
  return better.length > 0 ? better : [...list]
}

function livesGray({ now }: Turn, { master, config }: Group): boolean {
  if (master.gray === undefined || commandLink(master) === undefined) return false
  return now.monoMs - master.link.lastPongAtMs <= config.downAfterMs
}

function isAble(turn: Turn, replica: Replica): boolean {
  if (isSdown(replica) || commandLink(replica) === undefined || replica.priority === 0) return false
  const { periods } = turn.state.config
  const okAgeMs = turn.now.monoMs - replica.link.lastOkAtMs
  if (okAgeMs > 5 * periods.pingMs) return false
  return isInformed(turn, replica)
}

/** It lost the master long before the master failed: acknowledged writes would be gone that others have. */
export function isTooOld(turn: Turn, replica: Replica): boolean {
  return replica.masterLinkDownMs > linkDownLimitMs(turn, replica)
}

function isInformed(turn: Turn, replica: Replica): boolean {
  if (replica.infoAtMs === undefined) return false
  const { pingMs, infoMs } = turn.state.config.periods
  const limitMs = isSdown(replica.group.master) ? 5 * pingMs : 3 * infoMs
  return turn.now.monoMs - replica.infoAtMs <= limitMs
}

/**
 * A replica that lost the master long before we did has data that is too old. When we have never seen
 * the master alive, having come up after its death, we cannot tell who lost it when: a limit that
 * counts from our own start would bar every replica for ever, as it does in Redis.
 */
function linkDownLimitMs(turn: Turn, replica: Replica): number {
  const { master, config } = replica.group
  if (!master.link.wasOk) return Number.POSITIVE_INFINITY
  return 10 * config.downAfterMs + (turn.now.monoMs - failedSinceMs(turn, master))
}

/**
 * Since when the master is of no use. We may say so much later, after TILT, or when a master that calls
 * itself a replica was given its time; a limit that counts from there, as in Redis, would hold that
 * delay against every replica, and would never be met. Nor has anybody followed it since it is empty.
 */
function failedSinceMs(turn: Turn, { group, link, sdownSinceMs, ...master }: Master): number {
  const nowMs = turn.now.monoMs
  const silentSinceMs = link.lastOkAtMs + group.config.downAfterMs
  const demotedSinceMs = master.roleReported === 'slave' ? master.roleReportedAtMs : nowMs
  const uselessSinceMs = Math.min(sdownSinceMs ?? nowMs, master.emptiedAtMs ?? nowMs)
  return Math.min(nowMs, uselessSinceMs, silentSinceMs, demotedSinceMs)
}

function compareRunIds(a: string, b: string): number {
  if (a === b) return 0
  if (a === '') return 1
  if (b === '') return -1
  return a < b ? -1 : 1
}
