/**
 * The sockets of a proxy, by the ids its machine knows them under. Bytes become latin1 strings here and nowhere
 * else, and what is written during one turn of the machine leaves in one piece at its end. Unlike those of a data
 * node, each socket can be left unread by itself: a client that does not take its answers must not make us hold them.
 * Which client is read next says network/turns.ts; the connections to nodes wait for no turn.
 */
import type { Socket } from 'node:net'
import type { WireId } from '../../proxy/port.ts'
import { Lingering, whenFlushed } from '../network/connections.ts'
import { sendBatch } from '../network/outbox.ts'
import { received, receiving } from '../network/shared-inbox.ts'
import { READ_AT_ONCE, readOn, Turns, type TurnTaker } from '../network/turns.ts'
import { reasonOf } from '../start-error.ts'

const MAX_BATCH_BYTES = 256 * 1024

export interface StreamEvents {
  received(id: WireId, bytes: string): void
  closed(id: WireId, reason: string): void
  /** The other side sends nothing more; it may still read. */
  halfClosed(id: WireId): void
  drained(id: WireId): void
}

interface Stream extends TurnTaker {
  readonly id: WireId
  readonly streams: Streams
  /** A client has opened it. */
  readonly isAccepted: boolean
  /** Written during this turn. */
  batch: string
  isOpen: boolean
}

/** A proxy has thousands of sockets: they share their listeners, which find the stream here. */
const STREAM = Symbol('stream')
type StreamSocket = Socket & { [STREAM]?: Stream }

export class Streams {
  readonly #events: StreamEvents
  readonly #streams = new Map<WireId, Stream>()
  readonly #lingering = new Lingering()
  readonly #turns = new Turns()
  /** What has something to send; usually one, and never long, since each turn ends with `flush`. */
  readonly #dirty: (Stream | undefined)[] = []
  #dirtyCount = 0
  /** The one that was asked for last: it is often the next one, too. */
  #recent: Stream | undefined

  constructor(events: StreamEvents) {
    this.#events = events
  }

  /** Takes over the socket of a client. */
  accept(id: WireId, accepted: Socket): void {
    const take = (bytes: string) => {
      this.#turns.wasRead(stream, bytes.length)
      this.#received(stream, bytes)
    }
    const socket = received(accepted, { take }, true)
    const stream = this.#add(id, socket, true)
    this.#turns.comes()
    // It may want answers behind its end.
    socket.allowHalfOpen = true
  }

  /** A socket for a plain connection that is to be opened. */
  open(id: WireId): Socket {
    const socket = receiving((bytes) => this.#received(stream, bytes))
    const stream = this.#add(id, socket, false)
    return socket
  }

  /** Takes over a connection that is being opened, and gives what it receives by its events. */
  add(id: WireId, socket: Socket): void {
    const stream = this.#add(id, socket, false)
    socket.on('data', (chunk) => this.#received(stream, chunk.toString('latin1')))
  }

  has(id: WireId): boolean {
    return this.#streams.has(id)
  }

  write(id: WireId, bytes: string): void {
    const stream = this.#find(id)
    if (stream === undefined) return
    if (stream.batch === '') this.#dirty[this.#dirtyCount++] = stream
    stream.batch += bytes
    if (stream.batch.length > MAX_BATCH_BYTES) sendBatch(stream)
  }

  /** The turn is over: what was written during it leaves. */
  flush(): void {
    for (let at = 0; at < this.#dirtyCount; at++) {
      const stream = this.#dirty[at]
      this.#dirty[at] = undefined
      if (stream !== undefined) sendBatch(stream)
    }
    this.#dirtyCount = 0
  }

  queuedBytes(id: WireId): number {
    const stream = this.#find(id)
    return stream === undefined ? 0 : stream.batch.length + stream.socket.writableLength
  }

  pause(id: WireId): void {
    const stream = this.#streams.get(id)
    if (stream === undefined) return
    stream.isPaused = true
    stream.socket.pause()
  }

  resume(id: WireId): void {
    const stream = this.#streams.get(id)
    if (stream === undefined) return
    stream.isPaused = false
    readOn(stream)
  }

  close(id: WireId, isAtOnce = false): void {
    const stream = this.#streams.get(id)
    if (stream === undefined) return
    this.#forget(stream)
    if (isAtOnce) {
      stream.batch = ''
      stream.socket.destroy()
      return
    }
    sendBatch(stream)
    this.#lingering.end(stream.socket)
  }

  /** Resolves when what was written to every socket has left, or its peer is given up. */
  async closeAll(): Promise<void> {
    const sockets = [...this.#streams.values()].map(({ socket }) => socket)
    for (const id of [...this.#streams.keys()]) this.close(id)
    await Promise.all(sockets.map(whenFlushed))
  }

  /** For the listeners below. */
  drained({ id, isOpen }: Stream): void {
    if (isOpen) this.#events.drained(id)
  }

  /** For the listeners below. */
  ended(stream: Stream): void {
    if (!stream.isAccepted) return this.lost(stream, 'closed by the other side')
    if (stream.isOpen) this.#events.halfClosed(stream.id)
  }

  /** For the listeners below. */
  lost(stream: Stream, reason: string): void {
    if (!stream.isOpen) return
    this.#forget(stream)
    sendBatch(stream)
    this.#lingering.end(stream.socket)
    this.#events.closed(stream.id, reason)
  }

  #add(id: WireId, socket: StreamSocket, isAccepted: boolean): Stream {
    const state = { batch: '', isOpen: true, ...READ_AT_ONCE }
    const stream: Stream = { id, streams: this, isAccepted, socket, ...state }
    this.#streams.set(id, stream)
    socket[STREAM] = stream
    socket.setNoDelay(true)
    socket.on('drain', onDrain)
    socket.on('end', onEnd)
    socket.on('error', onError)
    socket.on('close', onClose)
    return stream
  }

  #received(stream: Stream, bytes: string): void {
    // After `close` the machine no longer knows the id.
    if (!stream.isOpen) return
    this.#recent = stream
    this.#events.received(stream.id, bytes)
  }

  #find(id: WireId): Stream | undefined {
    if (this.#recent?.id !== id) this.#recent = this.#streams.get(id)
    return this.#recent
  }

  #forget(stream: Stream): void {
    stream.isOpen = false
    this.#streams.delete(stream.id)
    this.#recent = undefined
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
