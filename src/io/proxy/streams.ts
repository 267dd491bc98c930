/**
 * The sockets of a proxy, by the ids its machine knows them under. Bytes become latin1 strings here and nowhere
 * else, and what is written during one turn of the machine leaves in one piece at its end. Unlike those of a data
 * node, each socket can be left unread by itself: a client that does not take its answers must not make us hold them.
 */
import type { Socket } from 'node:net'
import type { WireId } from '../../proxy/port.ts'
import { Lingering } from '../network/connections.ts'
import { received, receiving } from '../network/shared-inbox.ts'
import { reasonOf } from '../start-error.ts'

const MAX_BATCH_BYTES = 256 * 1024

export interface StreamEvents {
  received(id: WireId, bytes: string): void
  closed(id: WireId, reason: string): void
  /** The other side sends nothing more; it may still read. */
  halfClosed(id: WireId): void
  drained(id: WireId): void
}

interface Stream {
  readonly id: WireId
  readonly streams: Streams
  /** A client has opened it. */
  readonly isAccepted: boolean
  socket: Socket
  batch: string
}

/** A proxy has thousands of sockets: they share their listeners, which find the stream here. */
const STREAM = Symbol('stream')
type StreamSocket = Socket & { [STREAM]?: Stream }

export class Streams {
  readonly #events: StreamEvents
  readonly #streams = new Map<WireId, Stream>()
  readonly #lingering = new Lingering()
  #dirty: Stream[] = []

  constructor(events: StreamEvents) {
    this.#events = events
  }

  /** Takes over the socket of a client. */
  accept(id: WireId, accepted: Socket): void {
    const take = (bytes: string) => this.#received(id, bytes)
    const socket = received(accepted, take, true)
    // It may want answers behind its end.
    socket.allowHalfOpen = true
    this.#add({ id, streams: this, isAccepted: true, socket, batch: '' })
  }

  /** A socket for a plain connection that is to be opened. */
  open(id: WireId): Socket {
    const socket = receiving((bytes) => this.#received(id, bytes))
    this.#add({ id, streams: this, isAccepted: false, socket, batch: '' })
    return socket
  }

  /** Takes over a connection that is being opened, and gives what it receives by its events. */
  add(id: WireId, socket: Socket): void {
    socket.on('data', (chunk) => this.#received(id, chunk.toString('latin1')))
    this.#add({ id, streams: this, isAccepted: false, socket, batch: '' })
  }

  has(id: WireId): boolean {
    return this.#streams.has(id)
  }

  write(id: WireId, bytes: string): void {
    const stream = this.#streams.get(id)
    if (stream === undefined) return
    if (stream.batch === '') this.#dirty.push(stream)
    stream.batch += bytes
    if (stream.batch.length > MAX_BATCH_BYTES) flush(stream)
  }

  /** The turn is over: what was written during it leaves. */
  flush(): void {
    const dirty = this.#dirty
    if (dirty.length === 0) return
    for (const stream of dirty) flush(stream)
    dirty.length = 0
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

  /** For the listeners below. */
  drained({ id }: Stream): void {
    if (this.#streams.has(id)) this.#events.drained(id)
  }

  /** For the listeners below. */
  ended(stream: Stream): void {
    if (!stream.isAccepted) return this.lost(stream, 'closed by the other side')
    if (this.#streams.get(stream.id) === stream) this.#events.halfClosed(stream.id)
  }

  /** For the listeners below. */
  lost(stream: Stream, reason: string): void {
    if (this.#streams.get(stream.id) !== stream) return
    this.#streams.delete(stream.id)
    flush(stream)
    this.#lingering.end(stream.socket)
    this.#events.closed(stream.id, reason)
  }

  #add(stream: Stream): void {
    this.#streams.set(stream.id, stream)
    const socket: StreamSocket = stream.socket
    socket[STREAM] = stream
    socket.setNoDelay(true)
    socket.on('drain', onDrain)
    socket.on('end', onEnd)
    socket.on('error', onError)
    socket.on('close', onClose)
  }

  #received(id: WireId, bytes: string): void {
    // After `close` the machine no longer knows the id.
    if (this.#streams.has(id)) this.#events.received(id, bytes)
  }
}

function onDrain(this: StreamSocket): void {
  const stream = this[STREAM]
  stream?.streams.drained(stream)
}

function onEnd(this: StreamSocket): void {
  const stream = this[STREAM]
  stream?.streams.ended(stream)
}

function onError(this: StreamSocket, error: Error): void {
  const stream = this[STREAM]
  stream?.streams.lost(stream, reasonOf(error))
}

function onClose(this: StreamSocket): void {
  const stream = this[STREAM]
  stream?.streams.lost(stream, 'closed')
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
