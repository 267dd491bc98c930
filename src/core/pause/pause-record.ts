/**
 * What a Sentinel knows of the pause of a group's automatic failover: the last order it has heard of. An
 * order has a number that grows with each PAUSE and RESUME, and the highest number counts everywhere.
 * The end travels as a duration, because the clocks of two machines may disagree: each Sentinel counts
 * what is left on its own monotonic clock, from the moment it is told.
 *
 * Two orders may get the same number, on both sides of a partition. Then a pause counts before a resume,
 * which did not know of it, and the higher run id before the lower. A pause that found too few Sentinels
 * is taken back by a resume of the same number and origin: that undoes this very pause, and no other.
 */

import type { Moment } from '../../base/clock.ts'

/** A day: a forgotten pause must not last for ever. */
export const PAUSE_MAX_MS = 24 * 60 * 60 * 1_000
/** How far ahead of ours a number may be: more orders than anybody gives, and far from the end of numbers. */
const REACH = 1_000_000

export interface PauseOrder {
  /** 0: none was ever given. */
  readonly number: number
  readonly kind: 'pause' | 'resume'
  /** The run id of the Sentinel that was given the order. */
  readonly origin: string
  /** `user@address` of the client that gave it. */
  readonly by: string
  /** In the operator's words, as bytes; may be empty. */
  readonly reason: string
}

export interface PauseRecord extends PauseOrder {
  /** Until when, on our monotonic clock; undefined: automatic failover is not paused. */
  readonly untilMs: number | undefined
  /**
   * We have counted the time without a break. After a restart or in TILT we have not, and believe a
   * Sentinel that has.
   */
  readonly isSure: boolean
}

/** The same as one Sentinel tells it another. */
export interface ToldPause extends PauseOrder {
  /** 0: it is over. */
  readonly leftMs: number
  readonly isSure: boolean
}

/**
 * In the state file: the rest of the pause, and its end by the wall clock, which alone goes on while
 * the process does not run.
 */
export interface SavedPause extends PauseOrder {
  readonly leftMs: number
  readonly endsAtWallMs: number
}

export const NEVER_PAUSED: PauseRecord = {
  ...{ number: 0, kind: 'resume', origin: '', by: '', reason: '' },
  ...{ untilMs: undefined, isSure: true },
}

/** Two records with the same key are about the same order. */
export function orderKey({ number, kind, origin }: PauseOrder): string {
  return `${number} ${kind} ${origin}`
}

export function isNewerOrder(one: PauseOrder, other: PauseOrder): boolean {
  if (one.number !== other.number) return one.number > other.number
  if (one.kind !== other.kind) {
    return one.kind === (one.origin === other.origin ? 'resume' : 'pause')
  }
  return one.origin > other.origin
}

/** Whether a number can be honest, from where we are. */
export function isWithinReach(number: number, known: number): boolean {
  return number <= known + REACH
}

export function pauseLeftMs({ untilMs }: PauseRecord, nowMs: number): number {
  return untilMs === undefined ? 0 : Math.max(0, untilMs - nowMs)
}

/** Undefined if no order was ever given. */
export function savedPause(record: PauseRecord, now: Moment): SavedPause | undefined {
  const { number, kind, origin, by, reason } = record
  if (number === 0) return undefined
  const leftMs = Math.ceil(pauseLeftMs(record, now.monoMs))
  const order = { number, kind, origin, by, reason }
  return { ...order, leftMs, endsAtWallMs: Math.ceil(now.wallMs + leftMs) }
}

/** `number kind origin left-ms sure by reason`: the words that travel. */
export function pauseWords(record: PauseRecord, nowMs: number): readonly string[] {
  const { number, kind, origin, by, reason, isSure } = record
  const leftMs = Math.ceil(pauseLeftMs(record, nowMs))
  return [String(number), kind, origin, String(leftMs), isSure ? '1' : '0', by, reason]
}

/** Undefined if no Sentinel of ours says it like that. */
export function readPauseWords(words: readonly string[]): ToldPause | undefined {
  const [numberText = '', kind, origin = '', leftText = '', sure, by = '', reason] = words
  const [number, leftMs] = [numberText, leftText].map(wholeNumber)
  if (words.length !== 7 || number === undefined || leftMs === undefined) return undefined
  if ((kind !== 'pause' && kind !== 'resume') || (sure !== '0' && sure !== '1')) return undefined
  if (leftMs > PAUSE_MAX_MS || (kind === 'resume' && leftMs > 0)) return undefined
  if (!isOrigin(number, origin) || !isBy(by) || reason === undefined || !isReason(reason))
    return undefined
  return { number, kind, origin, leftMs, isSure: sure === '1', by, reason }
}

export const REASON_MAX_BYTES = 400

/** One line of limited length: it goes to logs, events and terminals. */
export function isReason(text: string): boolean {
  return text.length <= REASON_MAX_BYTES && [...text].every(isNoControl)
}

function isNoControl(char: string): boolean {
  const code = char.charCodeAt(0)
  return code >= 0x20 && code !== 0x7f
}

function isOrigin(number: number, text: string): boolean {
  return number === 0 ? text === '' : /^[0-9a-f]{40}$/.test(text)
}

function isBy(text: string): boolean {
  return /^\S{0,200}$/.test(text) && isReason(text)
}

function wholeNumber(text: string): number | undefined {
  if (!/^\d{1,16}$/.test(text)) return undefined
  return Number.isSafeInteger(Number(text)) ? Number(text) : undefined
}
