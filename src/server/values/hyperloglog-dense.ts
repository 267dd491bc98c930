/** The dense form of a HyperLogLog: registers of six bits each, the lowest bits of a byte first. */
import { PLAIN_BYTES } from '../../base/byte-codec.ts'

const REGISTER_BITS = 6
const MAX_REGISTER = 63

/** Where the bits of a register begin. */
interface Place {
  readonly byte: number
  readonly shift: number
}

export function registerAt(body: string, index: number): number {
  const { byte, shift } = placeOfRegister(index)
  return (wordAt(body, byte) >> shift) & MAX_REGISTER
}

export function withRegister(body: string, index: number, count: number): string {
  const { byte, shift } = placeOfRegister(index)
  const word = (wordAt(body, byte) & ~(MAX_REGISTER << shift)) | (count << shift)
  const isLast = byte + 1 === body.length
  const changed = isLast
    ? String.fromCharCode(word & 0xff)
    : String.fromCharCode(word & 0xff, word >> 8)
  return body.slice(0, byte) + changed + body.slice(byte + changed.length)
}

// Three bytes hold four registers.

export function denseRegisters(body: string): Uint8Array {
  const registers = new Uint8Array((body.length * 8) / REGISTER_BITS)
  for (let byte = 0, index = 0; index < registers.length; byte += 3, index += 4) {
    const word = wordAt(body, byte) | (body.charCodeAt(byte + 2) << 16)
    registers[index] = word & MAX_REGISTER
    registers[index + 1] = (word >> 6) & MAX_REGISTER
    registers[index + 2] = (word >> 12) & MAX_REGISTER
    registers[index + 3] = word >> 18
  }
  return registers
}

export function encodeDense(registers: Uint8Array): string {
  const bytes = new Uint8Array((registers.length * REGISTER_BITS) / 8)
  const at = (index: number, shift: number) => (registers[index] as number) << shift
  for (let byte = 0, index = 0; byte < bytes.length; byte += 3, index += 4) {
    const word = at(index, 0) | at(index + 1, 6) | at(index + 2, 12) | at(index + 3, 18)
    bytes[byte] = word
    bytes[byte + 1] = word >> 8
    bytes[byte + 2] = word >> 16
  }
  return PLAIN_BYTES.text(bytes)
}

function placeOfRegister(index: number): Place {
  const bit = index * REGISTER_BITS
  return { byte: bit >> 3, shift: bit & 7 }
}

/** Two bytes; the second may be beyond the end. */
function wordAt(body: string, byte: number): number {
  return body.charCodeAt(byte) | (body.charCodeAt(byte + 1) << 8)
}
