/**
 * The live connections of a program, by the ids its machine knows them under. Bytes become latin1 strings
 * here and nowhere else. What clients send comes to the machine when all sockets that had something to say have been
 * read (arrivals.ts). What the machine writes leaves after that: a client that pipelines a hundred commands gets one
 * packet, not a hundred, and so does a replica when a hundred clients wrote. It is cheaper besides: who waits for one of
 * many answers is woken once, and finds the others there.
 *
 * Whatever happens to a socket is reported once, as `closed`; nothing a peer does can throw.
 *
 * turns.ts says which of the clients that came to us is read next. Connections that we opened do not wait for others: a
 * replica has to keep up with its master.
 */
import type { Socket } from 'node:net'
import { REAL_TIMERS } from '../process/timers.ts'
import { reasonOf } from '../start-error.ts'
import { Arrivals } from './arrivals.ts'
import type { Gate } from './demo-partition.ts'
import { Outbox } from './outbox.ts'
import { received } from './shared-inbox.ts'
import { READ_AT_ONCE, readOn, Turns, type TurnTaker } from './turns.ts'

/** More output than this goes to the socket at once: a string cannot grow without bound. */
const MAX_BATCH_BYTES = 256 * 1024

/** With so many answers waiting, the first does not wait for more sockets to be read. */
const MAX_TOGETHER = 64
/** Nor with so much: what lives until the next collection of garbage costs more than waking its readers one by one. */
const MAX_TOGETHER_BYTES = 32 * 1024

export interface ConnectionEvents {
  received(id: number, bytes: string): void
  /** Follows one `received`, or many that came together. */
  settled?(): void
  /** How much is missing of a long value that it is sending, if the machine knows. */
  awaitedBytes?(id: number): number
  /**
   * A client that came to us sends no more; it may still read, until `close`. Without this it counts as closed.
   */
  halfClosed?(id: number): void
  /** The other side or the network closed it. Not called after `close`. */
  closed(id: number, reason: string): void
}

export interface ConnectionOptions {
  readonly gate?: Gate | undefined
  /**
   * A peer that lets more output pile up is dropped; undefined if the machine enforces a limit
   * itself.
   */
  readonly maxQueuedBytes?: number
  /**
   * If all connections together let more than this pile up, those with the most are dropped; undefined
   * for no limit.
   */
  readonly maxTotalBytes?: number
}

/** Why we ended a connection that let too much output pile up. */
export const DOES_NOT_READ = 'it does not read what it is sent'
/** The same, for the connections with the most when all together let too much pile up. */
export const READ_TOO_LITTLE = 'all clients together do not read what they are sent, and it least'
/** The total is checked whenever this share of it has been written. */
const LOOK_SHARE = 1 / 16

interface Entry extends TurnTaker {
  readonly id: number
  /** Written and not yet handed to the socket. */
  readonly outbox: Outbox
}

export class Connections {
  readonly #events: ConnectionEvents
  readonly #gate: Gate | undefined
  readonly #maxQueuedBytes: number
  readonly #maxTotalBytes: number
  readonly #lingering = new Lingering()
  readonly #entries = new Map<number, Entry>()
  #dirty: Entry[] = []
  /** Written since all had left. */
  #dirtyBytes = 0
  #paused: Entry[] = []
  readonly #turns = new Turns()
  readonly #arrivals = new Arrivals<Entry>((entry, bytes) => this.#received(entry, bytes))
  /** Whether `#roundEnds` is to come. */
  #isScheduled = false
  /** Written since we last checked how much output all connections together have not taken. */
  #unlookedBytes = 0

  constructor(events: ConnectionEvents, options: ConnectionOptions = {}) {
    this.#events = events
    this.#gate = options.gate
    this.#maxQueuedBytes = options.maxQueuedBytes ?? Number.POSITIVE_INFINITY
    this.#maxTotalBytes = options.maxTotalBytes ?? Number.POSITIVE_INFINITY
  }

