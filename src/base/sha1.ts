/**
 * SHA-1 (FIPS 180-4) of a byte string, as five words. Not for secrets: DEBUG DIGEST is built from it
 * and hashes every key several times, so it is written for short inputs and allocates nothing inside.
 */

export const SHA1_WORDS = 5

const BLOCK_BYTES = 64
const schedule = new Int32Array(80)

export function sha1(bytes: string): Int32Array {
  const hash = initialHash()
  const blocks = Math.floor((bytes.length + 8) / BLOCK_BYTES) + 1
  for (let block = 0; block < blocks; block++) {
    for (let word = 0; word < 16; word++) {
      schedule[word] = wordAt(bytes, block * BLOCK_BYTES + word * 4)
    }
    if (block === blocks - 1) putLength(bytes.length)
    compress(hash)
  }
  return hash
}

/** The hash of another hash's twenty bytes. */
export function sha1OfHash(words: Int32Array): Int32Array {
  const hash = initialHash()
  schedule.fill(0, SHA1_WORDS, 16)
  for (let word = 0; word < SHA1_WORDS; word++) schedule[word] = words[word] ?? 0
  schedule[SHA1_WORDS] = 0x80_00_00_00 | 0
  putLength(SHA1_WORDS * 4)
  compress(hash)
  return hash
}

function initialHash(): Int32Array {
  return Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0)
}

/** Four bytes from `at` on; after the last byte come a one bit and then zeros. */
function wordAt(bytes: string, at: number): number {
  if (at + 3 < bytes.length) {
    const high = (bytes.charCodeAt(at) << 24) | ((bytes.charCodeAt(at + 1) & 0xff) << 16)
    return high | ((bytes.charCodeAt(at + 2) & 0xff) << 8) | (bytes.charCodeAt(at + 3) & 0xff)
  }
  let word = 0
  for (let place = 0; place < 4; place++) word = (word << 8) | paddedByte(bytes, at + place)
  return word
}

function paddedByte(bytes: string, at: number): number {
  if (at < bytes.length) return bytes.charCodeAt(at) & 0xff
  return at === bytes.length ? 0x80 : 0
}

/** Writes the length in bits at the end of the last block. */
function putLength(bytes: number): void {
  schedule[14] = Math.floor((bytes * 8) / 2 ** 32)
  schedule[15] = (bytes * 8) | 0
}

/** Mixes the block in the first sixteen words of the schedule into the hash. */
function compress(hash: Int32Array): void {
  expand()
  let a = hash[0] as number
  let b = hash[1] as number
  let c = hash[2] as number
  let d = hash[3] as number
  let e = hash[4] as number
  for (let at = 0; at < 80; at++) {
    const mixed = (rotated(a, 5) + roundMix(at, b, c, d) + e + (schedule[at] as number)) | 0
    e = d
    d = c
    c = rotated(b, 30)
    b = a
    a = mixed
  }
  add(hash, 0, a)
  add(hash, 1, b)
  add(hash, 2, c)
  add(hash, 3, d)
  add(hash, 4, e)
}

function add(hash: Int32Array, place: number, word: number): void {
  hash[place] = (hash[place] as number) + word
}

function expand(): void {
  for (let at = 16; at < 80; at++) {
    const near = (schedule[at - 3] as number) ^ (schedule[at - 8] as number)
    const far = (schedule[at - 14] as number) ^ (schedule[at - 16] as number)
    schedule[at] = rotated(near ^ far, 1)
  }
}

/** The function and the constant of a round. */
function roundMix(at: number, b: number, c: number, d: number): number {
  if (at < 20) return ((b & c) | (~b & d)) + 0x5a827999
  if (at < 40) return (b ^ c ^ d) + 0x6ed9eba1
  if (at < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
  return (b ^ c ^ d) + 0xca62c1d6
}

function rotated(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by))
}
