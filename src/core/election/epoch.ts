/**
 * Epochs are the logical clock of the Sentinels: each attempt at a failover takes a new one, and the
 * configuration with the highest one wins everywhere, for ever. So a single number from outside that is as
 * high as numbers go would end failover for good: no Sentinel can stand in a later epoch than that.
 *
 * A number does not show whether it is honest, but we know what honest ones need: a step of one for each
 * attempt. So a number that we learn from others may be ahead of ours by a share of what is left and no
 * more, and this reach grows back slowly. All the strangers in the world need a quarter of a million years
 * to use up the space, apart from our restarts, each of which gives them a two-millionth of what is left. A
 * Sentinel that was away for years of failed elections still catches up with one message.
 *
 * The better we know the speaker, the farther ahead its number may be; otherwise the other Sentinels could
 * not follow one of us that a stranger has made believe a number:
 * - any process that can send us a message (a hello, a request for our vote): 2^32 at the beginning;
 * - a peer, or a voter of a strict group, in its answer on the connection that we opened to it: 2^40;
 * - a majority of the Sentinels, each in that way: whatever they say.
 *
 * A number out of reach is refused, and costs liveness only: it leads to no vote, no configuration and no
 * news. For the cure of a group whose numbers are far apart or used up see renumber.ts.
 */
import { assert } from '../../base/assert.ts'

/** The highest number that is exact in our state file. C Sentinel goes on to 2^64 - 1. */
export const EPOCH_MAX = Number.MAX_SAFE_INTEGER

/** No Sentinel stands beyond this number: so close to the end, the others could not follow. */
const EPOCH_END = EPOCH_MAX - 2 ** 32

export type EpochSource = 'stranger' | 'peer'

/** How far ahead of us a number may be: this share of what is left, which grows back at this rate. */
const REACH: Readonly<Record<EpochSource, { readonly share: number; readonly perSecond: number }>> =
  {
    stranger: { share: 2 ** -21, perSecond: 2 ** 10 },
    peer: { share: 2 ** -13, perSecond: 2 ** 16 },
  }

/** How much of a reach has been used up, and when that was true. */
export interface Spent {
  readonly epochs: number
  readonly atMs: number
}

/** The kinds of messages that bring numbers of others. */
export type Door = 'hello' | 'vote request' | 'answer'

export interface EpochRecord {
  /** How much of each reach has been used. */
  readonly spent: Record<EpochSource, Spent>
  /** Numbers refused since the start. */
  refused: number
  /** The last of them, in words; undefined if there was none. */
  lastRefusal: { readonly text: string; readonly atMs: number } | undefined
  /**
   * By kind of message: when a refusal was last logged, about which speaker, and how many were not
   * since.
   */
  readonly said: Map<Door, { readonly atMs: number; readonly name: string; untold: number }>
}

export function noEpochRecord(nowMs: number): EpochRecord {
  const none = { epochs: 0, atMs: nowMs }
  return {
    spent: { stranger: none, peer: none },
    refused: 0,
    lastRefusal: undefined,
    said: new Map(),
  }
}

export function isEpoch(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

/** Strict decimal text, as far as C Sentinel counts; a number above `EPOCH_MAX` is out of every reach. */
export function parseEpoch(text: string): number | undefined {
  return /^\d{1,20}$/.test(text) ? Number(text) : undefined
}

/** Whether no later epoch is left for an election. */
export function isUsedUp(current: number): boolean {
  return current >= EPOCH_END
}

/** The highest number that a source of this kind may make us believe at this moment. */
export function reachOf(source: EpochSource, current: number, spent: Spent, nowMs: number): number {
  const { share, perSecond } = REACH[source]
  const whole = Math.floor((EPOCH_MAX - current) * share)
  return current + Math.max(0, Math.floor(whole - leftOf(spent, perSecond, nowMs)))
}

/** The use of a reach after a step ahead. */
export function spend(source: EpochSource, spent: Spent, step: number, nowMs: number): Spent {
  assert(step > 0, 'only what is ahead is reached for')
  return { epochs: leftOf(spent, REACH[source].perSecond, nowMs) + step, atMs: nowMs }
}

function leftOf({ epochs, atMs }: Spent, perSecond: number, nowMs: number): number {
  return Math.max(0, epochs - ((nowMs - atMs) / 1000) * perSecond)
}
