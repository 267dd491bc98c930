/**
 * The live connections of a program, by the ids its machine knows them under. Bytes become latin1
 * strings here and nowhere else. What a machine writes during one turn leaves in one piece: a client
 * that pipelines a hundred commands gets one packet, not a hundred.
 *
 * Whatever happens to a socket is told once, as `closed`; nothing a peer does can throw.
 */
import type { Socket } from 'node:net'
import type { Gate } from './gate.ts'
import { Lingering } from './lingering.ts'
import { reasonOf } from './start-error.ts'

/** Beyond this the output goes to the socket at once: one string cannot grow without bound. */
const MAX_BATCH_BYTES = 256 * 1024

export interface ConnectionEvents {
  received(id: number, bytes: string): void
  /** The other side or the network closed it. Not called after `close`. */
  closed(id: number, reason: string): void
}

export interface ConnectionOptions {
  readonly gate?: Gate | undefined
  /** A peer that lets more output pile up is dropped; undefined: the machine sees to that itself. */
  readonly maxQueuedBytes?: number
}

interface Entry {
  readonly id: number
  readonly socket: Socket
  /** Written during this turn and not yet handed to the socket. */
  batch: string
}

export class Connections {
  readonly #events: ConnectionEvents
  readonly #gate: Gate | undefined
  readonly #maxQueuedBytes: number
  readonly #lingering = new Lingering()
  readonly #entries = new Map<number, Entry>()
  #dirty: Entry[] = []

  constructor(events: ConnectionEvents, options: ConnectionOptions = {}) {
    this.#events = events
    this.#gate = options.gate
    this.#maxQueuedBytes = options.maxQueuedBytes ?? Number.POSITIVE_INFINITY
  }

  /** Takes over a socket, connected or connecting. */
  add(id: number, socket: Socket): void {
    const entry: Entry = { id, socket, batch: '' }
    this.#entries.set(id, entry)
    socket.setNoDelay(true)
    socket.on('data', (chunk) => this.#received(entry, chunk.toString('latin1')))
    socket.on('end', () => this.#lost(entry, 'closed by the other side'))
    socket.on('error', (error) => this.#lost(entry, reasonOf(error)))
    socket.on('close', () => this.#lost(entry, 'closed'))
  }

  has(id: number): boolean {
    return this.#entries.has(id)
  }

  /** Appends bytes to the output; ignored when the connection is gone. */
  write(id: number, bytes: string): void {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    if (entry.batch === '') this.#markDirty(entry)
    entry.batch += bytes
    if (entry.batch.length > MAX_BATCH_BYTES) flush(entry)
    if (this.queuedBytes(id) > this.#maxQueuedBytes) {
      entry.socket.destroy()
      this.#lost(entry, 'it does not read what it is sent')
    }
  }

  /** Bytes written and not yet taken by the kernel. */
  queuedBytes(id: number): number {
    const entry = this.#entries.get(id)
    return entry === undefined ? 0 : entry.batch.length + entry.socket.writableLength
  }

  /** Closes once everything written has left; a peer that does not read is dropped after a while. */
  close(id: number): void {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    this.#entries.delete(id)
    flush(entry)
    const finish = () => this.#lingering.end(entry.socket)
    if (this.#gate === undefined) finish()
    else this.#gate.close(entry.socket, finish)
  }

  /** Closes all, and resolves when the last byte of each has left or its peer has been given up on. */
  async closeAll(): Promise<void> {
    const sockets = [...this.#entries.values()].map((entry) => entry.socket)
    const flushed = sockets.map(whenFlushed)
    for (const id of [...this.#entries.keys()]) this.close(id)
    await Promise.all(flushed)
  }

  /** Drops all at once: what is not with the kernel yet is lost, and nothing is told any more. */
  abandon(): void {
    const sockets = [...this.#entries.values()].map((entry) => entry.socket)
    this.#entries.clear()
    for (const socket of sockets) socket.destroy()
  }

  #received(entry: Entry, bytes: string): void {
    // After `close` the machine does not know the id any more.
    if (this.#entries.has(entry.id)) this.#events.received(entry.id, bytes)
  }

  #lost(entry: Entry, reason: string): void {
    if (this.#entries.get(entry.id) !== entry) return
    this.#entries.delete(entry.id)
    flush(entry)
    this.#lingering.end(entry.socket)
    this.#events.closed(entry.id, reason)
  }

  #markDirty(entry: Entry): void {
    if (this.#dirty.length === 0) process.nextTick(() => this.#flushAll())
    this.#dirty.push(entry)
  }

  #flushAll(): void {
    const dirty = this.#dirty
    this.#dirty = []
    for (const entry of dirty) flush(entry)
  }
}

function flush(entry: Entry): void {
  const bytes = entry.batch
  if (bytes === '') return
  entry.batch = ''
  if (entry.socket.writable) entry.socket.write(bytes, 'latin1')
}

function whenFlushed(socket: Socket): Promise<void> {
  if (socket.destroyed || socket.writableFinished) return Promise.resolve()
  return new Promise((resolve) => {
    socket.once('finish', resolve)
    socket.once('close', () => resolve())
  })
}
