/**
 * One end of a TCP-like connection, and the kernel of its process: it takes what arrives while the process is stopped,
 * and hands it over when the process runs again.
 */
import { assert } from '../../base/assert.ts'
import type { Pipe } from './pipe.ts'

/** How much the sender's and the receiver's kernels take before a writer has a queue of its own. */
const KERNEL_BUFFER_BYTES = 256 * 1024

/** The most a process reads from one socket in one turn: what libuv offers the kernel. */
const READ_MAX_BYTES = 64 * 1024

/** The end of one half: the other one stays open. */
const SENDS_NO_MORE = 'it sends no more'

/** Where a process gets an input: on a socket, on a listening port, or (undefined) separately. */
export type InputSource = Socket | number | undefined

/** The process behind a socket. Its kernel goes on working while the process is stopped. */
export interface SocketOwner {
  /**
   * Runs `input` at once, or once the process runs again, after earlier input of the same source.
   */
  deliver(input: () => void, source?: InputSource): void
  /** From now on the kernel holds this socket for the process, accepted or not. */
  socketOpened(socket: Socket): void
  socketEnded(socket: Socket): void
}

export interface SocketHandler {
  /** An outgoing connection is established. */
  connected(): void
  received(bytes: string): void
  /** The other side has closed its half, and reads on. Without this the connection counts as closed. */
  halfClosed?(): void
  /** The other side or the network ended the connection. Not called after our own `close`. */
  closed(reason: string): void
}

export interface SocketEnds {
  readonly localHost: string
  readonly localPort: number
  readonly remoteHost: string
  readonly remotePort: number
}

export class Socket {
  readonly ends: SocketEnds
  /**
   * Whether a real connection stands behind this end, and ends by itself when the process is
   * killed.
   */
  isCarried = false
  readonly #owner: SocketOwner
  #handler: SocketHandler | undefined
  #outgoing: Pipe | undefined
  #incoming: Pipe | undefined
  #isOpen = true
  #isEstablished = false
  /** Bytes that have arrived and that the process has not read yet. */
  #unread = ''
  #isReading = false
  readonly #readAll = (): void => this.#read()

  constructor(ends: SocketEnds, owner: SocketOwner, handler: SocketHandler | undefined) {
    this.ends = ends
    this.#owner = owner
    this.#handler = handler
    owner.socketOpened(this)
  }

  /** False as soon as either side has ended the connection, as far as this kernel knows. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Whether the other side has answered; our own `connected` may still wait for the process. */
  get isEstablished(): boolean {
    return this.#isEstablished
  }

  /** Whether the process knows of this connection, and takes what arrives. */
  get isReading(): boolean {
    return this.#isReading
  }

  write(bytes: string): void {
    if (this.#isOpen) this.#outgoing?.send(bytes)
  }

  /**
   * Bytes that the kernels have not taken: what exceeds their buffers and is still unread by the
   * other process.
   */
  get queuedBytes(): number {
    return Math.max(0, (this.#outgoing?.unreadBytes ?? 0) - KERNEL_BUFFER_BYTES)
  }

  /** What was written still goes out, and nothing after it; what arrives is still read. */
  closeSending(): void {
    if (this.#isOpen) this.#outgoing?.end(SENDS_NO_MORE)
  }

  /** What was written still goes out; nothing is reported about this connection any more. */
  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#owner.socketEnded(this)
    this.#outgoing?.end('closed by the other side')
  }

  /** The host of this end disappears at once, silently. `isHome`: whether it keeps its address. */
  vanish(isHome: () => boolean): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#owner.socketEnded(this)
    if (this.#outgoing === undefined || this.#incoming === undefined) return
    this.#outgoing.loseSender()
    this.#incoming.loseReceiver(this.#outgoing, isHome)
  }

  /** The connection is reset on the way: this end hears it once that has travelled here. */
  reset(): void {
    this.#incoming?.abort('connection reset')
  }

  /** For the network: both directions exist, and what is written from now on arrives in order. */
  join(outgoing: Pipe, incoming: Pipe): void {
    this.#outgoing = outgoing
    this.#incoming = incoming
  }

  /** For the network: the accepting process says what handles this connection. */
  handOver(accept: (socket: Socket) => SocketHandler): void {
    this.#owner.deliver(() => {
      this.#isReading = true
      this.#handler = accept(this)
    }, this.ends.localPort)
  }

  startArrived(): void {
    this.#isEstablished = true
    // The process reads nothing before it knows this, so it does not count as input of the socket.
    this.#owner.deliver(() => {
      this.#isReading = true
      if (this.#isOpen) this.#handlerNow().connected()
    })
  }

  /** If the process has not read earlier bytes, it reads these together with them. */
  bytesArrived(bytes: string): void {
    const isWaiting = this.#unread !== ''
    this.#unread += bytes
    if (!isWaiting) this.#owner.deliver(this.#readAll, this)
  }

  #read(): void {
    const bytes = this.#unread
    this.#unread = ''
    if (this.#incoming !== undefined) this.#incoming.unreadBytes -= bytes.length
    let at = 0
    for (; bytes.length - at > READ_MAX_BYTES && this.#isOpen; at += READ_MAX_BYTES) {
      this.#handlerNow().received(bytes.slice(at, at + READ_MAX_BYTES))
    }
    if (this.#isOpen) this.#handlerNow().received(at === 0 ? bytes : bytes.slice(at))
  }

  endArrived(reason: string): void {
    this.#owner.deliver(() => {
      if (!this.#isOpen) return
      const handler = this.#handlerNow()
      if (reason === SENDS_NO_MORE && handler.halfClosed !== undefined) return handler.halfClosed()
      this.close()
      handler.closed(reason === SENDS_NO_MORE ? 'closed by the other side' : reason)
    }, this)
  }

  #handlerNow(): SocketHandler {
    assert(this.#handler !== undefined, 'a connection is handed over before anything arrives on it')
    return this.#handler
  }
}
