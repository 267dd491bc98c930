/**
 * Who is read next, of the clients that came to us. The kernel's buffers hold megabytes, and Node would hand over those
 * of one socket in one go: a client that has sent much waits until the others have been heard. While many clients come,
 * whoever has been read stands in line (rush.ts).
 */
import type { Socket } from 'node:net'
import { REAL_TIMERS } from '../process/timers.ts'
import { Rush } from './rush.ts'

/**
 * A client that sends this much in one round of the event loop has more to send: a full record of TLS, a quarter of what
 * Node reads at most. Records may be shorter, and Node hands over each by itself, up to two megabytes in a round.
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
  /** How much was read of it since its last turn, in the round in which it was read last. */
  readBytes: number
  readInRound: number
}

export const READ_AT_ONCE: Omit<TurnTaker, 'socket'> = {
  readBytes: 0,
  readInRound: 0,
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
  #round = 0
  #isReading = false
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
    if (reader.readInRound !== this.#round) reader.readBytes = 0
    reader.readInRound = this.#round
    reader.readBytes += bytes
    if (!this.#isReading) this.#beginRound()
    if (reader.readBytes >= BULK_BYTES) this.#waitForItsTurn(reader)
    else if (!reader.isInLine && this.#rush.standsInLine(reader)) {
      reader.isInLine = true
      reader.socket.pause()
    }
  }

  /** It ends when all sockets have been read that have something to say. */
  #beginRound(): void {
    this.#isReading = true
    REAL_TIMERS.setImmediate(() => {
      this.#isReading = false
      this.#round++
    })
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
      reader.readBytes = 0
      readOn(reader)
    }
    if (this.#waiting.length > 0) REAL_TIMERS.setImmediate(() => this.#next())
  }
}
