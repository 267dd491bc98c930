import { assert } from '../base/assert.ts'
import type { Pipe } from './pipe.ts'

/** What the sender's and the receiver's kernel take before a writer sees a queue of its own. */
const KERNEL_BUFFER_BYTES = 256 * 1024

/** The process behind a socket. Its kernel goes on working while the process is stopped. */
export interface SocketOwner {
  /** Runs `input` at once, or in the order of arrival once the process runs again. */
  deliver(input: () => void): void
  /** The kernel holds this socket for the process from now on, accepted or not. */
  socketOpened(socket: Socket): void
  socketEnded(socket: Socket): void
}

export interface SocketHandler {
  /** An outgoing connection is established. */
  connected(): void
  received(bytes: string): void
  /** The other side or the network ended it. Not called after our own `close`. */
  closed(reason: string): void
}

export interface SocketEnds {
  readonly localHost: string
  readonly localPort: number
  readonly remoteHost: string
  readonly remotePort: number
}

/** One end of a TCP-like connection. */
export class Socket {
  readonly ends: SocketEnds
  /** A real connection stands behind this end, and ends by itself when the process is killed. */
  isCarried = false
  readonly #owner: SocketOwner
  #handler: SocketHandler | undefined
  #outgoing: Pipe | undefined
  #incoming: Pipe | undefined
  #isOpen = true
  #isEstablished = false

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

  /** The other side has answered; its own `connected` may still wait for the process. */
  get isEstablished(): boolean {
    return this.#isEstablished
  }

  write(bytes: string): void {
    if (this.#isOpen) this.#outgoing?.send(bytes)
  }

  /** Bytes the kernels have not taken: what is beyond their buffers and still unread over there. */
  get queuedBytes(): number {
    return Math.max(0, (this.#outgoing?.unreadBytes ?? 0) - KERNEL_BUFFER_BYTES)
  }

  /** What was written still goes out; nothing is heard of this connection any more. */
  close(reason = 'closed by the other side'): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#owner.socketEnded(this)
    this.#outgoing?.end(reason)
  }

  /** The host of this end is gone at once: nobody is told. `isHome`: it has, or keeps, its address. */
  vanish(isHome: () => boolean): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#owner.socketEnded(this)
    if (this.#outgoing === undefined || this.#incoming === undefined) return
    this.#outgoing.loseSender()
    this.#incoming.loseReceiver(this.#outgoing, isHome)
  }

  /** The connection is reset on the way: this end hears it when the way's time has passed. */
  reset(): void {
    this.#incoming?.abort('connection reset')
  }

  /** For the network: both directions exist, and what is written from now on arrives in order. */
  join(outgoing: Pipe, incoming: Pipe): void {
    this.#outgoing = outgoing
    this.#incoming = incoming
  }

  /** For the network: the accepting process says who handles this connection. */
  handOver(accept: (socket: Socket) => SocketHandler): void {
    this.#owner.deliver(() => {
      this.#handler = accept(this)
    })
  }

  startArrived(): void {
    this.#isEstablished = true
    this.#owner.deliver(() => {
      if (this.#isOpen) this.#handlerNow().connected()
    })
  }

  bytesArrived(bytes: string): void {
    this.#owner.deliver(() => {
      if (this.#incoming !== undefined) this.#incoming.unreadBytes -= bytes.length
      if (this.#isOpen) this.#handlerNow().received(bytes)
    })
  }

  endArrived(reason: string): void {
    this.#owner.deliver(() => {
      if (!this.#isOpen) return
      this.close()
      this.#handlerNow().closed(reason)
    })
  }

  #handlerNow(): SocketHandler {
    assert(this.#handler !== undefined, 'a connection is handed over before anything arrives on it')
    return this.#handler
  }
}
