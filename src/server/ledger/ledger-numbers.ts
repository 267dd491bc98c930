/** Numbers in ledgers: decimal texts and checksums. */

/** Undefined if the text is not an integer that a number holds exactly. */
export function decimalInteger(text: string): number | undefined {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** 16 hex digits from the eight bytes of a checksum. */
export function hexOf(bytes: string): string {
  return Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('')
}
