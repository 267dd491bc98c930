/**
 * The sockets of a proxy, by the ids its machine knows them under. Bytes become latin1 strings here and nowhere
 * else, and what is written during one turn leaves in one piece. Unlike those of a data node, each socket can be
 * left unread by itself: a client that does not take its answers must not make us hold them.
 */
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net'
import type { WireId } from '../../proxy/port.ts'
import { Lingering } from '../network/connections.ts'
import { reasonOf } from '../start-error.ts'

const MAX_BATCH_BYTES = 256 * 1024
/** The most that is read in one go from a server. */
const INBOX_BYTES = 64 * 1024

export interface StreamEvents {
  received(id: WireId, bytes: string): void
  closed(id: WireId, reason: string): void
  /** The other side sends nothing more; it may still read. */
  halfClosed(id: WireId): void
  drained(id: WireId): void
}

/** Node documents `onread` for connecting, but reads it where a socket is created. */
type SocketOptions = SocketConstructorOpts & { readonly onread?: OnReadOpts }

interface Stream {
  readonly id: WireId
  readonly socket: Socket
  batch: string
}

export class Streams {
  readonly #events: StreamEvents
  readonly #streams = new Map<WireId, Stream>()
  readonly #lingering = new Lingering()
  /** Shared by all plain connections to servers: what was read becomes a string before the next read. */
  readonly #inbox = Buffer.allocUnsafeSlow(INBOX_BYTES)
  #dirty: Stream[] = []

  constructor(events: StreamEvents) {
    this.#events = events
  }

  /** For a connection to be opened; without TLS it reads into a buffer of all. */
  socketFor(id: WireId, isSecure: boolean): Socket {
    if (isSecure) return new Socket()
    const callback = (length: number) => {
      this.#received(id, this.#inbox.toString('latin1', 0, length))
      return true
    }
    const options: SocketOptions = { onread: { buffer: this.#inbox, callback } }
    return new Socket(options)
  }

  /** Takes a socket over. `isReading`: what it receives comes by its `data` events. */
  add(id: WireId, socket: Socket, isReading: boolean): void {
    const stream: Stream = { id, socket, batch: '' }
    this.#streams.set(id, stream)
    socket.setNoDelay(true)
    if (isReading) socket.on('data', (chunk) => this.#received(id, chunk.toString('latin1')))
    socket.on('drain', () => this.#drained(id))
    // Only a client that has come to us may want answers behind its end.
    socket.allowHalfOpen = isReading
    socket.on('end', () => this.#ended(stream, isReading))
    socket.on('error', (error) => this.#lost(stream, reasonOf(error)))
    socket.on('close', () => this.#lost(stream, 'closed'))
  }

  has(id: WireId): boolean {
    return this.#streams.has(id)
  }

  write(id: WireId, bytes: string): void {
    const stream = this.#streams.get(id)
    if (stream === undefined) return
    if (stream.batch === '') this.#markDirty(stream)
    stream.batch += bytes
    if (stream.batch.length > MAX_BATCH_BYTES) flush(stream)
  }

  queuedBytes(id: WireId): number {
    const stream = this.#streams.get(id)
    return stream === undefined ? 0 : stream.batch.length + stream.socket.writableLength
  }

  pause(id: WireId): void {
    this.#streams.get(id)?.socket.pause()
  }

  resume(id: WireId): void {
    this.#streams.get(id)?.socket.resume()
  }

  close(id: WireId, isAtOnce = false): void {
    const stream = this.#streams.get(id)
    if (stream === undefined) return
    this.#streams.delete(id)
    if (isAtOnce) {
      stream.batch = ''
      stream.socket.destroy()
      return
    }
    flush(stream)
    this.#lingering.end(stream.socket)
  }

  /** Resolves when what was written to every socket has left, or its peer is given up. */
  async closeAll(): Promise<void> {
    const sockets = [...this.#streams.values()].map(({ socket }) => socket)
    for (const id of [...this.#streams.keys()]) this.close(id)
    await Promise.all(sockets.map(whenClosed))
  }

  #received(id: WireId, bytes: string): void {
    if (this.#streams.has(id)) this.#events.received(id, bytes)
  }

  #drained(id: WireId): void {
    if (this.#streams.has(id)) this.#events.drained(id)
  }

  #ended(stream: Stream, mayRead: boolean): void {
    if (!mayRead) return this.#lost(stream, 'closed by the other side')
    if (this.#streams.get(stream.id) === stream) this.#events.halfClosed(stream.id)
  }

  #lost(stream: Stream, reason: string): void {
    if (this.#streams.get(stream.id) !== stream) return
    this.#streams.delete(stream.id)
    flush(stream)
    this.#lingering.end(stream.socket)
    this.#events.closed(stream.id, reason)
  }

  #markDirty(stream: Stream): void {
    if (this.#dirty.length === 0) process.nextTick(() => this.#flushAll())
    this.#dirty.push(stream)
  }

  #flushAll(): void {
    const dirty = this.#dirty
    this.#dirty = []
    for (const stream of dirty) flush(stream)
  }
}

function flush(stream: Stream): void {
  const bytes = stream.batch
  if (bytes === '') return
  stream.batch = ''
  if (stream.socket.writable) stream.socket.write(bytes, 'latin1')
}

function whenClosed(socket: Socket): Promise<void> {
  if (socket.destroyed || socket.writableFinished) return Promise.resolve()
  return new Promise((resolve) => {
    socket.once('finish', resolve)
    socket.once('close', () => resolve())
  })
}
