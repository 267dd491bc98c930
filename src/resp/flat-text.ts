/**
 * Adds short texts up to a flat one. A sum of them by `+` is a tree of as many nodes, ten times as large as its
 * bytes, which the collector of garbage copies while answers wait for their sockets.
 */

/** Of Node's Buffer, what makes text of bytes. It does no I/O, and nothing in ES2023 is half as fast. */
declare const Buffer: { allocUnsafeSlow(size: number): Room }

interface Room extends Uint8Array {
  toString(encoding?: 'latin1', start?: number, end?: number): string
  write(text: string, offset: number, encoding: 'latin1'): number
}

const [CR, LF, DOLLAR, ZERO] = [13, 10, 36, 48] as const
/** What stands around a bulk string takes no more. */
const FRAME_BYTES = 32
/** Shorter texts are copied faster character by character than by a call of the runtime. */
const SHORT_BYTES = 64
const FIRST_BYTES = 16 * 1024
/** No more is kept for the next one: a script may return one text of half a gigabyte among others. */
const MAX_KEPT_BYTES = 1024 * 1024

/** Characters are bytes. */
export class FlatText {
  #room = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Forgets what is left, of a reply that could not be written. */
  begin(text: string): void {
    this.#length = 0
    if (this.#room.length > MAX_KEPT_BYTES) this.#room = Buffer.allocUnsafeSlow(FIRST_BYTES)
    this.add(text)
  }

  add(text: string): void {
    this.#reserve(text.length)
    this.#put(text)
  }

  addBulk(text: string): void {
    this.#reserve(text.length + FRAME_BYTES)
    this.#room[this.#length++] = DOLLAR
    this.#putNumber(text.length)
    this.#putLineEnd()
    this.#put(text)
    this.#putLineEnd()
  }

  /** All that was added since `begin`. */
  get text(): string {
    return this.#room.toString('latin1', 0, this.#length)
  }

  #put(text: string): void {
    const from = this.#length
    this.#length += text.length
    if (text.length > SHORT_BYTES) this.#room.write(text, from, 'latin1')
    else for (let at = 0; at < text.length; at++) this.#room[from + at] = text.charCodeAt(at)
  }

  #putNumber(value: number): void {
    const rest = Math.floor(value / 10)
    if (rest > 0) this.#putNumber(rest)
    this.#room[this.#length++] = ZERO + value - 10 * rest
  }

  #putLineEnd(): void {
    this.#room[this.#length++] = CR
    this.#room[this.#length++] = LF
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#room.length) return
    const larger = Buffer.allocUnsafeSlow(2 * (this.#length + bytes))
    larger.set(this.#room.subarray(0, this.#length))
    this.#room = larger
  }
}
