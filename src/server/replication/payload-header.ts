/**
 * The line before the payload of a full resynchronisation. It says how the payload will end: after
 * a number of bytes, or with a random mark that cannot be mistaken for data.
 */
import { parseInt64 } from '../../base/decimal.ts'

export const MARK_LENGTH = 40
const EOF_HEADER = '$EOF:'

export type PayloadHeader =
  | { readonly kind: 'length'; readonly totalBytes: number }
  | { readonly kind: 'mark'; readonly mark: string }

export function encodePayloadHeader(header: PayloadHeader): string {
  return header.kind === 'mark' ? `${EOF_HEADER}${header.mark}\r\n` : `$${header.totalBytes}\r\n`
}

/** Undefined: the line is not a header. */
export function parsePayloadHeader(line: string): PayloadHeader | undefined {
  if (line.startsWith(EOF_HEADER)) {
    const mark = line.slice(EOF_HEADER.length)
    return mark.length === MARK_LENGTH ? { kind: 'mark', mark } : undefined
  }
  const totalBytes = parseInt64(line.slice(1))
  if (!line.startsWith('$') || typeof totalBytes !== 'number' || totalBytes < 0) return undefined
  return { kind: 'length', totalBytes }
}
