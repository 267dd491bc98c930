/**
 * The events that wait for one webhook. One is on its way at a time, so their order is kept; one that fails
 * is tried again, with growing pauses, and holds up those behind it until it is taken or given up. So the
 * queue is bounded, and drops the oldest that waits: what is news at three in the morning is the newest.
 * A receiver that is well again learns how many it missed.
 */
import type { Rng } from '../base/rng.ts'

export interface DeliveryLimits {
  /** How many may wait, the one on its way not counted. */
  readonly queue: number
  /** How long an event is tried, from its first attempt on. */
  readonly giveUpAfterMs: number
}

const RETRY_MIN_MS = 1_000
export const RETRY_MAX_MS = 60_000

export interface Delivery<Item> {
  readonly item: Item
  readonly sequence: number
  /** How many right before it were dropped. */
  readonly dropped: number
  /** From 1 on. */
  readonly attempt: number
}

/** `taken`: it was delivered. `unwanted`: no further attempt would change the answer. */
export type DeliveryOutcome =
  | { readonly kind: 'taken' | 'unwanted' }
  /** `retryAfterMs`: what the receiver asked for, if it did. */
  | { readonly kind: 'failed'; readonly retryAfterMs: number | undefined }

/** What became of a delivery; `againInMs`: it is tried again. */
export type DeliveryResult = 'taken' | 'dropped' | { readonly againInMs: number }

interface Waiting<Item> {
  readonly item: Item
  readonly sequence: number
  dropped: number
}

interface Head<Item> extends Waiting<Item> {
  attempt: number
  firstAtMs: number
  isUnderWay: boolean
  notBeforeMs: number
}

export class DeliveryQueue<Item> {
  readonly #limits: DeliveryLimits
  readonly #rng: Rng
  #head: Head<Item> | undefined
  #waiting: Waiting<Item>[] = []
  #sequence = 0
  /** Dropped since the last event that was taken into the queue behind them. */
  #gap = 0
  #dropped = 0

  constructor(limits: DeliveryLimits, rng: Rng) {
    this.#limits = limits
    this.#rng = rng
  }

  /** How many were dropped since the start. */
  get dropped(): number {
    return this.#dropped
  }

  /** How many are not delivered yet. */
  get size(): number {
    return this.#waiting.length + (this.#head === undefined ? 0 : 1)
  }

  /** Returns whether another one had to be dropped for it. */
  offer(item: Item): boolean {
    this.#waiting.push({ item, sequence: ++this.#sequence, dropped: 0 })
    if (this.#waiting.length <= this.#limits.queue) return false
    const oldest = this.#waiting.shift()
    this.#lose(oldest)
    return true
  }

  /** The delivery to attempt now, if there is one. */
  take(nowMs: number): Delivery<Item> | undefined {
    this.#head ??= this.#advance()
    const head = this.#head
    if (head === undefined || head.isUnderWay || nowMs < head.notBeforeMs) return undefined
    head.isUnderWay = true
    head.attempt++
    if (head.attempt === 1) head.firstAtMs = nowMs
    const { item, sequence, dropped, attempt } = head
    return { item, sequence, dropped, attempt }
  }

  /** When `take` is worth calling again; undefined: not before another event or outcome. */
  dueAtMs(): number | undefined {
    if (this.#head === undefined) return this.#waiting.length === 0 ? undefined : 0
    return this.#head.isUnderWay ? undefined : this.#head.notBeforeMs
  }

  /** How the attempt ended that `take` gave out. */
  conclude(nowMs: number, outcome: DeliveryOutcome): DeliveryResult {
    const head = this.#head
    if (head === undefined) return 'dropped'
    if (outcome.kind === 'failed') {
      const waitMs = this.#pauseMs(head.attempt, outcome.retryAfterMs)
      if (nowMs + waitMs - head.firstAtMs <= this.#limits.giveUpAfterMs) {
        head.isUnderWay = false
        head.notBeforeMs = nowMs + waitMs
        return { againInMs: waitMs }
      }
    }
    this.#head = undefined
    if (outcome.kind === 'taken') return 'taken'
    this.#lose(head)
    return 'dropped'
  }

  #advance(): Head<Item> | undefined {
    const next = this.#waiting.shift()
    if (next === undefined) return undefined
    const dropped = next.dropped + this.#gap
    this.#gap = 0
    return { ...next, dropped, attempt: 0, firstAtMs: 0, isUnderWay: false, notBeforeMs: 0 }
  }

  #lose(one: Waiting<Item> | undefined): void {
    this.#dropped++
    this.#gap += 1 + (one?.dropped ?? 0)
  }

  /** Between half and all of a pause that doubles; a receiver's own wish counts, within the bounds. */
  #pauseMs(attempt: number, wishMs = 0): number {
    const fullMs = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** Math.min(attempt - 1, 10))
    const drawnMs = fullMs / 2 + this.#rng.below(fullMs / 2)
    return Math.max(drawnMs, Math.min(wishMs, RETRY_MAX_MS))
  }
}
