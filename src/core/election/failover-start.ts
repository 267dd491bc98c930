/**
 * When may a failover begin? The master must be objectively down; then everything that argues for waiting
 * is weighed: a leader that is at work already, a back-off, and the stagger that keeps votes from
 * splitting.
 *
 * A candidate that cannot reach the votes it needs, or any replica to promote, does not stand, and
 * neither does one that would not be elected (pre-vote.ts).
 */
import { announce, describe } from '../events.ts'
import { driveFailover } from '../failover/failover.ts'
import { blockObstacle } from '../failover/flapping.ts'
import { barOf, isTooOld, reasonsAgainst, reasonsText } from '../failover/selection.ts'
import { fenceObstacle, isStrict } from '../failover/voters.ts'
import { closeLink, openLinks } from '../links/links.ts'
import { describePause, isPaused } from '../pause/pause.ts'
import {
  commandLink,
  type Group,
  isOdown,
  isSdown,
  isTilted,
  type Peer,
  type Replica,
  type State,
  type Turn,
} from '../state.ts'
import { log } from '../turn.ts'
import { standForElection } from './election.ts'
import { isUsedUp } from './epoch.ts'
import { giveUpHook, hookAllows, hookOpenMs } from './hook-gate.ts'
import { CURE } from './new-epoch.ts'
import { prospect } from './pre-vote.ts'
import { electorsOf, votesNeeded } from './quorum.ts'
import { roundMs } from './round-trips.ts'

/**
 * Called with every fact that may allow a failover to begin; begins it, or arms the moment to check
 * again.
 */
export function considerFailover(turn: Turn, group: Group): void {
  const { state, now } = turn
  if (!isOdown(group)) group.hook = undefined
  if (!isOdown(group) || group.failover !== undefined || !mayAct(state)) {
    state.timers.clear(group, 'start')
    group.obstacle = undefined
    group.masterRecheck = undefined
    return
  }
  if (isPaused(group)) {
    // What we find out during the pause about our own isolation counts when it is over.
    electorShortage(group)
    return explain(turn, group, describePause(group), group.pause.untilMs ?? now.monoMs)
  }
  giveUpHook(turn, group)
  const atMs = startAtMs(state, group, now.monoMs)
  const obstacle = obstacleTo(turn, group)
  const blocked = blockObstacle(turn, group)
  if (blocked !== undefined) explain(turn, group, blocked.text, blocked.untilMs)
  else if (atMs > now.monoMs) state.timers.set(group, 'start', atMs)
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
  if (outlook === 'good') beginIfAllowed(turn, group)
  else if (outlook.obstacle !== undefined) explain(turn, group, outlook.obstacle, outlook.atMs)
  else turn.state.timers.set(group, 'start', outlook.atMs)
}

function beginIfAllowed(turn: Turn, group: Group): void {
  if (hookAllows(turn, group)) begin(turn, group)
  else turn.state.timers.set(group, 'start', hookOpenMs(group, 0))
}

function begin(turn: Turn, group: Group): void {
  group.obstacle = undefined
  group.masterRecheck = undefined
  standForElection(turn, group, 'automatic')
  driveFailover(turn, group)
}

/** Says once why nothing happens, and checks again later: the obstacle may disappear silently. */
function explain(turn: Turn, group: Group, obstacle: string, againAtMs: number): void {
  turn.state.timers.set(group, 'start', againAtMs)
  if (group.obstacle === obstacle) return
  group.obstacle = obstacle
  log(turn, 'warning', `no failover of ${describe(turn.state, group.master)} yet: ${obstacle}`)
  // Programs that wait for this event do not read our log.
  if (obstacle.startsWith(BARRED)) announce(turn, '-failover-abort-no-good-slave', group.master)
}

/** The earliest moment that the reasons for waiting allow. */
function startAtMs(state: State, group: Group, nowMs: number): number {
  const courtesyMs = courtesyEndMs(state, group)
  const openMs = Math.max(group.odownSinceMs ?? nowMs, group.notBeforeMs, courtesyMs)
  const ownTurnMs = staggerMs(state, group)
  return Math.max(openMs + ownTurnMs, hookOpenMs(group, ownTurnMs))
}

/**
 * A leader we yielded to has twice the failover timeout, as long as it is known and alive. It may be this Sentinel, in the name
 * of another group with this master.
 */
function courtesyEndMs({ myid }: State, { yieldedTo, peers, config }: Group): number {
  if (yieldedTo === undefined) return 0
  const leader = peers.get(yieldedTo.leader)
  if (leader === undefined && yieldedTo.leader !== myid) return 0
  // The stagger counts from here: all Sentinels see this death at the same moment.
  if (leader !== undefined && isSdown(leader)) return leader.sdownSinceMs ?? 0
  return yieldedTo.atMs + 2 * config.failoverTimeoutMs
}

/** Whether this Sentinel may begin anything now. */
export function mayAct(state: State): boolean {
  return state.canSave && !state.stopping && !isTilted(state) && state.renumbering === undefined
}

