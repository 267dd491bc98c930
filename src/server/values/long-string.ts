/**
 * A long string that is changed in places. The engine's strings cannot be changed: setting a bit makes a new
 * one, and the next read of that lays out all of it again. So the first such change copies the bytes into an
 * array, where they are changed in place, and they become text again when the whole string is read.
 *
 * Only commands that change or read a part know about this. All others see an ordinary string.
 */
import type { ByteCodec } from '../../base/byte-codec.ts'
import { textBytes } from './engine-sizes.ts'
import type { StringValue } from './value.ts'

/** A shorter string is made anew at each change: that takes some microseconds. */
export const LONG_BYTES = 64 * 1024

/** An array of bytes and what it points at, besides the bytes. */
const ARRAY_OWN_BYTES = 200

export class LongString implements StringValue {
  readonly type = 'string'
  readonly #codec: ByteCodec
  /** Undefined if the text is up to date, and the only copy. */
  #array: Uint8Array | undefined
  #length = 0
  #text: string

  constructor(codec: ByteCodec, content: string | Uint8Array) {
    this.#codec = codec
    this.#text = typeof content === 'string' ? content : ''
    if (typeof content === 'string') return
    this.#array = content
    this.#length = content.length
  }

  get bytes(): string {
    if (this.#array !== undefined) this.bytes = this.#codec.text(this.array)
    return this.#text
  }

  set bytes(text: string) {
    this.#text = text
    this.#array = undefined
  }

  get length(): number {
    return this.#array === undefined ? this.#text.length : this.#length
  }

  /** What the string takes in memory beyond its own object. */
  get heldBytes(): number {
    const array = this.#array === undefined ? 0 : ARRAY_OWN_BYTES + this.#array.length
    return array + textBytes(this.#text.length)
  }

  /** The array if there is one, else the text. Read it at once. */
  get view(): Uint8Array | string {
    return this.#array === undefined ? this.#text : this.array
  }

  /** To be changed, and read, at once: it is valid until the string is used in any other way. */
  get array(): Uint8Array {
    return this.grown(this.length)
  }

  /** The same with at least `length` bytes; new bytes are zero. */
  grown(length: number): Uint8Array {
    const old = this.#array
    const needed = Math.max(length, this.length)
    if (old === undefined || old.length < needed) {
      // Room for later changes: otherwise a string that grows little by little would be copied each
      // time.
      const spare = old === undefined ? 0 : needed >> 1
      this.#array = new Uint8Array(needed + spare)
      if (old === undefined) this.#codec.copy(this.#text, this.#array)
      else this.#array.set(old.subarray(0, this.#length))
      this.#text = ''
    }
    this.#length = needed
    return (this.#array as Uint8Array).subarray(0, needed)
  }

  /** Writes these bytes at a position, which may be beyond the end. */
  write(at: number, part: string): void {
    const array = this.grown(at + part.length)
    this.#codec.copy(part, array.subarray(at, at + part.length))
  }
}

/** The bytes of a string, for reading parts of them. */
export function viewOf(value: StringValue): Uint8Array | string {
  return value instanceof LongString ? value.view : value.bytes
}

/** The length of a string, without laying it out. */
export function lengthOf(value: StringValue): number {
  return value instanceof LongString ? value.length : value.bytes.length
}

export function byteAt(bytes: Uint8Array | string, at: number): number {
  if (at >= bytes.length) return 0
  return typeof bytes === 'string' ? bytes.charCodeAt(at) : (bytes[at] as number)
}
