/**
 * LZF decompression: the only compression inside RDB payloads. A control byte below 32 announces
 * literal bytes, any other a copy from what was already put out, which may overlap its own output.
 * A copy reaches back 8 KiB at most, so a large string need not be decoded in one go.
 */
import { latin1 } from './bytes.ts'

/** One control sequence of three bytes puts out at most 264. */
const MAX_EXPANSION = 88
/** How far back a copy can reach. */
const WINDOW_BYTES = 8192
/** The longest control sequence: a control byte and 32 literals. */
const MAX_SEQUENCE_BYTES = 33

/** Whether `packedBytes` of input could put out that much. To be asked before any memory is taken. */
export function canExpand(packedBytes: number, bytes: number): boolean {
  return bytes <= packedBytes * MAX_EXPANSION
}

/** Returns exactly `length` bytes, or undefined when the input does not decode to that. */
export function lzfDecompress(input: string, length: number): string | undefined {
  if (!canExpand(input.length, length)) return undefined
  const decoder = new LzfDecoder(length)
  const text = decoder.push(input, true)
  return decoder.isComplete ? text : undefined
}

export class LzfDecoder {
  /** What was put out lately and has not been taken yet, behind what copies may still reach. */
  #output: Uint8Array
  #filled = 0
  /** Where in `#output` the bytes not taken yet begin. */
  #taken = 0
  /** How many bytes are still to come. */
  #left: number
  /** The beginning of a control sequence whose end has not arrived. */
  #pending = ''

  constructor(length: number) {
    this.#output = new Uint8Array(Math.min(length, INITIAL_BYTES))
    this.#left = length
  }

  /** True when exactly the announced bytes have been put out. */
  get isComplete(): boolean {
    return this.#left === 0 && this.#pending === ''
  }

  /** What the next bytes of the input put out; undefined when they do not decode. */
  push(bytes: string, isLast: boolean): string | undefined {
    const input = this.#pending + bytes
    // Short of the end, only sequences that are surely complete are decoded.
    const safeEnd = isLast ? input.length : input.length - MAX_SEQUENCE_BYTES + 1
    let text = ''
    let at = 0
    while (at < safeEnd) {
      if (this.#filled + MAX_COPY_BYTES > this.#output.length) text += this.#makeRoom()
      const control = input.charCodeAt(at)
      const end = control < 32 ? this.#literal(input, at) : this.#copy(input, at)
      if (end === undefined) return undefined
      at = end
    }
    this.#pending = input.slice(at)
    return text + this.#take()
  }

  /** Both return where the next sequence begins. */
  #literal(input: string, at: number): number | undefined {
    const end = at + 2 + input.charCodeAt(at)
    const count = end - at - 1
    if (end > input.length || count > this.#left) return undefined
    const output = this.#output
    let filled = this.#filled
    for (let from = at + 1; from < end; from++) output[filled++] = input.charCodeAt(from)
    this.#filled = filled
    this.#left -= count
    return end
  }

  #copy(input: string, at: number): number | undefined {
    const control = input.charCodeAt(at)
    const isLong = control >> 5 === 7
    const count = (control >> 5) + 2 + (isLong ? input.charCodeAt(at + 1) : 0)
    const end = at + (isLong ? 3 : 2)
    const from = this.#filled - ((control & 31) << 8) - input.charCodeAt(end - 1) - 1
    // A missing byte makes a sum NaN, and no comparison with NaN holds.
    if (!(from >= 0 && count <= this.#left)) return undefined
    this.#output.copyWithin
    const output = this.#output
    for (let i = 0; i < count; i++) output[this.#filled + i] = output[from + i] as number
    this.#filled += count
    this.#left -= count
    return end
  }
}
