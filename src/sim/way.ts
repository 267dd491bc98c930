import type { Rng } from '../base/rng.ts'
import type { LinkShape } from './link-shape.ts'

/** How long a segment travels between two hosts: the base plus 0..jitter, drawn per segment. */
export interface Latency {
  readonly baseMs: number
  readonly jitterMs: number
}

/** Whose way it is decides what can be done to it. */
export type WayKind =
  | 'link'
  /** Within one host: it takes no time, and no fault of the network touches it. */
  | 'loopback'
  /** To or from whoever looks on: the same, but people outside are told when a host is gone. */
  | 'outside'

/** What a queue before a slow link holds before it drops what comes. */
const QUEUE_MAX_MS = 1_000
/** Shares are drawn in whole millionths, so that every machine agrees. */
const WHOLE = 1_000_000

/**
 * One direction between two hosts, as all connections between them share it: whether it passes, how
 * long it takes, what of it is lost. Its state is set when a fault changes it, not asked for with
 * every segment: there are thousands of segments between two faults.
 */
export class Way {
  readonly kind: WayKind
  readonly #rng: Rng
  readonly #usual: Latency
  #baseMs: number
  #jitterMs: number
  #shape: LinkShape | undefined
  /** Of its own, so that loss does not move the draws of the jitter. */
  #lossRng: Rng | undefined
  /** When a link of limited bandwidth has sent everything that was handed to it. */
  #idleAtMs = 0
  #passes = true
  #isHolding = false

  constructor(kind: WayKind, usual: Latency, rng: Rng) {
    this.kind = kind
    this.#rng = rng
    this.#usual = usual
    this.#baseMs = usual.baseMs
    this.#jitterMs = usual.jitterMs
  }

  /** What is sent now has a chance to arrive. Without it nothing can be done but wait for a change. */
  get passes(): boolean {
    return this.#passes
  }

  /** What is sent now waits on the way until somebody lets it through. */
  get isHolding(): boolean {
    return this.#isHolding
  }

  /** Sets what the faults of this moment make of the way. */
  set(passes: boolean, isHolding: boolean, shape: LinkShape | undefined): void {
    this.#passes = passes
    this.#isHolding = isHolding
    this.#shape = shape
    this.#baseMs = shape?.latencyMs ?? this.#usual.baseMs
    this.#jitterMs = shape?.jitterMs ?? this.#usual.jitterMs
  }

  /** When a segment sent now arrives; undefined: it does not, lost by itself or by a fault. */
  arrivalMs(nowMs: number, bytes: number): number | undefined {
    if (!this.#passes || this.#isHolding) return undefined
    if (this.#shape === undefined) return nowMs + this.travelMs()
    return this.#shapedArrivalMs(this.#shape, nowMs, bytes)
  }

  /** How long it takes a segment that nothing happens to. */
  travelMs(): number {
    if (this.kind !== 'link') return 0
    return this.#baseMs + (this.#jitterMs === 0 ? 0 : this.#rng.below(this.#jitterMs + 1))
  }

  #shapedArrivalMs(shape: LinkShape, nowMs: number, bytes: number): number | undefined {
    const sentAtMs = this.#queuedUntilMs(shape, nowMs, bytes)
    // What is lost is lost behind the queue: it has taken up the link.
    if (sentAtMs === undefined || this.#isDrawn(shape.loss)) return undefined
    return sentAtMs + this.travelMs()
  }

  #queuedUntilMs(shape: LinkShape, nowMs: number, bytes: number): number | undefined {
    const copies = this.#isDrawn(shape.duplication) ? 2 : 1
    if (shape.bytesPerSecond === undefined) return nowMs
    if (this.#idleAtMs - nowMs > QUEUE_MAX_MS) return undefined
    const takesMs = (bytes * copies * 1_000) / shape.bytesPerSecond
    this.#idleAtMs = Math.max(this.#idleAtMs, nowMs) + takesMs
    // The second copy delays who comes next, not the first one.
    return Math.ceil(this.#idleAtMs - takesMs + takesMs / copies)
  }

  #isDrawn(share: number | undefined): boolean {
    if (share === undefined || share <= 0) return false
    this.#lossRng ??= this.#rng.fork('loss')
    return this.#lossRng.chance(Math.round(share * WHOLE), WHOLE)
  }
}
