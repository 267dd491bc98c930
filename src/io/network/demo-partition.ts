/**
 * The gate cuts a data node off from the rest of its cluster without touching the network: bytes from
 * and to members are held, not lost, exactly as TCP would hold and resend them; ordinary clients are
 * not affected. It exists for the demonstration cluster, whose members all run on one machine: it
 * recognises them by the loopback address they connect from.
 *
 * While the gate is cut, the kernel still completes the handshake of a new connection, but gets no
 * answer on it.
 */
import type { Socket } from 'node:net'

export class Gate {
  readonly #isMember: (host: string) => boolean
  /** Live sockets to and from members. */
  readonly #members = new Set<Socket>()
  /** What to do as soon as the gate opens: announce, open or close connections. */
  #waiting: (() => void)[] = []
  #isCut = false

  /** `isMember` recognises a member of the cluster by the address it connects from. */
  constructor(isMember: (host: string) => boolean) {
    this.#isMember = isMember
  }

  /** Holds everything from and to members until `heal`. */
  cut(): void {
    if (this.#isCut) return
    this.#isCut = true
    for (const socket of this.#members) hold(socket)
  }

  heal(): void {
    if (!this.#isCut) return
    this.#isCut = false
    for (const socket of this.#members) release(socket)
    const waiting = this.#waiting
    this.#waiting = []
    for (const proceed of waiting) proceed()
  }

  /** Admits an accepted connection: at once, or when the gate opens if it is from a member. */
  admit(socket: Socket, proceed: () => void): void {
    const isMember = this.#isMember(socket.remoteAddress ?? '')
    if (isMember) this.#track(socket)
    if (isMember && this.#isCut) {
      hold(socket)
      this.#waiting.push(proceed)
    } else {
      proceed()
    }
  }

  /**
   * Opens a connection to a member: at once, or when the gate opens. `proceed` returns undefined if it
   * is no longer wanted.
   */
  depart(proceed: () => Socket | undefined): void {
    const open = () => {
      const socket = proceed()
      if (socket !== undefined) this.#track(socket)
    }
    if (this.#isCut) this.#waiting.push(open)
    else open()
  }

  /** Closes a connection. The end of a held one would get through the cut, so it waits. */
  close(socket: Socket, proceed: () => void): void {
    if (this.#isCut && this.#members.has(socket)) this.#waiting.push(proceed)
    else proceed()
  }

  #track(socket: Socket): void {
    this.#members.add(socket)
    socket.once('close', () => this.#members.delete(socket))
  }
}

function hold(socket: Socket): void {
  socket.cork()
  socket.pause()
}

function release(socket: Socket): void {
  socket.uncork()
  socket.resume()
}
