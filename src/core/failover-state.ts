/** Moving a failover between its states, and giving it up. The steps themselves decide when. */
import { callOffHandover } from './coordinated-commands.ts'
import { announce } from './events.ts'
import type { FailoverState } from './failover-kinds.ts'
import { roundMs } from './round-trips.ts'
import type { Failover, Group, Turn } from './state.ts'
import { isSdown } from './state.ts'

/** Back-off after a lost election: so many rounds at first, doubling. */
const BACKOFF_ROUNDS = 4
/** The same when no replica could be promoted: they need time to change. */
const NO_REPLICA_BACKOFF_MS = 1_000

export function enter(turn: Turn, failover: Failover, state: FailoverState): void {
  failover.state = state
  failover.stateChangedAtMs = turn.now.monoMs
}

export type AbortReason =
  | '-failover-abort-not-elected'
  | '-failover-abort-no-good-slave'
  | '-failover-abort-slave-timeout'
  /** Coordinated: the master could not be told in time, refused, or gave up. */
  | '-failover-abort-master-timeout'

/**
 * Gives a failover up before anything irreversible was adopted. Nothing is undone on the replica, which
 * may still have our command in its buffers: should it believe to be a master, it will be turned back.
 */
export function abortFailover(turn: Turn, group: Group, reason: AbortReason): void {
  announce(turn, 'warning', reason, group.master)
  const { kind, promoted } = group.failover ?? {}
  const stalled = reason === '-failover-abort-slave-timeout' && promoted && !isSdown(promoted)
  discardFailover(turn, group)
  // An operator is there to try again, and should the master die now, nobody has to wait.
  if (kind === 'coordinated') return
  const longMs = 2 * group.config.failoverTimeoutMs
  group.notBeforeMs = turn.now.monoMs + (stalled ? longMs : growingDelayMs(turn, group, reason))
  turn.state.timers.set(group, 'start', group.notBeforeMs)
}

/** Ends it without a word and without a pause. Whoever was to be promoted is turned back if need be. */
export function discardFailover(turn: Turn, group: Group): void {
  const { failover } = group
  if (failover !== undefined) callOffHandover(turn, group, failover)
  const promoted = failover?.promoted
  if (promoted !== undefined) {
    promoted.promoted = false
    promoted.deposed = ''
  }
  group.failover = undefined
  turn.state.timers.clear(group, 'failover')
}

/**
 * A lost election costs nobody anything, so it is tried again soon; only a promotion that a living
 * replica did not carry out has cut clients off for nothing, and there C Sentinel's long pause stays.
 */
function growingDelayMs(turn: Turn, group: Group, reason: AbortReason): number {
  const oneRoundMs = roundMs(turn.state, group)
  const isLost = reason === '-failover-abort-not-elected'
  const floorMs = isLost ? BACKOFF_ROUNDS * oneRoundMs : NO_REPLICA_BACKOFF_MS
  const doubledMs = floorMs * 2 ** Math.min(group.failedAttempts, 20)
  group.failedAttempts++
  // Those who lost together wait alike, so that the stagger parts them; the jitter must not undo that.
  const jitterMs = turn.state.rng.below(oneRoundMs)
  return Math.min(2 * group.config.failoverTimeoutMs, doubledMs) + jitterMs
}
