/**
 * Long strings of bits, one block at a time: a block is copied into words of 32 bits, or compared as a
 * whole with a block of equal bytes. Half a gigabyte, byte by byte, would stop the node for many
 * seconds.
 */
import type { ByteCodec } from '../../../base/byte-codec.ts'
import { byteAt } from '../../values/long-string.ts'

/** A string, or the bytes of one that is changed in place (values/long-string.ts). */
export type Bytes = string | Uint8Array

/** Several blocks of this size fit into the caches of a processor. */
export const BLOCK_BYTES = 64 * 1024

/** The bytes of a block, and the same memory as words. */
export class Block {
  readonly bytes = new Uint8Array(BLOCK_BYTES)
  readonly words = new Int32Array(this.bytes.buffer)
  readonly #codec: ByteCodec

  constructor(codec: ByteCodec) {
    this.#codec = codec
  }

  /**
   * Loads the bytes from `from` to before `to`, a block at most. Bytes beyond the end of the source, and up
   * to the end of the last word, are zero.
   */
  load(source: Bytes, from: number, to: number): void {
    const length = copyPart(this.#codec, source, from, to, this.words)
    this.bytes.fill(0, length, Math.ceil((to - from) / 4) * 4)
  }
}

/** Copies the bytes from `from` to before `to`, or to the end of the source, and returns how many there are. */
export function copyPart(
  codec: ByteCodec,
  source: Bytes,
  from: number,
  to: number,
  words: Int32Array,
): number {
  const target = new Uint8Array(words.buffer, words.byteOffset, words.byteLength)
  const part = typeof source === 'string' ? source.slice(from, to) : source.subarray(from, to)
  if (typeof part === 'string') codec.copy(part, target)
  else target.set(part)
  return part.length
}

/** How many bits are 1 in the bytes from `from` to before `to`. */
export function onesBetween(codec: ByteCodec, source: Bytes, from: number, to: number): number {
  if (to <= from) return 0
  const block = new Block(codec)
  let count = 0
  for (let at = from; at < to; at += BLOCK_BYTES) {
    const end = Math.min(at + BLOCK_BYTES, to)
    block.load(source, at, end)
    count += onesInWords(block.words, Math.ceil((end - at) / 4))
  }
  return count
}

/**
 * The first byte from `from` to before `to` that is not `skipped` (0 or 255); undefined if there is
 * none.
 */
export function firstOther(
  source: Bytes,
  skipped: number,
  from: number,
  to: number,
): number | undefined {
  let at =
    typeof source === 'string'
      ? passEqual(source, skipped, from, to)
      : passEqualWords(source, skipped, from, to)
  while (at < to && byteAt(source, at) === skipped) at++
  return at < to ? at : undefined
}

/** The position after the parts of a string that have no other byte. */
function passEqual(text: string, skipped: number, from: number, to: number): number {
  const sample = (skipped === 0 ? ZEROS : ONES).slice(0, Math.max(0, to - from))
  let at = from
  // The engine compares strings as fast as memory.
  while (at + sample.length < to && text.slice(at, at + sample.length) === sample)
    at += sample.length
  return at
}

/** The same for an array. */
function passEqualWords(array: Uint8Array, skipped: number, from: number, to: number): number {
  const words = new Int32Array(array.buffer, array.byteOffset, array.length >> 2)
  const equal = skipped === 0 ? 0 : -1
  let at = from
  while (at < to && at % 4 !== 0 && array[at] === skipped) at++
  if (at % 4 !== 0) return at
  let next = at / 4
  const end = Math.min(words.length, to >> 2)
  while (next + 4 <= end && areEqual(words, next, equal)) next += 4
  while (next < end && words[next] === equal) next++
  return Math.max(at, next * 4)
}

const ZEROS = '\0'.repeat(BLOCK_BYTES)
const ONES = '\xff'.repeat(BLOCK_BYTES)

/**
 * Adds eight words at a time bit by bit, as in long addition: `ones`, `twos` and `fours` hold the carries of
 * their 32 columns, and only complete eights are counted. That is half the work of counting each word.
 */
function onesInWords(words: Int32Array, length: number): number {
  let [ones, twos, fours, eights, at] = [0, 0, 0, 0, 0]
  for (; at + 8 <= length; at += 8) {
    const firstTwos = carry(ones, word(words, at), word(words, at + 1))
    ones ^= word(words, at) ^ word(words, at + 1)
    const nextTwos = carry(ones, word(words, at + 2), word(words, at + 3))
    ones ^= word(words, at + 2) ^ word(words, at + 3)
    const firstFours = carry(twos, firstTwos, nextTwos)
    twos ^= firstTwos ^ nextTwos
    const thirdTwos = carry(ones, word(words, at + 4), word(words, at + 5))
    ones ^= word(words, at + 4) ^ word(words, at + 5)
    const lastTwos = carry(ones, word(words, at + 6), word(words, at + 7))
    ones ^= word(words, at + 6) ^ word(words, at + 7)
    const lastFours = carry(twos, thirdTwos, lastTwos)
    twos ^= thirdTwos ^ lastTwos
    eights += onesIn(carry(fours, firstFours, lastFours))
    fours ^= firstFours ^ lastFours
  }
  let rest = 0
  for (; at < length; at++) rest += onesIn(word(words, at))
  return 8 * eights + 4 * onesIn(fours) + 2 * onesIn(twos) + onesIn(ones) + rest
}

/** Compares four words from `at` on. */
function areEqual(words: Int32Array, at: number, equal: number): boolean {
  const first = (word(words, at) ^ equal) | (word(words, at + 1) ^ equal)
  return (first | (word(words, at + 2) ^ equal) | (word(words, at + 3) ^ equal)) === 0
}

function word(words: Int32Array, at: number): number {
  return words[at] as number
}

/** The columns in which at least two of three have a 1. */
function carry(a: number, b: number, c: number): number {
  return (a & b) | ((a ^ b) & c)
}

/** How many bits of a word, or of a byte, are 1: sums of pairs, of fours, of bytes, of all. */
export function onesIn(value: number): number {
  const pairs = value - ((value >>> 1) & 0x5555_5555)
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24
}
