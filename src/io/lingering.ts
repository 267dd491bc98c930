/**
 * Connections we have ended and whose peers have not: closed at once, the kernel would cut off what is
 * still on its way to them. They may stay a while, but each holds one of the files the process may open,
 * and strangers can make any number. So of those to whom everything has gone only the latest are kept.
 */
import type { Socket } from 'node:net'

/** A peer that neither reads nor leaves is dropped this long after we wanted to close. */
const LINGER_MS = 2_000
const MAX_LINGERING = 32

export class Lingering {
  /** Ended, all bytes with the kernel; the oldest first. */
  readonly #sockets = new Set<Socket>()

  /** Sends what is left and our end, then reads on without listening. */
  end(socket: Socket): void {
    if (socket.connecting) socket.destroy()
    if (socket.destroyed) return
    const giveUp = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => {
      clearTimeout(giveUp)
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
