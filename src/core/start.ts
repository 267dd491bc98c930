/**
 * When may a failover begin? The master must be objectively down; then everything that argues for
 * waiting is weighed: a leader that is at work already, a back-off, and the stagger. The stagger is what
 * keeps votes from splitting: all Sentinels see the quorum within a few milliseconds, so each waits by
 * its rank among the living, and normally only the first ever stands.
 *
 * A candidate that cannot reach the votes it needs does not stand: it would only burn an epoch.
 */
import { standForElection } from './election.ts'
import { describe } from './events.ts'
import { driveFailover } from './failover.ts'
import { votesNeeded } from './quorum.ts'
import type { Group, State, Turn } from './state.ts'
import { commandLink, isOdown, isSdown, isTilted } from './state.ts'
import { log } from './turn.ts'

/** A few round trips and a disk write: by then a better-placed candidate has asked for our vote. */
const STAGGER_MS = 50

/** Called with every fact that can let a failover begin; begins it, or arms the moment to look again. */
export function considerFailover(turn: Turn, group: Group): void {
  const { state, now } = turn
  if (!isOdown(group) || group.failover !== undefined || !mayAct(state)) {
    state.timers.clear(group, 'start')
    return
  }
  const atMs = startAtMs(state, group, now.monoMs)
  if (atMs > now.monoMs) {
    state.timers.set(group, 'start', atMs)
  } else if (!couldWin(group)) {
    state.timers.set(group, 'start', now.monoMs + state.config.periods.askMs)
    log(turn, 'verbose', `no failover of ${describe(group.master)}: too few Sentinels in reach`)
  } else {
    standForElection(turn, group, false)
    driveFailover(turn, group)
  }
}

/** The earliest moment the arguments for waiting allow. */
export function startAtMs(state: State, group: Group, nowMs: number): number {
  const staggeredMs = (group.odownSinceMs ?? nowMs) + rank(state, group) * STAGGER_MS
  return Math.max(group.notBeforeMs, staggeredMs, courtesyEndMs(group))
}

/** Our place among the living Sentinels of the group, by run id: 0 stands first. */
export function rank(state: State, group: Group): number {
  return [...group.peers.values()].filter((peer) => !isSdown(peer) && peer.runId < state.myid)
    .length
}

/** A leader we yielded to has twice the failover timeout, as long as it is alive. */
function courtesyEndMs(group: Group): number {
  if (group.yieldedTo === undefined) return 0
  const leader = group.peers.get(group.yieldedTo.leader)
  if (leader !== undefined && isSdown(leader)) return 0
  return group.yieldedTo.atMs + 2 * group.config.failoverTimeoutMs
}

function mayAct(state: State): boolean {
  return state.canSave && !state.stopping && !isTilted(state)
}

function couldWin(group: Group): boolean {
  const reachable = [...group.peers.values()].filter(
    (peer) => !isSdown(peer) && commandLink(peer) !== undefined,
  )
  return 1 + reachable.length >= votesNeeded(group)
}
