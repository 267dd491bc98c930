/**
 * One direction of a connection: bytes arrive in the order they were sent, each byte once. What is
 * on the wire when a partition begins still arrives. What does not get through, because of a fault
 * or by loss, is kept by the sender's kernel with everything after it, and leaves with the first
 * retransmission that finds the path open; what is held on the way goes on as soon as it may.
 *
 * The acknowledgements travel on the opposite path. While they do not get through, what is sent
 * arrives, but the sender's kernel does not know that: after a few segments, or the first
 * retransmission time-out, it sends nothing new. So a cut of one direction starves the other one,
 * too.
 */
import { assert } from '../../base/assert.ts'
import type { Scheduler } from '../scheduler.ts'
import type { NetworkPath } from './path.ts'
import { newDataUntilMs, nextRetransmissionMs } from './retransmission.ts'

/** The receiving end of a pipe. */
export interface Sink {
  startArrived(): void
  bytesArrived(bytes: string): void
  endArrived(reason: string): void
}

/** From the sender to the receiver, and back. */
type Ways = readonly [forth: NetworkPath, back: NetworkPath]

interface Segment {
  readonly arriveAtMs: number
  /** The answer to a connection request: the opposite direction exists from here on. */
  isStart: boolean
  bytes: string
  /** Set if the sender's end of stream comes after these bytes. */
  end: string | undefined
}

/**
 * How many new segments a kernel sends without an acknowledgement of the oldest one: TCP's initial
 * window, which a connection that does not send in bulk keeps.
 */
const WINDOW_SEGMENTS = 10

export class Pipe {
  readonly #scheduler: Scheduler
  readonly #way: NetworkPath
  /** The path of the acknowledgements. */
  readonly #back: NetworkPath
  readonly #sink: Sink
  readonly #segments: Segment[] = []
  readonly #arrive = (): void => this.#deliverFirst()
  readonly #stalled: Set<Pipe>
  #kept = ''
  #keptEnd: string | undefined
  /** When the first kept byte was sent; undefined if nothing is kept. */
  #keptSinceMs: number | undefined
  /** What is kept has left the sender and is held on the way. */
  #isOnTheWay = false
  #retryAtMs: number | undefined
  #ended = false
  #isAborted = false
  #isSenderGone = false
  #lost: { readonly opposite: Pipe; readonly isHome: () => boolean } | undefined
  /** The other direction of the connection. */
  #opposite: Pipe | undefined
  /** How many segments have arrived without the sender knowing. */
  #unackedCount = 0
  /** When the first of them arrived; undefined if the sender knows of all. */
  #unackedSinceMs: number | undefined
  /** Acknowledgements have left the receiver and are held on the way. */
  #areAcksOnTheWay = false
  /** Bytes written and not yet read by the process at the other end. */
  unreadBytes = 0

  /**
   * A pipe is in `stalled` as long as it waits for something: when a path changes, call its
   * `wayChanged`.
   */
  constructor(scheduler: Scheduler, [way, back]: Ways, sink: Sink, stalled: Set<Pipe>) {
    this.#scheduler = scheduler
    this.#way = way
    this.#back = back
    this.#sink = sink
    this.#stalled = stalled
  }

  /** Called for both directions, before anything is sent. */
  joinOpposite(opposite: Pipe): void {
    this.#opposite = opposite
  }

  /** Tells the other end, at this time, that the connection is established. */
  start(arriveAtMs: number): void {
    this.#push(arriveAtMs, true, '', undefined)
  }

