/**
 * CRC-64/Jones as RDB files and DUMP payloads carry it: reflected, initial value 0, no final xor.
 * JavaScript has no fast 64-bit integers, so the register is kept as two 32-bit halves.
 */

/** The polynomial 0xad93d23594c935a9, bit-reversed. */
const POLYNOMIAL_HIGH = 0x95ac9329
const POLYNOMIAL_LOW = 0xac4bc9b5

const TABLE_HIGH = new Int32Array(256)
const TABLE_LOW = new Int32Array(256)
for (let byte = 0; byte < 256; byte++) fillTable(byte)

function fillTable(byte: number): void {
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
  TABLE_HIGH[byte] = high
  TABLE_LOW[byte] = low
}

/** A running checksum over latin1 bytes. */
export class Crc64 {
  #high = 0
  #low = 0

  update(bytes: string): void {
    let high = this.#high
    let low = this.#low
    for (let at = 0; at < bytes.length; at++) {
      const index = (low ^ bytes.charCodeAt(at)) & 0xff
      low = ((low >>> 8) | (high << 24)) ^ (TABLE_LOW[index] as number)
      high = (high >>> 8) ^ (TABLE_HIGH[index] as number)
    }
    this.#high = high
    this.#low = low
  }

  /** Eight bytes, least significant first: the order in which payloads store it. */
  digest(): string {
    return littleEndian32(this.#low) + littleEndian32(this.#high)
  }
}

export function crc64(bytes: string): string {
  const crc = new Crc64()
  crc.update(bytes)
  return crc.digest()
}

function littleEndian32(value: number): string {
  return String.fromCharCode(
    value & 0xff,
    (value >>> 8) & 0xff,
    (value >>> 16) & 0xff,
    (value >>> 24) & 0xff,
  )
}
