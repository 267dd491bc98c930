/**
 * When may a failover begin? The master must be objectively down; then everything that argues for
 * waiting is weighed: a leader that is at work already, a back-off, and the stagger that keeps votes from
 * splitting.
 *
 * A candidate that cannot reach the votes it needs, or any replica to promote, does not stand, and
 * neither does one that would not be elected (candidacy.ts).
 */
import { prospect } from './candidacy.ts'
import { standForElection } from './election.ts'
import { describe } from './events.ts'
import { driveFailover } from './failover.ts'
import { votesNeeded } from './quorum.ts'
import { lookingUntilMs } from './second-look.ts'
import { isTooOld } from './selection.ts'
import { staggerMs } from './stagger.ts'
import type { Group, Peer, Replica, State, Turn } from './state.ts'
import { commandLink, isOdown, isSdown, isTilted } from './state.ts'
import { log } from './turn.ts'

/** Called with every fact that can let a failover begin; begins it, or arms the moment to look again. */
export function considerFailover(turn: Turn, group: Group): void {
  const { state, now } = turn
  if (!isOdown(group) || group.failover !== undefined || !mayAct(state)) {
    state.timers.clear(group, 'start')
    group.obstacle = undefined
    group.secondLook = undefined
    return
  }
  const atMs = startAtMs(state, group, now.monoMs)
  const obstacle = obstacleTo(turn, group)
  if (atMs > now.monoMs) state.timers.set(group, 'start', atMs)
  else if (obstacle === undefined) lookAgain(turn, group)
  else explain(turn, group, obstacle, now.monoMs + state.config.periods.askMs)
}

function lookAgain(turn: Turn, group: Group): void {
  const untilMs = lookingUntilMs(turn, group)
  if (untilMs === undefined) beginIfPromising(turn, group)
  else turn.state.timers.set(group, 'start', untilMs)
}

function beginIfPromising(turn: Turn, group: Group): void {
  const outlook = prospect(turn, group)
  if (outlook === 'good') begin(turn, group)
  else if (outlook.obstacle !== undefined) explain(turn, group, outlook.obstacle, outlook.atMs)
  else turn.state.timers.set(group, 'start', outlook.atMs)
}

function begin(turn: Turn, group: Group): void {
  group.obstacle = undefined
  group.secondLook = undefined
  standForElection(turn, group, 'automatic')
  driveFailover(turn, group)
}

/** Says once why nothing happens, and looks again later: what removes the obstacle may be silent. */
function explain(turn: Turn, group: Group, obstacle: string, againAtMs: number): void {
  turn.state.timers.set(group, 'start', againAtMs)
  if (group.obstacle === obstacle) return
  group.obstacle = obstacle
  log(turn, 'warning', `no failover of ${describe(turn.state, group.master)} yet: ${obstacle}`)
}

/** The earliest moment the arguments for waiting allow. */
function startAtMs(state: State, group: Group, nowMs: number): number {
  const openMs = Math.max(group.odownSinceMs ?? nowMs, group.notBeforeMs, courtesyEndMs(group))
  return openMs + staggerMs(state, group)
}

/** A leader we yielded to has twice the failover timeout, as long as it is known and alive. */
function courtesyEndMs(group: Group): number {
  if (group.yieldedTo === undefined) return 0
  const leader = group.peers.get(group.yieldedTo.leader)
  if (leader === undefined) return 0
  // The stagger counts from here: everybody sees this death at the same moment.
  if (isSdown(leader)) return leader.sdownSinceMs ?? 0
  return group.yieldedTo.atMs + 2 * group.config.failoverTimeoutMs
}

function mayAct(state: State): boolean {
  return state.canSave && !state.stopping && !isTilted(state)
}

/** Why standing would be in vain; undefined when it might not be. */
function obstacleTo(turn: Turn, group: Group): string | undefined {
  const needed = votesNeeded(group)
  const voters = 1 + [...group.peers.values()].filter(isReachable).length
  if (voters < needed) {
    group.secondLook = { untilMs: undefined }
    return `only ${voters} of the ${needed} Sentinels needed are in reach`
  }
  if (group.replicas.size === 0) return 'it has no replica that we know of'
  const candidates = [...group.replicas.values()].filter((one) => one.priority !== 0)
  if (candidates.length === 0) return 'every replica has priority 0 and may not be promoted'
  const inReach = candidates.filter(isReachable)
  if (inReach.length === 0) {
    return `none of the ${candidates.length} replicas that may be promoted is in reach`
  }
  // Another Sentinel may judge by another moment at which it lost the master: it must get its turn.
  if (inReach.some((one) => !isTooOld(turn, one))) return undefined
  return `the ${inReach.length} replicas in reach lost the master long before it failed`
}

function isReachable(instance: Peer | Replica): boolean {
  return !isSdown(instance) && commandLink(instance) !== undefined
}
