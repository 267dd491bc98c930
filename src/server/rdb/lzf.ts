/**
 * LZF decompression: the only compression inside RDB payloads. A control byte below 32 announces
 * literal bytes, any other a copy from what was already put out, which may overlap its own output.
 */

/** One control sequence of three bytes puts out at most 264. */
const MAX_EXPANSION = 88

/**
 * Returns exactly `length` bytes, or undefined when the input does not decode to that. An announced
 * length that the input cannot reach is refused before any memory is taken for it.
 */
export function lzfDecompress(input: string, length: number): string | undefined {
  if (length > input.length * MAX_EXPANSION) return undefined
  const output = new Uint8Array(length)
  let at = 0
  let filled = 0
  while (at < input.length) {
    const control = input.charCodeAt(at++)
    if (control < 32) {
      const count = control + 1
      if (at + count > input.length || filled + count > length) return undefined
      for (let i = 0; i < count; i++) output[filled++] = input.charCodeAt(at++)
      continue
    }
    let count = control >> 5
    if (count === 7) count += input.charCodeAt(at++)
    count += 2
    const from = filled - ((control & 31) << 8) - input.charCodeAt(at++) - 1
    // A missing byte makes the sums NaN, and no comparison with NaN holds.
    if (!(from >= 0 && filled + count <= length)) return undefined
    for (let i = 0; i < count; i++) output[filled++] = output[from + i] as number
  }
  return filled === length ? latin1(output) : undefined
}

/** Applying a function to more arguments than this may exhaust the stack. */
const MAX_ARGUMENTS = 8192

function latin1(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += MAX_ARGUMENTS) {
    text += String.fromCharCode(...bytes.subarray(at, at + MAX_ARGUMENTS))
  }
  return text
}
