/** Converts byte strings to arrays of bytes and back, for commands that compute on bytes. */

/** Calling a function with more arguments than this may exhaust the stack. */
const MAX_ARGUMENTS = 8192

/** At least `length` bytes; bytes beyond the text are zero. */
export function toBytes(text: string, length = text.length): Uint8Array {
  const bytes = new Uint8Array(Math.max(length, text.length))
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}

export function fromBytes(bytes: Uint8Array): string {
  if (bytes.length <= MAX_ARGUMENTS) return String.fromCharCode(...bytes)
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += MAX_ARGUMENTS) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + MAX_ARGUMENTS)))
  }
  return parts.join('')
}
