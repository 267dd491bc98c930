/**
 * LZF decompression: the only compression inside RDB payloads. A control byte below 32 announces
 * literal bytes, any other a copy from earlier output, which may overlap the bytes it produces. A
 * copy reaches back 8 KiB at most, so a large string need not be decoded in one go.
 */
import { ofCodes } from './bytes.ts'

/** A control sequence of three bytes yields at most 264. */
const MAX_EXPANSION = 88
/** How far back a copy can reach. */
const WINDOW_BYTES = 8192
/** The longest control sequence: a control byte and 32 literals. */
const MAX_SEQUENCE_BYTES = 33
/** The most that one sequence yields. */
const MAX_COPY_BYTES = 264
/** Output becomes text in pieces of about this size. */
const BLOCK_BYTES = 64 * 1024

/** Whether `packedBytes` of input could yield that much. Check this before taking any memory. */
export function canExpand(packedBytes: number, bytes: number): boolean {
  return bytes <= packedBytes * MAX_EXPANSION
}

/**
 * Decodes the input from `from` to before `to`. Returns exactly `length` bytes, or undefined if the
 * input does not decode to that.
 */
export function lzfDecompress(
  input: string,
  length: number,
  from = 0,
  to = input.length,
): string | undefined {
  if (!canExpand(to - from, length)) return undefined
  const decoder = new LzfDecoder(length, SCRATCH)
  const text = decoder.decode(input, from, to)
  return decoder.isComplete ? text : undefined
}

/** Decodes a string that arrives in pieces. */
export class LzfDecoder {
  /**
   * What copies may still reach, followed by what has not been taken yet. An array, although it is
   * larger: engines make a string of its numbers twice as fast as of a Uint8Array's (measured).
   */
  readonly #output: number[]
  #filled = 0
  /** Where in `#output` the bytes begin that are not taken yet. */
  #taken = 0
  /** How many bytes are still to come. */
  #left: number
  /** The beginning of a control sequence whose end has not arrived. */
  #pending = ''
  /** Where in the input the first sequence begins that is not decoded yet. */
  #decodedTo = 0

  /** `output`: memory to work in, for a decoder that is given its whole input at once. */
  constructor(length: number, output: number[] = []) {
    this.#left = length
    this.#output = output
  }

  /** True if exactly the announced number of bytes has been decoded. */
  get isComplete(): boolean {
    return this.#left === 0 && this.#pending === ''
  }

  /** What the next bytes of the input decode to; undefined if they do not decode. */
  push(bytes: string, isLast: boolean): string | undefined {
    const input = this.#pending === '' ? bytes : [this.#pending, bytes].join('')
    // Before the end of the input, only sequences that are surely complete are decoded.
    const safeEnd = isLast ? input.length : input.length - MAX_SEQUENCE_BYTES + 1
    const text = this.decode(input, 0, input.length, safeEnd)
    this.#pending = input.slice(this.#decodedTo)
    return text
  }

  /**
   * The same for the sequences that begin before `safeEnd`; all of them must be complete in this
   * piece.
   */
  decode(input: string, from: number, to: number, safeEnd = to): string | undefined {
    let text = ''
    let at = from
    while (at < safeEnd) {
      if (this.#filled + MAX_COPY_BYTES > OUTPUT_BYTES) text += this.#makeRoom()
      const end =
        input.charCodeAt(at) < 32 ? this.#literal(input, at, to) : this.#copy(input, at, to)
      if (end === undefined) return undefined
      at = end
    }
    this.#decodedTo = at
    const rest = this.#take()
    return text === '' ? rest : text + rest
  }

  /** Returns where the next sequence begins. */
  #literal(input: string, at: number, to: number): number | undefined {
    const end = at + 2 + input.charCodeAt(at)
    const count = end - at - 1
    if (end > to || count > this.#left) return undefined
    const output = this.#output
    let filled = this.#filled
    for (let from = at + 1; from < end; from++) output[filled++] = input.charCodeAt(from)
    this.#filled = filled
    this.#left -= count
    return end
  }

  /** Returns where the next sequence begins. */
  #copy(input: string, at: number, to: number): number | undefined {
    const control = input.charCodeAt(at)
    const end = control < LONG_COPY ? at + 2 : at + 3
    const count = (control >> 5) + 2 + (control < LONG_COPY ? 0 : input.charCodeAt(at + 1))
    if (end > to) return undefined
    let from = this.#filled - ((control & 31) << 8) - input.charCodeAt(end - 1) - 1
    if (from < 0 || count > this.#left) return undefined
    const output = this.#output
    let filled = this.#filled
    for (const stop = from + count; from < stop; from++) output[filled++] = output[from] as number
    this.#filled = filled
    this.#left -= count
    return end
  }

  #makeRoom(): string {
    const text = this.#take()
    const reachable = this.#filled - WINDOW_BYTES
    const output = this.#output
    for (let at = 0; at < WINDOW_BYTES; at++) output[at] = output[reachable + at] as number
    this.#filled = WINDOW_BYTES
    this.#taken = WINDOW_BYTES
    return text
  }

  #take(): string {
    const text = ofCodes(this.#output, this.#taken, this.#filled)
    this.#taken = this.#filled
    return text
  }
}

/** From this control byte on, one more byte adds to the length of a copy. */
const LONG_COPY = 0xe0

const OUTPUT_BYTES = WINDOW_BYTES + BLOCK_BYTES + MAX_COPY_BYTES
/** Grows to `OUTPUT_BYTES` at most. */
const SCRATCH: number[] = []
