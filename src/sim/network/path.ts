/**
 * One direction between two hosts, shared by all connections between them: whether it passes, how
 * long it takes, what is lost. Its state is set when a fault changes it, not computed for every
 * segment: there are thousands of segments between two faults.
 */
import type { Rng } from '../../base/rng.ts'
import type { LinkShape } from '../../history/link-shape.ts'
import type { Latency } from '../../history/topology.ts'

/** The kind of a path decides what faults can do to it. */
export type WayKind =
  | 'link'
  /** Within one host: it takes no time, and no fault of the network touches it. */
  | 'loopback'
  /** To or from an observer: as within a host, but observers are told when a host is gone. */
  | 'outside'

interface PathFaults {
  readonly passes: boolean
  /** What is sent waits until the fault is over. */
  readonly isHolding: boolean
  readonly shape: LinkShape | undefined
}

/** How much a queue before a slow link holds before it drops segments. */
const QUEUE_MAX_MS = 1_000
/** Shares are drawn in whole millionths, so that every machine agrees. */
const WHOLE = 1_000_000

export class NetworkPath {
  readonly kind: WayKind
  readonly #rng: Rng
  readonly #usual: Latency
  #baseMs: number
  #jitterMs: number
  #shape: LinkShape | undefined
  /** A generator of its own, so that loss does not change the draws of the jitter. */
  #lossRng: Rng | undefined
  /** When a link of limited bandwidth has sent everything that was handed to it. */
  #idleAtMs = 0
  #passes = true
  #isHolding = false
  #returns = true

  constructor(kind: WayKind, usual: Latency, rng: Rng) {
    this.kind = kind
    this.#rng = rng
    this.#usual = usual
    this.#baseMs = usual.baseMs
    this.#jitterMs = usual.jitterMs
  }

  /** Whether what is sent now can arrive. If not, the only thing to do is to wait for a change. */
  get passes(): boolean {
    return this.#passes
  }

  /** Whether what is sent now waits on the way until it is released. */
  get isHolding(): boolean {
    return this.#isHolding
  }

  /**
   * Whether acknowledgements of what is sent in the opposite direction get through. Each repeats
   * all that those before it said, so losing some of them makes no difference.
   */
  get returns(): boolean {
    return this.#returns
  }

  /** Sets the effects of the present faults on the path. */
  set({ passes, isHolding, shape }: PathFaults): void {
    this.#passes = passes
    this.#isHolding = isHolding
    this.#shape = shape
    this.#returns = passes && !isHolding && (shape?.loss ?? 0) < 1
    this.#baseMs = shape?.latencyMs ?? this.#usual.baseMs
    this.#jitterMs = shape?.jitterMs ?? this.#usual.jitterMs
  }

  /** When a segment sent now arrives; undefined if it does not, by chance or by a fault. */
  arrivalMs(nowMs: number, bytes: number): number | undefined {
    if (!this.#passes || this.#isHolding) return undefined
    if (this.#shape === undefined) return nowMs + this.travelMs()
    return this.#shapedArrivalMs(this.#shape, nowMs, bytes)
  }

  /** How long a segment takes if nothing happens to it. */
  travelMs(): number {
    if (this.kind !== 'link') return 0
    return this.#baseMs + (this.#jitterMs === 0 ? 0 : this.#rng.below(this.#jitterMs + 1))
  }

  #shapedArrivalMs(shape: LinkShape, nowMs: number, bytes: number): number | undefined {
    const sentAtMs = this.#queuedUntilMs(shape, nowMs, bytes)
    // Segments are lost after the queue, so a lost segment has used the link.
    if (sentAtMs === undefined || this.#isDrawn(shape.loss)) return undefined
    return sentAtMs + this.travelMs()
  }

  #queuedUntilMs(shape: LinkShape, nowMs: number, bytes: number): number | undefined {
    const copies = this.#isDrawn(shape.duplication) ? 2 : 1
    if (shape.bytesPerSecond === undefined) return nowMs
    if (this.#idleAtMs - nowMs > QUEUE_MAX_MS) return undefined
    const takesMs = (bytes * copies * 1_000) / shape.bytesPerSecond
    this.#idleAtMs = Math.max(this.#idleAtMs, nowMs) + takesMs
    // The second copy delays the next segment, not the first copy.
    return Math.ceil(this.#idleAtMs - takesMs + takesMs / copies)
  }

  #isDrawn(share: number | undefined): boolean {
    if (share === undefined || share <= 0) return false
    this.#lossRng ??= this.#rng.fork('loss')
    return this.#lossRng.chance(Math.round(share * WHOLE), WHOLE)
  }
}
