/** The dense form of a HyperLogLog: registers of six bits each, the lowest bits of a byte first. */
import { fromBytes } from './byte-array.ts'

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

export function denseRegisters(body: string): Uint8Array {
  const registers = new Uint8Array((body.length * 8) / REGISTER_BITS)
  // Three bytes hold four registers.
  for (let byte = 0, index = 0; index < registers.length; byte += 3, index += 4) {
    const low = body.charCodeAt(byte)
    const middle = body.charCodeAt(byte + 1)
    const high = body.charCodeAt(byte + 2)
    registers[index] = low & MAX_REGISTER
    registers[index + 1] = ((low >> 6) | (middle << 2)) & MAX_REGISTER
    registers[index + 2] = ((middle >> 4) | (high << 4)) & MAX_REGISTER
    registers[index + 3] = high >> 2
  }
  return registers
}

export function encodeDense(registers: Uint8Array): string {
  const bytes = new Uint8Array((registers.length * REGISTER_BITS) / 8)
  for (let index = 0; index < registers.length; index++) {
    const { byte, shift } = placeOfRegister(index)
    const word = (registers[index] as number) << shift
    bytes[byte] = (bytes[byte] as number) | (word & 0xff)
    if (word > 0xff) bytes[byte + 1] = (bytes[byte + 1] as number) | (word >> 8)
  }
  return fromBytes(bytes)
}

function placeOfRegister(index: number): Place {
  const bit = index * REGISTER_BITS
  return { byte: bit >> 3, shift: bit & 7 }
}

/** Two bytes; the second may be beyond the end. */
function wordAt(body: string, byte: number): number {
  return body.charCodeAt(byte) | (body.charCodeAt(byte + 1) << 8)
}