  send(bytes: string): void {
    if (this.#ended) return
    this.unreadBytes += bytes.length
    this.#sendOrKeep(bytes, undefined)
  }

  /** No byte follows. The other end learns that after everything sent before. */
  end(reason: string): void {
    if (this.#ended) return
    this.#ended = true
    this.#sendOrKeep('', reason)
  }

  /** Cuts the stream short: what is under way is lost, and the receiver gets the reason. */
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
    this.#forgetUnacked()
    this.#forgetKept()
  }

  /**
   * The receiver has vanished: what was not acknowledged is sent again and again, until the host is
   * back and resets a connection it does not know. `isHome`: whether it still has its old address.
   */
  loseReceiver(opposite: Pipe, isHome: () => boolean): void {
    const isWaiting = this.#isStalled() || this.#segments.length > 0
    this.#dropAll()
    this.#lost = { opposite, isHome }
    if (this.#isSenderGone) return
    // An observer has better ways to know than a connection.
    if (this.#way.kind === 'outside') opposite.abort('the host is gone')
    else if (isWaiting) this.#keep('', undefined)
  }

  /**
   * What is kept may be able to leave, and so may acknowledgements: at once if held on the way,
   * later if kept by a kernel.
   */
  wayChanged(): void {
    this.#acksMayArrive()
    if (!this.#isStalled()) return
    if (!this.#way.passes) this.#isOnTheWay = false
    else if (!this.#isOnTheWay) this.#retransmitFrom(this.#scheduler.nowMs)
    else if (!this.#way.isHolding) {
      this.#isOnTheWay = false
      if (this.#keptSinceMs === undefined) this.#sendAgain()
      else this.#leave()
    }
  }

  /** Acknowledgements that were held on the way back continue. */
  #acksMayArrive(): void {
    if (!this.#back.passes) this.#areAcksOnTheWay = false
    if (!this.#areAcksOnTheWay || this.#back.isHolding) return
    this.#areAcksOnTheWay = false
    this.#acknowledgeAt(this.#scheduler.nowMs + this.#back.travelMs())
  }

  #sendOrKeep(bytes: string, end: string | undefined): void {
    if (this.#keptSinceMs !== undefined || this.#isWindowShut()) return this.#keep(bytes, end)
    const arriveAtMs = this.#arrivalMs(bytes.length)
    if (arriveAtMs === undefined) this.#keep(bytes, end)
    else this.#launch(arriveAtMs, bytes, end)
  }

  #arrivalMs(bytes: number): number | undefined {
    if (this.#isNobodyThere()) return undefined
    return this.#way.arrivalMs(this.#scheduler.nowMs, bytes)
  }

  #keep(bytes: string, end: string | undefined): void {
    // A receiver that is gone will never read what is sent to it.
    if (this.#lost === undefined) this.#kept += bytes
    this.#keptEnd = end
    if (this.#keptSinceMs !== undefined) return
    this.#keptSinceMs = this.#scheduler.nowMs
    this.#stalled.add(this)
    this.#wait()
  }

  /** The sender waits for an acknowledgement; when to try again depends on why there is none. */
  #wait(): void {
    // `wayChanged` reports the end of a fault; data for an address without a host wait for ever.
    if (!this.#way.passes || this.#isNobodyThere()) return
    if (this.#way.isHolding) this.#isOnTheWay = true
    else this.#retransmitFrom(this.#scheduler.nowMs + 1)
  }

  /**
   * The first retransmission from then on. It would be in vain before the opposite path is open, so
   * the sender waits for that.
   */
  #retransmitFrom(notBeforeMs: number): void {
    const sinceMs = this.#unackedSinceMs ?? this.#keptSinceMs
    if (sinceMs === undefined) return
    if (this.#unackedSinceMs !== undefined && !this.#back.returns) return
    this.#retryAt(nextRetransmissionMs(sinceMs, notBeforeMs))
  }

  #retryAt(atMs: number): void {
    if (this.#retryAtMs === atMs) return
    this.#retryAtMs = atMs
    this.#scheduler.at(atMs, () => {
      if (this.#retryAtMs !== atMs) return
      this.#retryAtMs = undefined
      if (this.#isOnTheWay) return
      if (this.#unackedSinceMs === undefined) this.#leave()
      else this.#sendAgain()
    })
  }

  /** A retransmission of data that have already arrived: only the acknowledgement matters. */
  #sendAgain(): void {
    const arriveAtMs = this.#back.returns ? this.#arrivalMs(0) : undefined
    if (arriveAtMs === undefined) this.#wait()
    else this.#acknowledgeAt(arriveAtMs + this.#back.travelMs())
  }

  /** Sends what is kept as one segment. */
  #leave(): void {
    if (this.#keptSinceMs === undefined) return
    const arriveAtMs = this.#arrivalMs(this.#kept.length)
    if (arriveAtMs === undefined) {
      this.#isOnTheWay = false
      return this.#wait()
    }
    const [bytes, end] = [this.#kept, this.#keptEnd]
    this.#forgetKept()
    this.#launch(arriveAtMs, bytes, end)
  }

  #isStalled(): boolean {
    return this.#keptSinceMs !== undefined || this.#unackedSinceMs !== undefined
  }

  /**
   * Whether so much is unacknowledged, or for so long, that the sender's kernel sends nothing new.
   */
  #isWindowShut(): boolean {
    if (this.#unackedSinceMs === undefined) return false
    const inFlight = this.#unackedCount + this.#segments.length
    const untilMs = newDataUntilMs(this.#unackedSinceMs, inFlight)
    return inFlight >= WINDOW_SEGMENTS || this.#scheduler.nowMs > untilMs
  }

  /** The receiver's kernel acknowledges at once, whether its process runs or not. */
  #noteArrival(): void {
    const back = this.#back
    if (back.returns) {
      // An acknowledgement of this segment covers all before it.
      if (this.#unackedSinceMs !== undefined) {
        this.#acknowledgeAt(this.#scheduler.nowMs + back.travelMs())
      }
      return
    }
    this.#unackedCount++
    if (back.passes && back.isHolding) this.#areAcksOnTheWay = true
    if (this.#unackedSinceMs !== undefined) return
    this.#unackedSinceMs = this.#scheduler.nowMs
    this.#stalled.add(this)
  }

  #acknowledgeAt(atMs: number): void {
    const count = this.#unackedCount
    this.#scheduler.at(atMs, () => this.#acknowledged(count))
  }

  /**
   * The sender learns that the `count` oldest segments have arrived, and sends what it kept after
   * them.
   */
  #acknowledged(count: number): void {
    if (this.#unackedSinceMs === undefined) return
    this.#unackedCount = Math.max(0, this.#unackedCount - count)
    this.#unackedSinceMs = this.#unackedCount === 0 ? undefined : this.#scheduler.nowMs
    this.#retryAtMs = undefined
    if (this.#keptSinceMs === undefined) this.#isOnTheWay = false
    else if (!this.#isOnTheWay) this.#leave()
    if (this.#isStalled()) this.#retransmitFrom(this.#scheduler.nowMs + 1)
    else this.#stalled.delete(this)
  }

  #forgetUnacked(): void {
    this.#unackedCount = 0
    this.#unackedSinceMs = undefined
    this.#areAcksOnTheWay = false
    if (this.#keptSinceMs === undefined) this.#stalled.delete(this)
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
    // The segment also acknowledges what has arrived in the opposite direction.
    const opposite = this.#opposite
    if (opposite !== undefined && opposite.#unackedSinceMs !== undefined) {
      opposite.#acknowledged(opposite.#unackedCount)
    }
    if (segment.isStart) this.#sink.startArrived()
    if (segment.end !== undefined) this.#forgetUnacked()
    else if (segment.bytes.length > 0) this.#noteArrival()
    if (segment.bytes.length > 0) this.#sink.bytesArrived(segment.bytes)
    if (segment.end !== undefined) this.#sink.endArrived(segment.end)
  }

  /** A host that is back does not know this connection, and says so if its answer gets through. */
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
    this.#forgetUnacked()
    this.#forgetKept()
    // Their arrivals are already scheduled; they arrive empty.
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
    if (this.#unackedSinceMs === undefined) this.#stalled.delete(this)
  }
}
