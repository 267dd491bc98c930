/** The two building blocks of RDB records as bytes: lengths and strings. */

export function rdbString(bytes: string): string {
  return rdbLength(bytes.length) + bytes
}

export function rdbLength(length: number): string {
  if (length < 0x40) return String.fromCharCode(length)
  if (length < 0x4000) return String.fromCharCode(0x40 | (length >> 8), length & 0xff)
  // A string or a collection of 4 GiB does not fit into this process.
  const [high, low] = [length >>> 16, length & 0xffff]
  return String.fromCharCode(0x80, high >> 8, high & 0xff, low >> 8, low & 0xff)
}
