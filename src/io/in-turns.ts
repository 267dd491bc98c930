/**
 * Long work that does not stand in the way of the machine: it is done in turns of about a millisecond, and
 * between two of them the process does whatever is due. A Sentinel of a thousand groups has PINGs to send
 * and answers to read all the time, and a late answer looks like a slow node.
 */
import { setImmediate } from 'node:timers/promises'

/** A turn ends with the slice that goes beyond this. */
const TURN_MS = 1
/** What is copied in one slice; some 30 µs. */
const COPIED_BYTES = 128 * 1024

/** Calls `slice`, which does a small part of the work, until it returns false: nothing is left. */
export async function workInTurns(slice: () => boolean): Promise<void> {
  do await setImmediate()
  while (turn(slice))
}

function turn(slice: () => boolean): boolean {
  const beganMs = performance.now()
  while (slice()) if (performance.now() - beganMs >= TURN_MS) return true
  return false
}

/** A document under way: a slice returns false once nothing is left to do. */
export interface SlicedDocument {
  slice(): boolean
  /** Byte strings. */
  pieces(): readonly string[]
}

/** At most a fifth of the time goes into a document, however often it is asked for. */
const REST = 4

/**
 * A client that asks while a document is made gets the same one, and one that took long is sent again for a
 * while: many readers cost little more than one.
 */
export class DocumentInTurns {
  readonly #begin: () => SlicedDocument | Promise<SlicedDocument>
  #latest: Promise<Uint8Array> | undefined
  /** Until when the latest document is good; undefined while it is made. */
  #goodUntilMs: number | undefined

  constructor(begin: () => SlicedDocument | Promise<SlicedDocument>) {
    this.#begin = begin
  }

  /** The whole document. */
  document(): Promise<Uint8Array> {
    const isOld = this.#goodUntilMs !== undefined && performance.now() >= this.#goodUntilMs
    if (this.#latest === undefined || isOld) {
      this.#goodUntilMs = undefined
      this.#latest = this.#make()
    }
    return this.#latest
  }

  async #make(): Promise<Uint8Array> {
    const beganMs = performance.now()
    try {
      const made = await this.#begin()
      await workInTurns(() => made.slice())
      return await joinedInTurns(made.pieces())
    } finally {
      const endedMs = performance.now()
      this.#goodUntilMs = endedMs + REST * (endedMs - beganMs)
    }
  }
}

/** Megabytes take milliseconds to copy, most of it for memory that the kernel has to hand out first. */
async function joinedInTurns(pieces: readonly string[]): Promise<Uint8Array> {
  const whole = Buffer.allocUnsafeSlow(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  let next = 0
  await workInTurns(() => {
    const enough = at + COPIED_BYTES
    for (; at < enough && next < pieces.length; next++) {
      at += whole.write(pieces[next] ?? '', at, 'latin1')
    }
    return next < pieces.length
  })
  return whole
}
