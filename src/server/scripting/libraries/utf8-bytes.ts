/** The bytes of a code point in UTF-8, as a byte string. */
export function utf8Encode(code: number): string {
  if (code < 0x80) return String.fromCharCode(code)
  if (code < 0x800) return String.fromCharCode(0xc0 | (code >> 6), 0x80 | (code & 63))
  const last = [0x80 | ((code >> 6) & 63), 0x80 | (code & 63)]
  if (code < 0x10000) return String.fromCharCode(0xe0 | (code >> 12), ...last)
  return String.fromCharCode(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), ...last)
}
