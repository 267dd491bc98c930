/** Moving a failover between its states, and giving it up. The steps themselves decide when. */

import { roundMs } from '../election/round-trips.ts'
import type { AbortReason } from '../event-table.ts'
import { announce } from '../events.ts'
import type { Failover, Group, Turn } from '../state.ts'
import { isSdown } from '../state.ts'
import { callOffHandover } from './coordinated-commands.ts'
import type { FailoverState } from './failover-kinds.ts'

/** Back-off after a lost election: this many rounds at first, doubling. */
const BACKOFF_ROUNDS = 4
/** The same if no replica could be promoted: they need time to change. */
const NO_REPLICA_BACKOFF_MS = 1_000

export function enter(turn: Turn, failover: Failover, state: FailoverState): void {
  failover.state = state
  failover.stateChangedAtMs = turn.now.monoMs
}

/**
 * Gives a failover up before anything irreversible was adopted. Nothing is undone on the replica, whose
 * buffers may still contain our command: if it becomes a master, it will be turned back.
 */
export function abortFailover(turn: Turn, group: Group, reason: AbortReason): void {
  announce(turn, reason, group.master)
  const { kind, promoted } = group.failover ?? {}
  const stalled = reason === '-failover-abort-slave-timeout' && promoted && !isSdown(promoted)
  discardFailover(turn, group)
  // It can be tried again later, and if the master dies now, no Sentinel should have to wait.
  if (kind === 'coordinated' || kind === 'renewal') return
  if (stalled) promoted.disobeyed = true
  const longMs = 2 * group.config.failoverTimeoutMs
  group.notBeforeMs = turn.now.monoMs + (stalled ? longMs : growingDelayMs(turn, group, reason))
  turn.state.timers.set(group, 'start', group.notBeforeMs)
}

/**
 * Ends it silently and without a pause. The replica that was to be promoted is turned back if
 * necessary.
 */
export function discardFailover(turn: Turn, group: Group): void {
  const { failover } = group
  if (failover !== undefined) {
    callOffHandover(turn, group, failover)
    takeBackPromotion(failover)
  }
  group.failover = undefined
  turn.state.timers.clear(group, 'failover')
}

/** If the replica has become a master meanwhile, or does so yet, it is turned back. */
export function takeBackPromotion(failover: Failover): void {
  const { promoted } = failover
  if (promoted === undefined) return
  promoted.promoted = false
  promoted.deposed = ''
  failover.promoted = undefined
}

/**
 * A lost election harms no client, so it is tried again soon. Only a promotion that a living replica
 * did not carry out has cut clients off in vain; there C Sentinel's long pause stays.
 */
function growingDelayMs(turn: Turn, group: Group, reason: AbortReason): number {
  const oneRoundMs = roundMs(turn.state, group)
  const isLost = reason === '-failover-abort-not-elected'
  const floorMs = isLost ? BACKOFF_ROUNDS * oneRoundMs : NO_REPLICA_BACKOFF_MS
  const doubledMs = floorMs * 2 ** Math.min(group.failedAttempts, 20)
  group.failedAttempts++
  // Candidates that lost together wait equally long, so that the stagger separates them; the jitter
  // must not undo that.
  const jitterMs = turn.state.rng.below(oneRoundMs)
  return Math.min(2 * group.config.failoverTimeoutMs, doubledMs) + jitterMs
}
