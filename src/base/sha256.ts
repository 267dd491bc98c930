/** SHA-256 (FIPS 180-4) of a byte string, as 64 lower-case hex characters. For small inputs. */

const FRACTION_BITS = 2 ** 32
/** Fractional parts of the cube roots of the first 64 primes, and of the square roots of the first 8. */
const PRIMES = firstPrimes(64)
const ROUND_CONSTANTS = PRIMES.map((prime) => fraction(Math.cbrt(prime)))
const INITIAL_HASH = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))

export function sha256(bytes: string): string {
  const words = padded(bytes)
  const hash = Uint32Array.from(INITIAL_HASH)
  const schedule = new Uint32Array(64)
  for (let block = 0; block < words.length; block += 16) {
    schedule.set(words.subarray(block, block + 16))
    expand(schedule)
    compress(hash, schedule)
  }
  return Array.from(hash, (word) => word.toString(16).padStart(8, '0')).join('')
}

/** The message, a one bit, zeros up to a whole block, and its length in bits. */
function padded(bytes: string): Uint32Array {
  const blocks = Math.floor((bytes.length + 8) / 64) + 1
  const words = new Uint32Array(blocks * 16)
  const put = (at: number, byte: number) => {
    words[at >> 2] = (words[at >> 2] ?? 0) | (byte << (24 - 8 * (at & 3)))
  }
  for (let at = 0; at < bytes.length; at++) put(at, bytes.charCodeAt(at) & 0xff)
  put(bytes.length, 0x80)
  words[words.length - 2] = Math.floor((bytes.length * 8) / FRACTION_BITS)
  words[words.length - 1] = bytes.length * 8
  return words
}

function expand(schedule: Uint32Array): void {
  const word = (at: number) => schedule[at] as number
  for (let at = 16; at < 64; at++) {
    const near = word(at - 2)
    const far = word(at - 15)
    const farMix = rotated(far, 7) ^ rotated(far, 18) ^ (far >>> 3)
    const nearMix = rotated(near, 17) ^ rotated(near, 19) ^ (near >>> 10)
    schedule[at] = word(at - 16) + farMix + word(at - 7) + nearMix
  }
}

function compress(hash: Uint32Array, schedule: Uint32Array): void {
  let [a, b, c, d, e, f, g, h] = hash as unknown as Octet
  for (let at = 0; at < 64; at++) {
    const mixE = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
    const choice = (e & f) ^ (~e & g)
    const first = (h + mixE + choice + (ROUND_CONSTANTS[at] ?? 0) + (schedule[at] ?? 0)) | 0
    const mixA = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + mixA + majority) | 0]
  }
  ;[a, b, c, d, e, f, g, h].forEach((word, at) => {
    hash[at] = (hash[at] ?? 0) + word
  })
}

type Octet = [number, number, number, number, number, number, number, number]

function rotated(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * FRACTION_BITS)
}

function firstPrimes(count: number): number[] {
  const primes: number[] = []
  for (let n = 2; primes.length < count; n++) {
    if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  }
  return primes
}
