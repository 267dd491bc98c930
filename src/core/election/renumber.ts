/**
 * Lowering the epochs of a fleet whose numbers are used up, or so far apart that some cannot follow the
 * others (epoch.ts): a program that believed everything was told an absurd one.
 *
 * To forget an epoch is to forget a vote, and two votes in one epoch are two masters. So it is done by all
 * Sentinels or by none, in three steps that an operator's program takes with each of them (cli/epochs.ts),
 * each on disk before it is answered:
 *
 * 1. FREEZE: from now on this Sentinel neither votes nor stands, and believes no epoch and no configuration
 *    of others. It says which numbers it has, which masters and which Sentinels it knows.
 * 2. LOWER, once all are frozen and agree: every number above the new one becomes the new one, and no vote
 *    up to it is left to give. It is refused unless every Sentinel that this one counts takes part, and
 *    unless the new number is above all that honest elections can have reached: their votes and
 *    configurations stay valid.
 * 3. RELEASE, once all are lowered.
 *
 * So a Sentinel that votes again knows that all numbers have been lowered, and nothing can have been
 * decided in between. A crash, of a Sentinel or of the operator's program, at any moment leaves Sentinels
 * that are frozen, which a restart does not change; the operator runs the program again, and it continues
 * with a new token. A message still on its way from before is now out of reach, or not above the new
 * number.
 */

import { save } from '../persistence/save.ts'
import type { Group, State, Turn } from '../state.ts'
import { log } from '../turn.ts'
import { noEpochRecord } from './epoch.ts'
import { considerFailover } from './failover-start.ts'
import { electorsOf } from './quorum.ts'

/** Honest elections do not get beyond this: one a second for 136 years. */
export const HONEST_MAX = 2 ** 32
/** The new number is one more than the highest honest one. */
const LOWERED_MAX = HONEST_MAX + 1_000

/** Returns an objection, in the words of an error reply; undefined if it is done. */
export function freeze(turn: Turn, token: string): string | undefined {
  const { state } = turn
  const isBusy = [...state.groups.values()].some(({ failover }) => failover !== undefined)
  if (isBusy) return 'INPROG A failover is in progress: try again when it is over'
  const isLowered = state.renumbering?.isLowered ?? false
  state.renumbering = { token, isLowered }
  save(turn)
  log(
    turn,
    'warning',
    'epochs are frozen: no vote and no failover until they are lowered everywhere',
  )
  reconsider(turn)
  return undefined
}

export function lower(
  turn: Turn,
  token: string,
  to: number,
  frozen: ReadonlySet<string>,
): string | undefined {
  const { state } = turn
  const objection = objectionTo(state, token, to, frozen)
  if (objection !== undefined) return objection
  state.renumbering = { token, isLowered: true }
  state.currentEpoch = to
  for (const group of state.groups.values()) lowerGroup(group, to)
  save(turn)
  log(turn, 'warning', `epochs are lowered to ${to}: no vote and no failover until all are`)
  return undefined
}

/**
 * From now on votes are given again, by the new numbers; or by the old ones, if none was lowered
 * anywhere.
 */
export function release(turn: Turn, token: string, isCancelled: boolean): string | undefined {
  const { state } = turn
  const { renumbering } = state
  if (renumbering === undefined) return undefined
  if (renumbering.token !== token) return WRONG_TOKEN
  if (renumbering.isLowered === isCancelled) {
    return isCancelled
      ? 'ERR The epochs of this Sentinel have been lowered: there is no way back'
      : 'ERR The epochs of this Sentinel have not been lowered'
  }
  state.renumbering = undefined
  if (!isCancelled) Object.assign(state.epochs, noEpochRecord(turn.now.monoMs))
  save(turn)
  log(turn, 'warning', `epochs are in use again, from ${state.currentEpoch} on`)
  reconsider(turn)
  return undefined
}

const WRONG_TOKEN = 'ERR Epochs are not frozen under this token: somebody else has begun anew'

function objectionTo(
  state: State,
  token: string,
  to: number,
  frozen: ReadonlySet<string>,
): string | undefined {
  if (state.renumbering?.token !== token) return WRONG_TOKEN
  const honest = numbersOf(state).filter((epoch) => epoch <= HONEST_MAX)
  if (to < Math.max(1, ...honest) || to > LOWERED_MAX) {
    return `ERR Invalid epoch: the highest honest one here is ${Math.max(0, ...honest)}`
  }
  const missing = [...state.groups.values()]
    .flatMap((group) => electorsOf(group))
    .find(({ runId }) => !frozen.has(runId))
  if (missing === undefined) return frozen.has(state.myid) ? undefined : 'ERR We do not take part'
  const who = `Sentinel ${missing.runId} of ${missing.group.config.name}`
  return `NOSENTINEL ${who} does not take part: start it, or make all others forget it by SENTINEL RESET`
}

function numbersOf({ currentEpoch, groups }: State): number[] {
  const ofGroups = [...groups.values()].flatMap((one) => [one.configEpoch, one.leaderEpoch])
  return [currentEpoch, ...ofGroups]
}

/**
 * Configurations keep their order as far as it is honest; all votes up to the new number count as
 * given.
 */
function lowerGroup(group: Group, to: number): void {
  group.configEpoch = Math.min(group.configEpoch, to)
  group.leaderEpoch = to
  group.leader = ''
  group.yieldedTo = undefined
  for (const peer of group.peers.values()) {
    Object.assign(peer, { vote: undefined, counsel: undefined, reached: 0, helloConfigEpoch: 0 })
  }
}

function reconsider(turn: Turn): void {
  for (const group of turn.state.groups.values()) considerFailover(turn, group)
}
