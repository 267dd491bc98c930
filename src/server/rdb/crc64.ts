/**
 * CRC-64/Jones as RDB files and DUMP payloads carry it: reflected, initial value 0, no final xor.
 * JavaScript has no fast 64-bit integers, so the register is kept as two 32-bit halves, and four bytes
 * are processed at a time: table `n` says what a byte becomes after `n` more bytes.
 */
import { uint32Bytes } from './bytes.ts'

/** The polynomial 0xad93d23594c935a9, bit-reversed. */
const POLYNOMIAL_HIGH = 0x95ac9329
const POLYNOMIAL_LOW = 0xac4bc9b5

const TABLES = 4
/** The tables one after another, 256 values each. */
const HIGH = new Int32Array(TABLES * 256)
const LOW = new Int32Array(TABLES * 256)
for (let byte = 0; byte < 256; byte++) fillFirst(byte)
for (let index = 256; index < TABLES * 256; index++) fillNext(index)

function fillFirst(byte: number): void {
  let high = 0
  let low = byte
  for (let bit = 0; bit < 8; bit++) {
    const carry = low & 1
    low = (low >>> 1) | (high << 31)
    high >>>= 1
    if (carry === 0) continue
    high ^= POLYNOMIAL_HIGH
    low ^= POLYNOMIAL_LOW
  }
  HIGH[byte] = high
  LOW[byte] = low
}

function fillNext(index: number): void {
  const high = HIGH[index - 256] as number
  const low = LOW[index - 256] as number
  HIGH[index] = (high >>> 8) ^ (HIGH[low & 0xff] as number)
  LOW[index] = ((low >>> 8) | (high << 24)) ^ (LOW[low & 0xff] as number)
}

/** A running checksum over latin1 bytes. */
export class Crc64 {
  #high = 0
  #low = 0

  /** Adds the bytes from `from` to before `to`. */
  update(bytes: string, from = 0, to = bytes.length): void {
    let high = this.#high
    let low = this.#low
    let at = from
    for (; at + TABLES <= to; at += TABLES) {
      const first = (low ^ bytes.charCodeAt(at)) & 0xff
      const second = ((low >>> 8) ^ bytes.charCodeAt(at + 1)) & 0xff
      const third = ((low >>> 16) ^ bytes.charCodeAt(at + 2)) & 0xff
      const fourth = ((low >>> 24) ^ bytes.charCodeAt(at + 3)) & 0xff
      low = high ^ sum(LOW, first, second, third, fourth)
      high = sum(HIGH, first, second, third, fourth)
    }
    for (; at < to; at++) {
      const index = (low ^ bytes.charCodeAt(at)) & 0xff
      low = ((low >>> 8) | (high << 24)) ^ (LOW[index] as number)
      high = (high >>> 8) ^ (HIGH[index] as number)
    }
    this.#high = high
    this.#low = low
  }

  /** Eight bytes, least significant first: the order in which payloads store them. */
  digest(): string {
    return uint32Bytes(this.#low) + uint32Bytes(this.#high)
  }
}

export function crc64(bytes: string): string {
  const crc = new Crc64()
  crc.update(bytes)
  return crc.digest()
}

/**
 * What four bytes in a row contribute to one half of the register; the earliest byte has the most
 * bytes after it.
 */
function sum(table: Int32Array, a: number, b: number, c: number, d: number): number {
  const early = (table[768 + a] as number) ^ (table[512 + b] as number)
  return early ^ (table[256 + c] as number) ^ (table[d] as number)
}
