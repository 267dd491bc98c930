/**
 * The one door through which epochs of others come in; for what may pass see epoch.ts. Through it go the
 * current and the config epoch of a hello, the epoch of a vote request, and the epoch that a peer says it
 * has reached when we confer. (The epoch in an answer to our own vote request is only compared with ours.)
 * While our epochs are being lowered nothing passes.
 *
 * Refusals are logged: at once if they are news, then once a minute for each kind of message, with their
 * number, because strangers can go on for ever.
 */
import { hostAndPort } from '../../base/ip.ts'
import { announce } from '../events.ts'
import { save } from '../persistence/save.ts'
import type { Group, Peer, State, Turn } from '../state.ts'
import { log } from '../turn.ts'
import { type Door, EPOCH_MAX, type EpochSource, isUsedUp, reachOf, spend } from './epoch.ts'
import { electorCount, electorsOf, majority } from './quorum.ts'

/** Where a number comes from: which process, and in which message. */
export interface Speaker {
  readonly door: Door
  /** What it calls itself: a run id, or the name of a connection. */
  readonly name: string
  /** Set if it is a peer that answers on our connection; otherwise any process may have said it. */
  readonly peer: Peer | undefined
  /** A voter of the strict group, which says on our connection in which term it is. */
  readonly isVoter?: true
}

const SAY_AGAIN_MS = 60_000
/** A number from another speaker is news, but strangers have as many names as they like. */
const SAY_OTHER_MS = 5_000
export const CURE = '`vedette epochs` shows and mends it, see docs/operations.md'

/** Part of each refusal of a number that is too far ahead; `vedette epochs` looks for it. */
export const OUT_OF_REACH = 'is refused: it is out of reach from'

/** May this number be believed? If it is ahead of us, the caller must adopt it now. */
export function admitEpoch(turn: Turn, group: Group, epoch: number, speaker: Speaker): boolean {
  const { state, now } = turn
  const source = sourceOf(speaker)
  if (!isBelievable(turn, group, epoch, source)) {
    if (state.renumbering === undefined) refuse(turn, epoch, speaker)
    return false
  }
  if (epoch <= state.currentEpoch) return true
  const { spent } = state.epochs
  spent[source] = spend(source, spent[source], epoch - state.currentEpoch, now.monoMs)
  return true
}

/** The same as a question: it uses nothing up. */
export function isBelievable(
  turn: Turn,
  group: Group,
  epoch: number,
  source: EpochSource,
): boolean {
  const { currentEpoch, epochs, renumbering } = turn.state
  if (renumbering !== undefined) return false
  const reach = reachOf(source, currentEpoch, epochs.spent[source], turn.now.monoMs)
  return epoch <= reach || isConfirmed(turn.state, group, epoch)
}

/** Learns a number. False if it is refused; then what came with it is no news either. */
export function learnEpoch(turn: Turn, group: Group, epoch: number, speaker: Speaker): boolean {
  if (!admitEpoch(turn, group, epoch, speaker)) return false
  adoptEpoch(turn, group, epoch)
  return true
}

/** Another Sentinel has reached an epoch that we have not: from now on nothing of ours is older. */
export function adoptEpoch(turn: Turn, group: Group, epoch: number): void {
  if (epoch <= turn.state.currentEpoch) return
  turn.state.currentEpoch = epoch
  save(turn)
  announce(turn, '+new-epoch', group, { epoch })
}

/**
 * Whether so many of our peers have reached it that this is the group's epoch, however it got
 * there.
 */
function isConfirmed(state: State, group: Group, epoch: number): boolean {
  const there = electorsOf(group).filter(({ reached }) => reached >= epoch).length
  return there >= majority(electorCount(group)) && !isUsedUp(Math.max(epoch, state.currentEpoch))
}

function sourceOf({ peer, isVoter }: Speaker): EpochSource {
  return peer?.isProven || isVoter ? 'peer' : 'stranger'
}

function refuse(turn: Turn, epoch: number, { door, name, peer }: Speaker): void {
  const { state, now } = turn
  const { epochs } = state
  const who = peer === undefined ? name : `Sentinel ${hostAndPort(peer.host, peer.port)}`
  const isAbove = epoch > EPOCH_MAX
  const why = isAbove ? 'is refused: it is above 2^53 - 1' : `${OUT_OF_REACH} ${state.currentEpoch}`
  epochs.refused++
  const text = `epoch ${epoch} in a ${door} of ${who} ${why}`
  epochs.lastRefusal = { text, atMs: now.monoMs }
  const before = epochs.said.get(door)
  const waitMs = before?.name === name ? SAY_AGAIN_MS : SAY_OTHER_MS
  if (before !== undefined && now.monoMs - before.atMs < waitMs) {
    before.untold++
    return
  }
  epochs.said.set(door, { atMs: now.monoMs, name, untold: 0 })
  const untold = before?.untold ? ` (and ${before.untold} more since the last line)` : ''
  log(turn, 'warning', `${text}${untold}; ${CURE}`)
}
