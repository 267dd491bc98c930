/**
 * MurmurHash64A (Austin Appleby, public domain) of a byte string, as Redis' HyperLogLog uses it: words
 * are little-endian. A 64-bit number is kept as two 32-bit halves, since bigints are ten times slower.
 */

const MULTIPLIER_HIGH = 0xc6a4a793
const MULTIPLIER_LOW = 0x5bd1e995

/** The running hash. One for all, because no hashing starts within another. */
let high = 0
let low = 0

export interface Hash64 {
  /** Unsigned 32-bit halves. */
  readonly high: number
  readonly low: number
}

export function murmur64(bytes: string, seed: number): Hash64 {
  const { length } = bytes
  // The length is mixed in by multiplication; a string's length fits into 32 bits.
  setProduct(0, length)
  low = (low ^ seed) | 0
  const whole = length - (length % 8)
  for (let at = 0; at < whole; at += 8) mixWord(bytes, at)
  if (whole < length) mixTail(bytes, whole)
  mixEnd()
  mixEnd(true)
  return { high: high >>> 0, low: low >>> 0 }
}

function mixWord(bytes: string, at: number): void {
  const [hashHigh, hashLow] = [high, low]
  setProduct(word32(bytes, at + 4), word32(bytes, at))
  // The word times the multiplier, its top 17 bits folded in, times the multiplier again.
  low = (low ^ (high >>> 15)) | 0
  setProduct(high, low)
  setProduct(high ^ hashHigh, low ^ hashLow)
}

function mixTail(bytes: string, at: number): void {
  for (let i = bytes.length - 1; i >= at; i--) {
    const shift = (i - at) * 8
    if (shift >= 32) high ^= bytes.charCodeAt(i) << (shift - 32)
    else low ^= bytes.charCodeAt(i) << shift
  }
  setProduct(high, low)
}

/** Folds the top 17 bits into the rest, and multiplies unless this is the end. */
function mixEnd(isLast = false): void {
  low = (low ^ (high >>> 15)) | 0
  if (!isLast) setProduct(high, low)
}

/** Sets the hash to the product of these halves and the multiplier, modulo 2^64. */
function setProduct(a: number, b: number): void {
  const crossed = (Math.imul(a, MULTIPLIER_LOW) + Math.imul(b, MULTIPLIER_HIGH)) | 0
  high = (upperHalf(b, MULTIPLIER_LOW) + crossed) | 0
  low = Math.imul(b, MULTIPLIER_LOW)
}

/** The upper 32 bits of the product of two unsigned 32-bit numbers. */
function upperHalf(a: number, b: number): number {
  const [aLow, aHigh] = [a & 0xffff, a >>> 16]
  const [bLow, bHigh] = [b & 0xffff, b >>> 16]
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16)
  const carried = aLow * bHigh + (middle & 0xffff)
  return aHigh * bHigh + Math.floor(middle / 0x10000) + Math.floor(carried / 0x10000)
}

function word32(bytes: string, at: number): number {
  return (
    bytes.charCodeAt(at) |
    (bytes.charCodeAt(at + 1) << 8) |
    (bytes.charCodeAt(at + 2) << 16) |
    (bytes.charCodeAt(at + 3) << 24)
  )
}
