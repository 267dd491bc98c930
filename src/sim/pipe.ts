import { assert } from '../base/assert.ts'
import { nextRetransmissionMs } from './retransmission.ts'
import type { Scheduler } from './scheduler.ts'
import type { Way } from './way.ts'

/** The receiving end of a pipe. */
export interface Sink {
  startArrived(): void
  bytesArrived(bytes: string): void
  endArrived(reason: string): void
}

interface Segment {
  readonly arriveAtMs: number
  /** The answer to a connection request: the way back exists from here on. */
  isStart: boolean
  bytes: string
  /** The sender's end of stream comes after these bytes. */
  end: string | undefined
}

/**
 * One direction of a connection: bytes arrive in the order they were sent, each byte once. What is
 * on the wire when a partition begins still arrives. What does not get through, because of a fault or
 * by loss, is kept by the sender's kernel with everything behind it, and leaves with the first
 * retransmission that finds the way open; what is held on the way goes on as soon as it may.
 */
export class Pipe {
  readonly #scheduler: Scheduler
  readonly #way: Way
  readonly #sink: Sink
  readonly #segments: Segment[] = []
  readonly #arrive = (): void => this.#deliverFirst()
  readonly #stalled: Set<Pipe>
  #kept = ''
  #keptEnd: string | undefined
  /** When the first of what is kept was sent; undefined: nothing is kept. */
  #keptSinceMs: number | undefined
  /** What is kept has left the sender and is held on the way. */
  #isOnTheWay = false
  #retryAtMs: number | undefined
  #ended = false
  #isAborted = false
  #isSenderGone = false
  #lost: { readonly opposite: Pipe; readonly isHome: () => boolean } | undefined
  /** Bytes written and not yet read by the process at the other end. */
  unreadBytes = 0

  /** It is in `stalled` as long as it keeps something: when the way changes, call its `wayChanged`. */
  constructor(scheduler: Scheduler, way: Way, sink: Sink, stalled: Set<Pipe>) {
    this.#scheduler = scheduler
    this.#way = way
    this.#sink = sink
    this.#stalled = stalled
  }

  /** Tells the other end, at this time, that the connection stands. */
  start(arriveAtMs: number): void {
    this.#push(arriveAtMs, true, '', undefined)
  }

  send(bytes: string): void {
    if (this.#ended) return
    this.unreadBytes += bytes.length
    this.#sendOrKeep(bytes, undefined)
  }

  /** No byte follows. The other end learns it after everything sent before. */
  end(reason: string): void {
    if (this.#ended) return
    this.#ended = true
    this.#sendOrKeep('', reason)
  }

  /** Cuts the stream short: what is under way is lost, and the receiver hears the reason. */
  abort(reason: string): void {
    if (this.#isAborted) return
    this.#isAborted = true
    this.#ended = true
    this.#dropAll()
    // A reset is never answered.
    if (this.#lost !== undefined) return
    this.#launch(this.#scheduler.nowMs + this.#way.travelMs(), '', reason)
  }

  /** The sender has vanished: what its kernel kept is gone, what is on the wire arrives. */
  loseSender(): void {
    this.#ended = true
    this.#isSenderGone = true
    this.#forgetKept()
  }

  /**
   * The receiver has vanished: what was not acknowledged is sent again and again, until the host is
   * back and resets a connection it knows nothing of. `isHome`: it still has the address it had.
   */
  loseReceiver(opposite: Pipe, isHome: () => boolean): void {
    const isWaiting = this.#keptSinceMs !== undefined || this.#segments.length > 0
    this.#dropAll()
    this.#lost = { opposite, isHome }
    if (this.#isSenderGone) return
    // Whoever looks on has better ways to know than a connection.
    if (this.#way.kind === 'outside') opposite.abort('the host is gone')
    else if (isWaiting) this.#keep('', undefined)
  }

  /** What is kept may be able to leave: at once from the way, from the sender with a retransmission. */
  wayChanged(): void {
    if (this.#keptSinceMs === undefined) return
    if (!this.#way.passes) this.#isOnTheWay = false
    else if (!this.#isOnTheWay) {
      this.#retryAt(nextRetransmissionMs(this.#keptSinceMs, this.#scheduler.nowMs))
    } else if (!this.#way.isHolding) this.#leave()
  }

  #sendOrKeep(bytes: string, end: string | undefined): void {
    if (this.#keptSinceMs !== undefined) return this.#keep(bytes, end)
    const arriveAtMs = this.#arrivalMs(bytes.length)
    if (arriveAtMs === undefined) this.#keep(bytes, end)
    else this.#launch(arriveAtMs, bytes, end)
  }

  #arrivalMs(bytes: number): number | undefined {
    if (this.#isNobodyThere()) return undefined
    return this.#way.arrivalMs(this.#scheduler.nowMs, bytes)
  }

  #keep(bytes: string, end: string | undefined): void {
    // Nobody will ever read what is sent to a receiver that is gone.
    if (this.#lost === undefined) this.#kept += bytes
    this.#keptEnd = end
    if (this.#keptSinceMs !== undefined) return
    this.#keptSinceMs = this.#scheduler.nowMs
    this.#stalled.add(this)
    this.#wait(this.#keptSinceMs)
  }

  /** What is kept has not got through: what to wait for depends on why. */
  #wait(keptSinceMs: number): void {
    // The end of a fault is told by `wayChanged`; what goes to nobody's address waits for ever.
    if (!this.#way.passes || this.#isNobodyThere()) return
    if (this.#way.isHolding) this.#isOnTheWay = true
    else this.#retryAt(nextRetransmissionMs(keptSinceMs, this.#scheduler.nowMs + 1))
  }

  #retryAt(atMs: number): void {
    if (this.#retryAtMs === atMs) return
    this.#retryAtMs = atMs
    this.#scheduler.at(atMs, () => {
      if (this.#retryAtMs !== atMs) return
      this.#retryAtMs = undefined
      if (!this.#isOnTheWay) this.#leave()
    })
  }

  /** Sends what is kept as one segment. */
  #leave(): void {
    if (this.#keptSinceMs === undefined) return
    const arriveAtMs = this.#arrivalMs(this.#kept.length)
    if (arriveAtMs === undefined) {
      this.#isOnTheWay = false
      return this.#wait(this.#keptSinceMs)
    }
    const [bytes, end] = [this.#kept, this.#keptEnd]
    this.#forgetKept()
    this.#launch(arriveAtMs, bytes, end)
  }

  #launch(earliestMs: number, bytes: string, end: string | undefined): void {
    if (this.#lost !== undefined) return this.#scheduler.at(earliestMs, () => this.#bounce())
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

  /** A host that is back knows nothing of this connection, and says so if its word gets through. */
  #bounce(): void {
    if (this.#lost === undefined || this.#isSenderGone || this.#isNobodyThere()) return
    const { opposite } = this.#lost
    if (opposite.#way.passes && !opposite.#way.isHolding) opposite.abort('connection reset')
    else this.#keep('', undefined)
  }

  #isNobodyThere(): boolean {
    return this.#lost !== undefined && !this.#lost.isHome()
  }

  #dropAll(): void {
    this.#forgetKept()
    // Their arrivals are scheduled; they arrive as nothing.
    for (const segment of this.#segments) {
      segment.isStart = false
      segment.bytes = ''
      segment.end = undefined
    }
  }

  #forgetKept(): void {
    this.#kept = ''
    this.#keptEnd = undefined
    this.#keptSinceMs = undefined
    this.#isOnTheWay = false
    this.#retryAtMs = undefined
    this.#stalled.delete(this)
  }
}
