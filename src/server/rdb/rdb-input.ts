/**
 * The bytes of an RDB payload as they arrive, and the things they are made of: bytes, lengths and strings.
 *
 * Parsing must not wait for the whole payload: that would hold it twice and stop the node while it is read.
 * So the parser is a generator that runs until it lacks bytes, says how many, and continues when they have
 * arrived. It reports damage in the same way, and then it is never resumed.
 *
 * A generator per string is expensive, so each item can also be taken at once, if it has arrived: `take…`
 * returns undefined, and takes nothing, when it has not, and the generator of the same name waits:
 *
 *     const key = input.takeString() ?? (yield* input.string())
 *
 * What consists of several items is taken in the same way: `mark` before, `back` if one of them is missing.
 *
 * A string longer than a piece is not waited for: it is put together from what arrives, in bounded steps.
 */
import type { KeyHash } from '../key-table/key-hash.ts'
import { ownSlice, signedText, uint32BigEndian } from './bytes.ts'
import { Crc64 } from './crc64.ts'
import { canExpand, LzfDecoder, lzfDecompress } from './lzf.ts'

export type ParseDemand =
  /** This many bytes beyond the unread ones must arrive before the parser can continue. */
  | { readonly kind: 'bytes'; readonly count: number }
  | { readonly kind: 'damage'; readonly text: string; readonly cause?: UnreadableCause }

/** Damage, or a payload that is sound and that this node cannot take. */
export type UnreadableCause = 'damaged' | 'foreign' | 'newer' | 'database' | 'unsupported'

export type Parse<T> = Generator<ParseDemand, T, void>

/** A little less than the engine's longest string, to leave room for the chunk that completes it. */
const MAX_STRING_BYTES = 496 * 1024 * 1024

/** Longer strings are joined from pieces of at least this size. */
const PIECE_BYTES = 64 * 1024

const ONE_BYTE: ParseDemand = { kind: 'bytes', count: 1 }

export class RdbInput {
  /** For the tables of large collections (values/large.ts); undefined: none gets one while it is read. */
  readonly hash: KeyHash | undefined
  /** Always one flat string: reading single bytes of it is cheap. */
  #buffer = ''
  #at = 0
  /** Chunks not yet joined, because what the parser waits for is not complete. */
  #chunks: string[] = []
  #chunksBytes = 0
  /** How many unread bytes the parser needs. */
  #wantedBytes = 0
  /** Where `#buffer` begins in the payload. */
  #base = 0
  /** How much of `#buffer` the checksum covers. */
  #summed = 0
  readonly #crc = new Crc64()
  /** Why the last `take…` took nothing. */
  #demand: ParseDemand = ONE_BYTE
  /** Where the length read last ends. */
  #lengthEnd = 0

  constructor(hash?: KeyHash) {
    this.hash = hash
  }

  /** Position in the payload of the next unread byte. */
  get offset(): number {
    return this.#base + this.#at
  }

