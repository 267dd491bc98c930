/**
 * LZF compression, for [rdbcompression]. A table remembers where three bytes in a row were seen last;
 * if they come again within 8 KiB, a copy replaces them and the bytes after them that are equal too.
 *
 * Only strings of at most 64 KiB are compressed: a longer one would have to be compressed in one go,
 * because its compressed length comes first, and commands would have to wait.
 */
import { latin1 } from './bytes.ts'

/** Shorter strings are not compressed, as in Redis. */
const MIN_BYTES = 21
const MAX_BYTES = 64 * 1024
/** Compression must save at least this much. */
const MIN_SAVED_BYTES = 4

const MAX_LITERALS = 32
const MAX_COPY_BYTES = 264
const WINDOW_BYTES = 8192
const HASH_BITS = 13
const HASH_FACTOR = 0x9e3779b1

const INPUT = new Uint8Array(MAX_BYTES)
const OUTPUT = new Uint8Array(MAX_BYTES + MAX_LITERALS + 4)
/**
 * Where each hash was seen last, counted over all strings, so that the table need not be cleared for
 * the next one.
 */
const SEEN = new Int32Array(1 << HASH_BITS)
const MAX_COUNTED_BYTES = 2 ** 30
let countedBytes = 1

/** Undefined if the string should stay as it is. */
export function lzfCompress(text: string): string | undefined {
  if (text.length < MIN_BYTES || text.length > MAX_BYTES) return undefined
  for (let at = 0; at < text.length; at++) INPUT[at] = text.charCodeAt(at)
  if (countedBytes > MAX_COUNTED_BYTES) restartCounting()
  const length = compress(text.length, countedBytes)
  countedBytes += text.length
  return length === undefined ? undefined : latin1(OUTPUT.subarray(0, length))
}

function restartCounting(): void {
  SEEN.fill(0)
  countedBytes = 1
}

/** From INPUT to OUTPUT; returns the compressed length, or undefined if too little was saved. */
function compress(length: number, base: number): number | undefined {
  const most = length - MIN_SAVED_BYTES
  let filled = 0
  let literalsFrom = 0
  let three = ((INPUT[0] as number) << 8) | (INPUT[1] as number)
  for (let at = 0; at + 2 < length; ) {
    three = ((three << 8) | (INPUT[at + 2] as number)) & 0xffffff
    const hash = Math.imul(three, HASH_FACTOR) >>> (32 - HASH_BITS)
    const from = (SEEN[hash] as number) - base
    SEEN[hash] = at + base
    // A position in an earlier string is before the base.
    if (from < 0 || at - from > WINDOW_BYTES || !isThree(from, three)) {
      at++
      continue
    }
    const count = matchLength(from, at, length)
    filled = putCopy(putLiterals(filled, literalsFrom, at), at - from - 1, count)
    if (filled > most) return undefined
    at += count
    literalsFrom = at
    three = ((INPUT[at] as number) << 8) | (INPUT[at + 1] as number)
  }
  filled = putLiterals(filled, literalsFrom, length)
  return filled > most ? undefined : filled
}

function isThree(at: number, three: number): boolean {
  const low = ((INPUT[at + 1] as number) << 8) | (INPUT[at + 2] as number)
  return (three & 0xffff) === low && three >>> 16 === INPUT[at]
}

/** At least 3. The two places may overlap. */
function matchLength(from: number, at: number, length: number): number {
  const most = Math.min(MAX_COPY_BYTES, length - at)
  let count = 3
  while (count < most && INPUT[from + count] === INPUT[at + count]) count++
  return count
}

/** Returns how much of OUTPUT is filled afterwards. */
function putLiterals(filled: number, from: number, to: number): number {
  let out = filled
  for (let at = from; at < to; at += MAX_LITERALS) {
    const end = Math.min(at + MAX_LITERALS, to)
    OUTPUT[out++] = end - at - 1
    for (let i = at; i < end; i++) OUTPUT[out++] = INPUT[i] as number
  }
  return out
}

/** Returns how much of OUTPUT is filled afterwards. */
function putCopy(filled: number, distance: number, count: number): number {
  let out = filled
  const high = distance >> 8
  if (count - 2 < 7) {
    OUTPUT[out++] = ((count - 2) << 5) | high
  } else {
    OUTPUT[out++] = (7 << 5) | high
    OUTPUT[out++] = count - 9
  }
  OUTPUT[out++] = distance & 0xff
  return out
}
