/**
 * When the bytes of the stream were written. A replica acknowledges an offset; these marks turn it
 * into a moment: everything written before that moment has arrived at the replica. The number of
 * marks is bounded by the span that callers ask about, so a moment may be given a few hundredths of
 * that span too early, and anything before the first mark is simply too old.
 */

/** Bytes behind this offset were written at this moment or later. */
interface Mark {
  readonly offset: number
  /** Monotonic. */
  readonly atMs: number
}

const MAX_MARKS = 64
export const TOO_OLD = Number.NEGATIVE_INFINITY

export class StreamTimes {
  /** Offsets and moments increase. */
  #marks: Mark[] = []

  /** Bytes are being written behind `offset`. `spanMs`: no caller asks about anything older. */
  note(offset: number, nowMs: number, spanMs: number): void {
    const last = this.#marks.at(-1)
    if (last !== undefined && last.offset > offset) this.#marks = []
    else if (last !== undefined && nowMs - last.atMs < spanMs / (MAX_MARKS - 1)) return
    if (this.#marks.length === MAX_MARKS) this.#marks.shift()
    this.#marks.push({ offset, atMs: nowMs })
  }

  /** When the first byte behind `offset`, which must exist, was written. Monotonic. */
  writtenAt(offset: number): number {
    for (let at = this.#marks.length - 1; at >= 0; at--) {
      const mark = this.#marks[at] as Mark
      if (mark.offset <= offset) return mark.atMs
    }
    return TOO_OLD
  }
}
