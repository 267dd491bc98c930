/**
 * Who is read next, of the clients that came to us. The kernel's buffers hold megabytes, and Node would hand over those
 * of one socket in one go: a client that has sent much waits until the others have been heard. While many clients come,
 * whoever has been read stands in line (rush.ts).
 */
import type { Socket } from 'node:net'
import { REAL_TIMERS } from '../process/timers.ts'
import { Rush } from './rush.ts'

/**
 * A client that sends this much at once has more to send: a full record of TLS, a quarter of what Node reads
 * at most.
 */
const BULK_BYTES = 16 * 1024
/** How many of those we read each time the others have been heard. */
const BULK_READERS = 2

/** We do not read from it as long as one of these holds: */
export interface Unread {
  /** it has to read its answers first, */
  isHeld: boolean
  /** the machine has no time for more input, */
  isPaused: boolean
  /** it has sent much, and others come first, */
  isWaiting: boolean
  /** or it stands in line, because new clients come. */
  isInLine: boolean
}

export interface TurnTaker extends Unread {
  readonly socket: Socket
}

export const READ_AT_ONCE: Unread = {
  isHeld: false,
  isPaused: false,
  isWaiting: false,
  isInLine: false,
}

/** Reads from it again, if no reason against it is left. */
export function readOn({ socket, isHeld, isPaused, isWaiting, isInLine }: TurnTaker): void {
  if (!isHeld && !isPaused && !isWaiting && !isInLine) socket.resume()
}

export class Turns {
  /** Have sent much; the longest wait comes first. */
  readonly #waiting: TurnTaker[] = []
  readonly #rush = new Rush<TurnTaker>((reader) => {
    reader.isInLine = false
    readOn(reader)
  })

  /** A client has connected. */
  comes(): void {
    this.#rush.comes()
  }

  /** So many bytes of it have been read. */
  wasRead(reader: TurnTaker, bytes: number): void {
    if (bytes >= BULK_BYTES) this.#waitForItsTurn(reader)
    else if (!reader.isInLine && this.#rush.standsInLine(reader)) {
      reader.isInLine = true
      reader.socket.pause()
    }
  }

  #waitForItsTurn(reader: TurnTaker): void {
    if (reader.isWaiting) return
    reader.isWaiting = true
    reader.socket.pause()
    if (this.#waiting.length === 0) REAL_TIMERS.setImmediate(() => this.#next())
    this.#waiting.push(reader)
  }

  #next(): void {
    for (const reader of this.#waiting.splice(0, BULK_READERS)) {
      reader.isWaiting = false
      readOn(reader)
    }
    if (this.#waiting.length > 0) REAL_TIMERS.setImmediate(() => this.#next())
  }
}
