import { assert } from '../base/assert.ts'
import { nextRetransmissionMs } from './retransmission.ts'
import type { Scheduler } from './scheduler.ts'

/** One direction between two hosts: whether traffic passes and how long it takes right now. */
export interface Route {
  passes(): boolean
  delayMs(): number
}

/** The receiving end of a pipe. */
export interface Sink {
  startArrived(): void
  bytesArrived(bytes: string): void
  endArrived(reason: string): void
}

interface Segment {
  readonly arriveAtMs: number
  /** The answer to a connection request: the way back exists from here on. */
  readonly isStart: boolean
  bytes: string
  /** The sender's end of stream comes after these bytes. */
  end: string | undefined
}

/**
 * One direction of a connection: bytes arrive in the order they were sent, each byte once. What is
 * on the wire when a partition begins still arrives; what is sent into the partition is held by the
 * kernel and arrives after the first retransmission that finds the way open again.
 */
export class Pipe {
  readonly #scheduler: Scheduler
  readonly #route: Route
  readonly #sink: Sink
  readonly #segments: Segment[] = []
  readonly #arrive = (): void => this.#deliverFirst()
  readonly #stalled: (pipe: Pipe) => void
  #held = ''
  #heldEnd: string | undefined
  #heldSinceMs: number | undefined
  #ended = false
  /** Bytes written and not yet read by the process at the other end. */
  unreadBytes = 0

  /** `stalled` is called when bytes are held back: whoever heals the route must call `retry`. */
  constructor(scheduler: Scheduler, route: Route, sink: Sink, stalled: (pipe: Pipe) => void) {
    this.#scheduler = scheduler
    this.#route = route
    this.#sink = sink
    this.#stalled = stalled
  }

  /** Tells the other end that the connection stands. Only while the route passes. */
  start(): void {
    this.#push(this.#scheduler.nowMs + this.#route.delayMs(), true, '', undefined)
  }

  send(bytes: string): void {
    if (this.#ended) return
    this.unreadBytes += bytes.length
    if (this.#isHeld()) this.#held += bytes
    else this.#launch(bytes, undefined)
  }

  /** No byte follows. The other end learns it after everything sent before. */
  end(reason: string): void {
    if (this.#ended) return
    this.#ended = true
    if (this.#isHeld()) this.#heldEnd = reason
    else this.#launch('', reason)
  }

  /** The route may have opened: held bytes leave with the next retransmission, if it still is open. */
  retry(): void {
    if (this.#heldSinceMs === undefined || !this.#route.passes()) return
    const atMs = nextRetransmissionMs(this.#heldSinceMs, this.#scheduler.nowMs)
    this.#scheduler.at(atMs, () => this.#release())
  }

  get isStalled(): boolean {
    return this.#heldSinceMs !== undefined
  }

  #isHeld(): boolean {
    if (this.#heldSinceMs !== undefined) return true
    if (this.#route.passes()) return false
    this.#heldSinceMs = this.#scheduler.nowMs
    this.#stalled(this)
    return true
  }

  #release(): void {
    if (this.#heldSinceMs === undefined || !this.#route.passes()) return
    const bytes = this.#held
    this.#held = ''
    this.#heldSinceMs = undefined
    this.#launch(bytes, this.#heldEnd)
  }

  #launch(bytes: string, end: string | undefined): void {
    const earliestMs = this.#scheduler.nowMs + this.#route.delayMs()
    const last = this.#segments.at(-1)
    if (last !== undefined && last.arriveAtMs >= earliestMs) {
      // Jitter must not let bytes overtake each other: they join the segment before them.
      last.bytes += bytes
      last.end = end
      return
    }
    this.#push(earliestMs, false, bytes, end)
  }

  #push(arriveAtMs: number, isStart: boolean, bytes: string, end: string | undefined): void {
    this.#segments.push({ arriveAtMs, isStart, bytes, end })
    this.#scheduler.at(arriveAtMs, this.#arrive)
  }

  #deliverFirst(): void {
    const segment = this.#segments.shift()
    assert(segment !== undefined, 'every scheduled arrival has its segment')
    if (segment.isStart) this.#sink.startArrived()
    if (segment.bytes.length > 0) this.#sink.bytesArrived(segment.bytes)
    if (segment.end !== undefined) this.#sink.endArrived(segment.end)
  }
}