  /** Takes over a socket, connected or connecting; the caller has no use of it any more. */
  add(id: number, accepted: Socket): void {
    // A gate stops sockets itself, and must find them stopped.
    const isAccepted = !accepted.connecting
    const hasTurns = isAccepted && this.#gate === undefined
    const take = (bytes: string) => {
      if (hasTurns) this.#turns.wasRead(entry, bytes.length)
      this.#arrivals.add(entry, bytes)
      if (!hasTurns || this.#arrivals.isFull) this.#deliver()
      else this.#schedule()
    }
    const awaitedBytes = () => this.#events.awaitedBytes?.(id) ?? 0
    const socket = received(accepted, { take, awaitedBytes }, hasTurns)
    const outbox = new Outbox()
    const entry: Entry = { id, socket, outbox, ...READ_AT_ONCE }
    this.#entries.set(id, entry)
    if (hasTurns) this.#turns.comes()
    socket.setNoDelay(true)
    const { halfClosed } = this.#events
    if (isAccepted && halfClosed !== undefined) {
      socket.allowHalfOpen = true
      socket.on('end', () => this.#leaves(entry, halfClosed))
    } else socket.on('end', () => this.#ended(entry, 'closed by the other side'))
    socket.on('error', (error) => this.#ended(entry, reasonOf(error)))
    socket.on('close', () => this.#ended(entry, 'closed'))
  }

  has(id: number): boolean {
    return this.#entries.has(id)
  }

  /** Appends bytes to the output; ignored if the connection is gone. */
  write(id: number, bytes: string): void {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    const { outbox, socket } = entry
    if (outbox.bytes === 0) this.#markDirty(entry)
    outbox.add(bytes)
    if (outbox.bytes > MAX_BATCH_BYTES) outbox.sendTo(socket)
    if (queuedBytes(entry) > this.#maxQueuedBytes) this.#drop(entry, DOES_NOT_READ)
    this.#dirtyBytes += bytes.length
    this.#unlookedBytes += bytes.length
    if (this.#unlookedBytes >= this.#maxTotalBytes * LOOK_SHARE) this.#relieve()
  }

  /**
   * Stops reading from it until it has taken nearly all that was written; then calls back, never before
   * this returns. The connection may end first, and then it never does.
   */
  holdUntilDrained(id: number, drained: () => void): void {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    flush(entry)
    entry.isHeld = true
    entry.socket.pause()
    const look = () => {
      if (this.#entries.get(id) !== entry) return
      if (entry.socket.writableNeedDrain) return void entry.socket.once('drain', look)
      entry.isHeld = false
      readOn(entry)
      drained()
    }
    REAL_TIMERS.setImmediate(look)
  }

  /** Leaves whatever else it sends with the kernel until `resumeReading`. */
  pauseReading(id: number): void {
    const entry = this.#entries.get(id)
    if (entry === undefined || entry.isPaused) return
    entry.isPaused = true
    entry.socket.pause()
    this.#paused.push(entry)
  }

  resumeReading(): void {
    if (this.#paused.length === 0) return
    const paused = this.#paused
    this.#paused = []
    for (const entry of paused) {
      entry.isPaused = false
      readOn(entry)
    }
  }

  /** Bytes written that the kernel has not taken yet. */
  queuedBytes(id: number): number {
    const entry = this.#entries.get(id)
    return entry === undefined ? 0 : queuedBytes(entry)
  }

  /**
   * Closes once everything written has left; a peer that does not read is dropped after a while, or, with
   * `isAtOnce`, immediately together with its unsent output.
   */
  close(id: number, isAtOnce = false): void {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    this.#entries.delete(id)
    if (isAtOnce) {
      entry.outbox.drop()
      entry.socket.destroy()
      return
    }
    flush(entry)
    const finish = () => this.#lingering.end(entry.socket)
    if (this.#gate === undefined) finish()
    else this.#gate.close(entry.socket, finish)
  }

  /** Closes all, and resolves when everything written to each has left or we have given up on its peer. */
  async closeAll(): Promise<void> {
    const sockets = [...this.#entries.values()].map((entry) => entry.socket)
    const flushed = sockets.map(whenFlushed)
    for (const id of [...this.#entries.keys()]) this.close(id)
    await Promise.all(flushed)
  }

  /** Drops all at once: what is not with the kernel yet is lost, and nothing is reported any more. */
  abandon(): void {
    const sockets = [...this.#entries.values()].map((entry) => entry.socket)
    this.#entries.clear()
    for (const socket of sockets) socket.destroy()
  }

  #deliver(): void {
    if (this.#arrivals.isEmpty) return
    this.#arrivals.deliverAll()
    this.#events.settled?.()
  }

  #received(entry: Entry, bytes: string): void {
    // After `close` the machine no longer knows the id.
    if (this.#entries.has(entry.id)) this.#events.received(entry.id, bytes)
    const { length } = this.#dirty
    if (length >= MAX_TOGETHER || this.#dirtyBytes >= MAX_TOGETHER_BYTES) this.#flushAll()
  }

  #leaves(entry: Entry, halfClosed: (id: number) => void): void {
    this.#deliver()
    if (this.#entries.get(entry.id) === entry) halfClosed(entry.id)
  }

  /** What it sent before its end comes before its end. */
  #ended(entry: Entry, reason: string): void {
    this.#deliver()
    this.#lost(entry, reason)
  }

  #lost(entry: Entry, reason: string): void {
    if (this.#entries.get(entry.id) !== entry) return
    this.#entries.delete(entry.id)
    flush(entry)
    this.#lingering.end(entry.socket)
    this.#events.closed(entry.id, reason)
  }

  #drop(entry: Entry, reason: string): void {
    entry.socket.destroy()
    this.#lost(entry, reason)
  }

  #relieve(): void {
    this.#unlookedBytes = 0
    const entries = [...this.#entries.values()].filter((entry) => queuedBytes(entry) > 0)
    entries.sort((one, other) => queuedBytes(other) - queuedBytes(one))
    let totalBytes = entries.reduce((sum, entry) => sum + queuedBytes(entry), 0)
    for (const entry of entries) {
      if (totalBytes <= this.#maxTotalBytes) return
      totalBytes -= queuedBytes(entry)
      this.#drop(entry, READ_TOO_LITTLE)
    }
  }

  #markDirty(entry: Entry): void {
    this.#schedule()
    this.#dirty.push(entry)
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    REAL_TIMERS.setImmediate(() => this.#roundEnds())
  }

  /** All sockets that had something to say have been read. */
  #roundEnds(): void {
    this.#deliver()
    this.#isScheduled = false
    this.#flushAll()
  }

  #flushAll(): void {
    const dirty = this.#dirty
    this.#dirty = []
    this.#dirtyBytes = 0
    for (const entry of dirty) flush(entry)
  }
}

function queuedBytes(entry: Entry): number {
  return entry.outbox.bytes + entry.socket.writableLength
}

function flush({ outbox, socket }: Entry): void {
  outbox.sendTo(socket)
}

/** Resolves when the last bytes have left, or the connection has ended. */
export function whenFlushed(socket: Socket): Promise<void> {
  if (socket.destroyed || socket.writableFinished) return Promise.resolve()
  return new Promise((resolve) => {
    socket.once('finish', resolve)
    socket.once('close', () => resolve())
  })
}

// Connections we have ended and whose peers have not: if we closed them at once, the kernel would cut
// off what is still on its way to them. They may stay a while, but each uses one of the files the
// process may open, and strangers can make any number. So of those whose output has all left, only the
// latest are kept.

/** A peer that neither reads nor leaves is dropped this long after we wanted to close. */
const LINGER_MS = 2_000
const MAX_LINGERING = 32

export class Lingering {
  /** Ended, with all bytes with the kernel; the oldest first. */
  readonly #sockets = new Set<Socket>()

  /** Sends what is left and our end, then reads and discards. */
  end(socket: Socket): void {
    if (socket.connecting || hasSaidAll(socket)) socket.destroy()
    if (socket.destroyed) return
    const giveUp = REAL_TIMERS.setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => {
      REAL_TIMERS.clearTimeout(giveUp)
      this.#sockets.delete(socket)
    })
    socket.once('finish', () => this.#keep(socket))
    socket.end()
  }

  #keep(socket: Socket): void {
    if (socket.destroyed) return
    this.#sockets.add(socket)
    for (const oldest of this.#sockets) {
      if (this.#sockets.size <= MAX_LINGERING) return
      this.#sockets.delete(oldest)
      oldest.destroy()
    }
  }
}

/**
 * Its peer has sent its end, and all of ours is with the kernel, which delivers that and our end also if we close at
 * once. TLS has words of its own for the end.
 */
function hasSaidAll(socket: Socket): boolean {
  return socket.readableEnded && socket.writableLength === 0 && !('encrypted' in socket)
}
