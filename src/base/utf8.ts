/**
 * Converts between text, as people and files have it, and the machines' byte strings, in which
 * every character is one byte: names and passwords go over the wire as UTF-8.
 */

const REPLACEMENT = 0xfffd

/** UTF-8 as a byte string. A lone surrogate becomes U+FFFD. */
export function utf8Bytes(text: string): string {
  let bytes = ''
  for (const char of text) {
    const point = char.codePointAt(0) ?? 0
    bytes += encodePoint(isSurrogate(point) ? REPLACEMENT : point)
  }
  return bytes
}

function encodePoint(point: number): string {
  if (point < 0x80) return String.fromCharCode(point)
  const tail = (shift: number) => 0x80 | ((point >> shift) & 0x3f)
  if (point < 0x800) return String.fromCharCode(0xc0 | (point >> 6), tail(0))
  if (point < 0x10000) return String.fromCharCode(0xe0 | (point >> 12), tail(6), tail(0))
  return String.fromCharCode(0xf0 | (point >> 18), tail(12), tail(6), tail(0))
}

/**
 * Bytes that are UTF-8 in any case, for documents that must be: what is no UTF-8 is read as Latin-1. Names of groups
 * and hosts come from users and from the network.
 */
export function soundUtf8(bytes: string): string {
  return /[\x80-\xff]/.test(bytes) ? utf8Bytes(utf8Text(bytes)) : bytes
}

/** The text of UTF-8 bytes. Bytes that are not valid UTF-8 stay as they are, one character each. */
export function utf8Text(bytes: string): string {
  return bytes.replace(SEQUENCE, (sequence) => {
    const [lead = 0, ...tail] = Array.from(sequence, (char) => char.charCodeAt(0))
    const leadBits = lead & (0x7f >> sequence.length)
    const point = tail.reduce((value, byte) => (value << 6) | (byte & 0x3f), leadBits)
    const isSound = point <= 0x10ffff && encodePoint(point) === sequence
    return isSound && !isSurrogate(point) ? String.fromCodePoint(point) : sequence
  })
}

const SEQUENCE = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g

function isSurrogate(point: number): boolean {
  return point >= 0xd800 && point <= 0xdfff
}
