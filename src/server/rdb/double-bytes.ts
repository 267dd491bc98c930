/** A double as the eight bytes of IEEE 754, the lowest first. */
import { uint32Bytes } from './bytes.ts'

const VIEW = new DataView(new ArrayBuffer(8))

export function doubleBytes(value: number): string {
  VIEW.setFloat64(0, value, true)
  return uint32Bytes(VIEW.getUint32(0, true)) + uint32Bytes(VIEW.getUint32(4, true))
}

/** The caller must have checked that the bytes are there. */
export function readDoubleBytes(bytes: string): number {
  for (let at = 0; at < 8; at++) VIEW.setUint8(at, bytes.charCodeAt(at))
  return VIEW.getFloat64(0, true)
}