  /** True if the parser can continue with what has been pushed. */
  push(bytes: string): boolean {
    this.#chunks.push(bytes)
    this.#chunksBytes += bytes.length
    if (this.unreadBytes + this.#chunksBytes < this.#wantedBytes) return false
    this.#sumRead()
    this.#base += this.#at
    this.#buffer = this.rest()
    this.#at = 0
    this.#summed = 0
    this.#chunks = []
    this.#chunksBytes = 0
    return true
  }

  /** The position, to go `back` to when a part of something is missing. Valid until the next `push`. */
  get mark(): number {
    return this.#at
  }

  /** What was read since then is unread again. */
  back(mark: number): void {
    this.#at = mark
  }

  /** What the parser has not read. */
  rest(): string {
    if (this.unreadBytes === 0 && this.#chunks.length === 1) return this.#chunks[0] as string
    return [this.#buffer.slice(this.#at), ...this.#chunks].join('')
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

  takeByte(): number | undefined {
    if (this.#at === this.#buffer.length) return this.#missing(1)
    return this.#buffer.charCodeAt(this.#at++)
  }

  takeBytes(count: number): string | undefined {
    return this.#takeRaw(this.#at, count)
  }

  takeLength(): number | undefined {
    const length = this.#lengthAt(this.#at)
    if (length !== undefined) this.#at = this.#lengthEnd
    return length
  }

  /** A string in any of its forms: raw, integer or compressed. */
  takeString(): string | undefined {
    const first = this.#buffer.charCodeAt(this.#at)
    if (first < 0x40) return this.#takeRaw(this.#at + 1, first)
    if (first >= 0xc0) return this.#takeSpecial(first)
    const length = this.#lengthAt(this.#at)
    if (length === undefined) return undefined
    if (length > MAX_STRING_BYTES) return this.#tooLong(length)
    return this.#takeRaw(this.#lengthEnd, length)
  }

  *byte(): Parse<number> {
    for (;;) {
      const byte = this.takeByte()
      if (byte !== undefined) return byte
      yield this.#demand
    }
  }

  *bytes(count: number): Parse<string> {
    for (;;) {
      const bytes = this.takeBytes(count)
      if (bytes !== undefined) return bytes
      if (count > PIECE_BYTES) return yield* this.#joined(count)
      yield this.#demand
    }
  }

  *length(): Parse<number> {
    for (;;) {
      const length = this.takeLength()
      if (length !== undefined) return length
      yield this.#demand
    }
  }

  /** A length that may be any 64-bit number: in streams, ids and counters are written as lengths. */
  *length64(): Parse<bigint> {
    const first = yield* this.byte()
    if (first === 0x81) {
      const bytes = yield* this.bytes(8)
      return (BigInt(uint32BigEndian(bytes, 0)) << 32n) | BigInt(uint32BigEndian(bytes, 4))
    }
    this.#at--
    return BigInt(yield* this.length())
  }

  *string(): Parse<string> {
    for (;;) {
      const text = this.takeString()
      if (text !== undefined) return text
      if (this.#demand.kind === 'bytes' && this.#demand.count > PIECE_BYTES) break
      yield this.#demand
    }
    // The bytes that announce it are here: only what follows is too long to wait for.
    const isCompressed = this.#buffer.charCodeAt(this.#at) === COMPRESSED
    if (isCompressed) this.#at++
    const length = yield* this.length()
    return isCompressed ? yield* this.#decompressed(length) : yield* this.#joined(length)
  }

  /** The engine keeps the pieces as they are until the string is read. */
  *#joined(length: number): Parse<string> {
    let text = ''
    while (text.length < length) {
      const piece = this.#takePiece(length - text.length)
      if (piece === undefined) yield this.#demand
      else text += piece
    }
    return text
  }

  *#decompressed(packedLength: number): Parse<string> {
    const decoder = new LzfDecoder(yield* this.length())
    let text = ''
    for (let left = packedLength; left > 0; ) {
      const piece = this.#takePiece(left)
      if (piece === undefined) {
        yield this.#demand
        continue
      }
      left -= piece.length
      text += decoder.push(piece, left === 0) ?? (yield* damage(NOT_COMPRESSED))
    }
    return decoder.isComplete ? text : yield* damage(NOT_COMPRESSED)
  }

  /** The next bytes of a long string: many at a time, so that there are few pieces. */
  #takePiece(left: number): string | undefined {
    const unread = this.unreadBytes
    if (unread < Math.min(left, PIECE_BYTES)) return this.#missing(Math.min(left, PIECE_BYTES))
    return this.#takeRaw(this.#at, Math.min(left, unread))
  }

  #takeRaw(from: number, count: number): string | undefined {
    const end = from + count
    // If the byte before is missing, `from` is beyond the end too.
    if (end > this.#buffer.length) return this.#missing(end - this.#at)
    this.#at = end
    return ownSlice(this.#buffer, from, end)
  }

  #takeSpecial(first: number): string | undefined {
    if (first === COMPRESSED) return this.#takeCompressed()
    const width = INTEGER_BYTES[first - 0xc0]
    if (width === undefined) return this.#damage(`unknown string encoding ${first}`)
    const from = this.#at + 1
    if (from + width > this.#buffer.length) return this.#missing(1 + width)
    this.#at = from + width
    return signedText(this.#buffer, from, width)
  }

  #takeCompressed(): string | undefined {
    const packedLength = this.#lengthAt(this.#at + 1)
    if (packedLength === undefined) return undefined
    const length = this.#lengthAt(this.#lengthEnd)
    if (length === undefined) return undefined
    if (length > MAX_STRING_BYTES) return this.#tooLong(length)
    if (packedLength > MAX_STRING_BYTES) return this.#tooLong(packedLength)
    if (!canExpand(packedLength, length)) return this.#damage(NOT_COMPRESSED)
    const end = this.#lengthEnd + packedLength
    if (end > this.#buffer.length) return this.#missing(end - this.#at)
    const text = lzfDecompress(this.#buffer, length, this.#lengthEnd, end)
    if (text === undefined) return this.#damage(NOT_COMPRESSED)
    this.#at = end
    return text
  }

  /** The length that begins at `at`; it ends at `#lengthEnd`. */
  #lengthAt(at: number): number | undefined {
    const first = this.#buffer.charCodeAt(at)
    const bytes = first < 0x40 ? 1 : first < 0x80 ? 2 : LENGTH_BYTES.get(first)
    // NaN, a byte that has not arrived, has no form either.
    if (bytes === undefined) return this.#noLength(first, at)
    this.#lengthEnd = at + bytes
    if (this.#lengthEnd > this.#buffer.length) return this.#missing(this.#lengthEnd - this.#at)
    if (bytes === 1) return first
    if (bytes === 2) return ((first & 0x3f) << 8) | this.#buffer.charCodeAt(at + 1)
    if (bytes === 5) return uint32BigEndian(this.#buffer, at + 1)
    const high = uint32BigEndian(this.#buffer, at + 1)
    const value = high * 2 ** 32 + uint32BigEndian(this.#buffer, at + 5)
    return Number.isSafeInteger(value) ? value : this.#damage('a length beyond all bounds')
  }

  #noLength(first: number, at: number): undefined {
    if (Number.isNaN(first)) return this.#missing(at + 1 - this.#at)
    if (first < 0xc0) return this.#damage(`unknown length encoding ${first}`)
    return this.#damage(`encoding byte ${first} where a length is expected`)
  }

  #tooLong(bytes: number): undefined {
    return this.#damage(`a string of ${bytes} bytes is too long`)
  }

  #damage(text: string): undefined {
    this.#demand = { kind: 'damage', text }
    return undefined
  }

  #missing(count: number): undefined {
    this.#demand = count === 1 ? ONE_BYTE : { kind: 'bytes', count }
    return undefined
  }

  /** How many bytes have arrived and are not read yet. */
  get unreadBytes(): number {
    return this.#buffer.length - this.#at
  }

  #sumRead(): void {
    this.#crc.update(this.#buffer, this.#summed, this.#at)
    this.#summed = this.#at
  }
}

const INTEGER_BYTES = [1, 2, 4]
const COMPRESSED = 0xc3
const NOT_COMPRESSED = 'compressed data do not decode'

/** How many bytes a length takes, by its first byte, if that is not the length itself. */
const LENGTH_BYTES: ReadonlyMap<number, number> = new Map([
  [0x80, 5],
  [0x81, 9],
])

/** Ends the parse: the caller never resumes the generator. */
export function* damage(text: string, cause: UnreadableCause = 'damaged'): Parse<never> {
  yield { kind: 'damage', text, cause }
  throw new Error('broken invariant: a damaged payload is not read on')
}
