/** Numbers inside latin1 byte strings. The caller has checked that the bytes are there. */

export function uint16(bytes: string, at: number): number {
  return bytes.charCodeAt(at) | (bytes.charCodeAt(at + 1) << 8)
}

export function uint32(bytes: string, at: number): number {
  return uint16(bytes, at) + uint16(bytes, at + 2) * 0x10000
}

export function uint32BigEndian(bytes: string, at: number): number {
  let value = 0
  for (let i = 0; i < 4; i++) value = value * 256 + bytes.charCodeAt(at + i)
  return value
}

/** A signed little-endian integer of 1 to 8 bytes as decimal text, the form in which values hold it. */
export function signedText(bytes: string, at: number, width: number): string {
  if (width === 8) return String(int64(bytes, at))
  let value = 0
  for (let i = width - 1; i >= 0; i--) value = value * 256 + bytes.charCodeAt(at + i)
  const limit = 2 ** (8 * width)
  return String(value >= limit / 2 ? value - limit : value)
}

export function int64(bytes: string, at: number): bigint {
  const low = BigInt(uint32(bytes, at))
  const high = BigInt(uint32(bytes, at + 4))
  return BigInt.asIntN(64, (high << 32n) | low)
}

export function int64Bytes(value: number): string {
  let rest = BigInt.asUintN(64, BigInt(value))
  let bytes = ''
  for (let i = 0; i < 8; i++) {
    bytes += String.fromCharCode(Number(rest & 0xffn))
    rest >>= 8n
  }
  return bytes
}
