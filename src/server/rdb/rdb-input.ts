/**
 * The bytes of an RDB payload as they arrive, and the three things they are made of: bytes, lengths
 * and strings.
 *
 * Parsing must not wait for the whole payload: that would hold it twice and stop the node while it
 * is read. So the parser is a generator that runs until it misses bytes, says how many, and goes on
 * when they are here. Damage is said the same way, and then it is never resumed.
 */
import { signedText, uint32BigEndian } from './bytes.ts'
import { Crc64 } from './crc64.ts'
import { lzfDecompress } from './lzf.ts'

export type Demand =
  /** So many bytes more than are unread must be there before the parser can go on. */
  | { readonly kind: 'bytes'; readonly count: number }
  | { readonly kind: 'damage'; readonly text: string }

export type Parse<T> = Generator<Demand, T, void>

/** A little less than the longest string of the engine, for the chunk that completes it. */
export const MAX_STRING_BYTES = 496 * 1024 * 1024

const NO_BYTES = { kind: 'bytes', count: 1 } as const

export class RdbInput {
  #buffer = ''
  #at = 0
  /** Chunks not yet joined, because what the parser waits for is not complete. */
  #chunks: string[] = []
  #chunksBytes = 0
  /** How many unread bytes the parser needs. */
  #wantedBytes = 0
  /** Where `#buffer` begins in the payload. */
  #base = 0
  #summed = 0
  readonly #crc = new Crc64()

  /** Position in the payload of the next unread byte. */
  get offset(): number {
    return this.#base + this.#at
  }

  /** True when what was pushed suffices for the parser to go on. */
  push(bytes: string): boolean {
    this.#chunks.push(bytes)
    this.#chunksBytes += bytes.length
    if (this.#buffer.length - this.#at + this.#chunksBytes < this.#wantedBytes) return false
    this.#sumRead()
    this.#base += this.#at
    this.#buffer = this.#buffer.slice(this.#at) + this.#chunks.join('')
    this.#at = 0
    this.#summed = 0
    this.#chunks = []
    this.#chunksBytes = 0
    return true
  }

  /** What the parser has not read. */
  rest(): string {
    return this.#buffer.slice(this.#at) + this.#chunks.join('')
  }

  /** The checksum of all bytes read so far. */
  checksum(): string {
    this.#sumRead()
    return this.#crc.digest()
  }

  /** Remembers a demand, so that `push` knows when it is met. */
  want(count: number): void {
    this.#wantedBytes = count
  }

  *byte(): Parse<number> {
    while (this.#at >= this.#buffer.length) yield NO_BYTES
    return this.#buffer.charCodeAt(this.#at++)
  }

  *bytes(count: number): Parse<string> {
    while (this.#buffer.length - this.#at < count) yield { kind: 'bytes', count }
    this.#at += count
    return this.#buffer.slice(this.#at - count, this.#at)
  }

  *length(): Parse<number> {
    const first = yield* this.byte()
    if (first >= 0xc0) return yield* damage(`encoding byte ${first} where a length is expected`)
    return yield* this.#lengthAfter(first)
  }

  /** A length that may be any 64-bit number: in streams, ids and counters are written as lengths. */
  *length64(): Parse<bigint> {
    const first = yield* this.byte()
    if (first >= 0xc0) return yield* damage(`encoding byte ${first} where a length is expected`)
    if (first !== 0x81) return BigInt(yield* this.#lengthAfter(first))
    const bytes = yield* this.bytes(8)
    return (BigInt(uint32BigEndian(bytes, 0)) << 32n) | BigInt(uint32BigEndian(bytes, 4))
  }

  /** A string in any of its forms: raw, integer or compressed. */
  *string(): Parse<string> {
    const first = yield* this.byte()
    if (first < 0xc0) return yield* this.#raw(yield* this.#lengthAfter(first))
    if (first === 0xc3) return yield* this.#compressed()
    const width = INTEGER_BYTES[first - 0xc0]
    if (width === undefined) return yield* damage(`unknown string encoding ${first}`)
    return signedText(yield* this.bytes(width), 0, width)
  }

  *#lengthAfter(first: number): Parse<number> {
    if (first < 0x40) return first
    if (first < 0x80) return ((first & 0x3f) << 8) | (yield* this.byte())
    if (first === 0x80) return uint32BigEndian(yield* this.bytes(4), 0)
    if (first !== 0x81) return yield* damage(`unknown length encoding ${first}`)
    const bytes = yield* this.bytes(8)
    const value = uint32BigEndian(bytes, 0) * 2 ** 32 + uint32BigEndian(bytes, 4)
    return Number.isSafeInteger(value) ? value : yield* damage('a length beyond all bounds')
  }

  *#raw(length: number): Parse<string> {
    if (length > MAX_STRING_BYTES) return yield* damage(`a string of ${length} bytes is too long`)
    return yield* this.bytes(length)
  }

  *#compressed(): Parse<string> {
    const packedLength = yield* this.length()
    const length = yield* this.length()
    if (length > MAX_STRING_BYTES) return yield* damage(`a string of ${length} bytes is too long`)
    const text = lzfDecompress(yield* this.#raw(packedLength), length)
    return text ?? (yield* damage('compressed data do not decode'))
  }

  #sumRead(): void {
    this.#crc.update(this.#buffer.slice(this.#summed, this.#at))
    this.#summed = this.#at
  }
}

const INTEGER_BYTES = [1, 2, 4]

/** Ends the parse: whoever drives the generator does not resume it. */
export function* damage(text: string): Parse<never> {
  yield { kind: 'damage', text }
  throw new Error('broken invariant: a damaged payload is not read on')
}