/** Why standing would be in vain; undefined if it might not be. */
function obstacleTo(turn: Turn, group: Group): string | undefined {
  if (isUsedUp(turn.state.currentEpoch)) return `no epoch is left; ${CURE}`
  const shortage = electorShortage(group)
  if (isStrict(group)) return shortage ?? fenceObstacle(turn, group)
  return shortage ?? replicaObstacle(turn, group)
}

/** Why no replica could be promoted now. */
function replicaObstacle(turn: Turn, group: Group): string | undefined {
  const replicas = [...group.replicas.values()]
  if (replicas.length === 0) return 'it has no replica that we know of'
  if (replicas.every(({ priority }) => priority === 0)) {
    return 'every replica has priority 0 and may not be promoted'
  }
  const bars = replicas.map((one) => [one, barOf(turn.state, one)] as const)
  const candidates = bars.filter(([, bar]) => bar === undefined).map(([one]) => one)
  const inReach = candidates.filter(isReachable)
  if (inReach.length === 0) return reachObstacle(turn.state, bars, candidates.length)
  if (isLeftToOperator(group, inReach))
    return `${BARRED}: ${reasonsText(turn.state, reasonsAgainst(turn, group))}`
  // Another Sentinel may have lost the master at another moment, and judge differently: it must get
  // its turn.
  if (inReach.some((one) => !isTooOld(turn, one))) return undefined
  return `the ${inReach.length} replicas in reach lost the master long before it failed`
}

/**
 * The master has lost its data, and those that have them may not be promoted: elections would end with that
 * finding, again and again.
 */
function isLeftToOperator({ master }: Group, candidates: readonly Replica[]): boolean {
  return master.emptiedAtMs !== undefined && candidates.every(({ guard }) => guard === undefined)
}

/** Too few in reach: we may be cut off, from the master as well, so it is tried again before we stand. */
function electorShortage(group: Group): string | undefined {
  const needed = votesNeeded(group)
  const inReach = 1 + electorsOf(group).filter(isReachable).length
  if (inReach >= needed) return undefined
  group.masterRecheck = { untilMs: undefined }
  return `only ${inReach} of the ${needed} Sentinels needed are in reach`
}

type Bar = readonly [Replica, string | undefined]

/** Where rules of the group bar a replica that could be promoted, the operator should hear of it. */
function reachObstacle(state: State, bars: readonly Bar[], candidates: number): string {
  const isBarred = ([one, bar]: Bar) => bar !== undefined && one.priority !== 0 && isReachable(one)
  if (candidates === 0 || bars.some(isBarred)) return `${BARRED}: ${barsText(state, bars)}`
  if (candidates === 1) return 'the only replica that may be promoted is out of reach'
  return `none of the ${candidates} replicas that may be promoted is in reach`
}

const BARRED = 'no replica may be promoted'

function barsText(state: State, bars: readonly Bar[]): string {
  return reasonsText(
    state,
    bars.map(([one, bar]) => [one, bar ?? 'it is out of reach']),
  )
}

function isReachable(instance: Peer | Replica): boolean {
  return !isSdown(instance) && commandLink(instance) !== undefined
}

/**
 * After a partition, one more PING to the master. A Sentinel that was cut off from the others and from
 * the master sees it down, and can do nothing about it; when the network heals, it may reach the others a
 * moment before the master, and would replace a master that is well. So after a change of the network it
 * first tries the master again, on a new connection: what was sent on the old one waits for a
 * retransmission. An ordinary failover never gets here.
 */
const PATIENCE_MS = 1_000

/** Until when the recheck takes at most; undefined if none is needed, or it is done. */
function lookingUntilMs(turn: Turn, group: Group): number | undefined {
  if (group.masterRecheck === undefined) return undefined
  group.masterRecheck.untilMs ??= beginRecheck(turn, group)
  const { untilMs } = group.masterRecheck
  // A failed attempt has told everything there is to know.
  const isTaken = group.master.link.command === undefined || untilMs <= turn.now.monoMs
  return isTaken ? undefined : untilMs
}

function beginRecheck(turn: Turn, { master, config }: Group): number {
  const { link } = master
  closeLink(turn, link.command)
  link.lastOpenedAtMs = undefined
  openLinks(turn, link)
  return turn.now.monoMs + Math.min(PATIENCE_MS, Math.floor(config.downAfterMs / 2))
}

// Which Sentinel stands first. All Sentinels see the quorum within a few milliseconds of each other; if
// all stood at once, each would vote for itself and none would win. So each waits according to its rank
// among all Sentinels of the group, and normally only the first ever stands.
//
// The dead keep their rank. A rank among the living would depend on which deaths each has noticed, and
// two Sentinels with different views would stand at the same moment.

/** The last Sentinel sees the quorum one round trip after the first, and needs another to ask for votes. */
const ROUNDS_APART = 2

/** How long this Sentinel lets others go first. */
export function staggerMs(state: State, group: Group): number {
  let before = 0
  for (const { runId } of electorsOf(group)) if (runId < state.myid) before++
  return before * ROUNDS_APART * roundMs(state, group)
}
