/** Numbers and parts of latin1 byte strings. The caller must have checked that the bytes are there. */

export function uint16(bytes: string, at: number): number {
  return bytes.charCodeAt(at) | (bytes.charCodeAt(at + 1) << 8)
}

export function uint32(bytes: string, at: number): number {
  return uint16(bytes, at) + uint16(bytes, at + 2) * 0x10000
}

export function uint32BigEndian(bytes: string, at: number): number {
  const high = (bytes.charCodeAt(at) << 8) | bytes.charCodeAt(at + 1)
  return high * 0x10000 + ((bytes.charCodeAt(at + 2) << 8) | bytes.charCodeAt(at + 3))
}

/** A signed little-endian integer of 1 to 8 bytes as decimal text, the form in which values hold it. */
export function signedText(bytes: string, at: number, width: number): string {
  if (width === 8) return int64Text(bytes, at)
  let value = 0
  for (let i = width - 1; i >= 0; i--) value = value * 256 + bytes.charCodeAt(at + i)
  const limit = 2 ** (8 * width)
  return String(value >= limit / 2 ? value - limit : value)
}

export function int32(bytes: string, at: number): number {
  return uint16(bytes, at) | (uint16(bytes, at + 2) << 16)
}

export function int64(bytes: string, at: number): bigint {
  const low = BigInt(uint32(bytes, at))
  const high = BigInt(uint32(bytes, at + 4))
  return BigInt.asIntN(64, (high << 32n) | low)
}

/** The largest 64-bit number that a double can hold. */
const MAX_INT64_NUMBER = 2 ** 63 - 1024

/** The nearest number to it that fits: exact up to 2^53, which no moment in time comes near. */
export function int64Number(bytes: string, at: number): number {
  return Math.min(uint32(bytes, at) + int32(bytes, at + 4) * 2 ** 32, MAX_INT64_NUMBER)
}

export function int64Bytes(value: number): string {
  const high = Math.floor(value / 2 ** 32)
  return uint32Bytes(value - high * 2 ** 32) + uint32Bytes(high)
}

/** Four bytes, least significant first; a negative number in two's complement. */
export function uint32Bytes(value: number): string {
  return String.fromCharCode(
    value & 0xff,
    (value >>> 8) & 0xff,
    (value >>> 16) & 0xff,
    (value >>> 24) & 0xff,
  )
}

/** The codes of `bytes` as a string. */
export function latin1(bytes: Uint8Array): string {
  if (bytes.length <= MAX_ARGUMENTS) return fromCodes(bytes)
  let text = ''
  for (let at = 0; at < bytes.length; at += MAX_ARGUMENTS) {
    text += fromCodes(bytes.subarray(at, at + MAX_ARGUMENTS))
  }
  return text
}

/**
 * The codes from `from` to before `to` as a string; from an array of numbers, this is twice as fast as
 * `latin1`.
 */
export function ofCodes(codes: readonly number[], from: number, to: number): string {
  if (to - from <= MAX_ARGUMENTS) return fromCodes(codes.slice(from, to))
  let text = ''
  for (let at = from; at < to; at += MAX_ARGUMENTS) {
    text += fromCodes(codes.slice(at, Math.min(at + MAX_ARGUMENTS, to)))
  }
  return text
}

/**
 * A part of `buffer` that may be kept for long. Engines implement `slice` of more than a few bytes as
 * a view that keeps its whole parent, so one small key could hold on to the 64 KiB it arrived in.
 * Concatenating the first byte and the rest, and then reading a byte, makes the engine lay out an
 * independent string. That costs little more than the view, and 10 to 30 bytes less memory
 * (measured).
 */
export function ownSlice(buffer: string, from: number, to: number): string {
  if (to - from < MIN_VIEW_BYTES || (to - from) * 2 > buffer.length) return buffer.slice(from, to)
  const glued = buffer.charAt(from) + buffer.slice(from + 1, to)
  // No code is above 255; the engine does not know that and has to look.
  return glued.charCodeAt(0) > 0xff ? '' : glued
}

/** For messages: the beginning of some bytes in quotes, with unprintable ones escaped. */
export function shownBytes(bytes: string): string {
  const start = bytes.slice(0, MAX_SHOWN_BYTES)
  const text = start.replace(/[^ -~]|['\\]/g, (byte) => {
    return `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
  return bytes.length > MAX_SHOWN_BYTES ? `'${text}…'` : `'${text}'`
}

const MAX_SHOWN_BYTES = 40

/** Shorter slices are always copies. */
const MIN_VIEW_BYTES = 13

/** Calling a function with many more arguments than this is slow, and may exhaust the stack. */
const MAX_ARGUMENTS = 4096

function fromCodes(codes: Uint8Array | number[]): string {
  // The type of `apply` demands an array; spreading bytes into one is five times slower.
  return String.fromCharCode.apply(null, codes as number[])
}

function int64Text(bytes: string, at: number): string {
  const near = int64Number(bytes, at)
  return Number.isSafeInteger(near) ? String(near) : String(int64(bytes, at))
}
