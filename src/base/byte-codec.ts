/**
 * Converts byte strings to arrays of bytes and back, for work on many bytes at once: a word of an array holds
 * four bytes, while a string yields one at a time. The fastest way depends on the engine, so it is passed in;
 * `PLAIN_BYTES` works on every engine.
 */

export interface ByteCodec {
  /** Copies the bytes of `text` to the beginning of `target`, which is long enough. */
  copy(text: string, target: Uint8Array): void
  /** The bytes as a string that shares no memory with them. */
  text(bytes: Uint8Array): string
}

/** Calling a function with many more arguments than this is slow, and may exhaust the stack. */
const MAX_ARGUMENTS = 4096

export const PLAIN_BYTES: ByteCodec = {
  copy(text, target) {
    for (let at = 0; at < text.length; at++) target[at] = text.charCodeAt(at)
  },
  text(bytes) {
    const parts: string[] = []
    for (let at = 0; at < bytes.length; at += MAX_ARGUMENTS) {
      const part = bytes.subarray(at, at + MAX_ARGUMENTS)
      // Spread arguments take seven times as long.
      parts.push(String.fromCharCode.apply(undefined, part as unknown as number[]))
    }
    return parts.join('')
  },
}
