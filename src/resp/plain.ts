/** A reply without the protocol's way of writing it. */
import type { Reply } from './reply.ts'

export type PlainReply = string | number | null | PlainError | readonly PlainReply[]

export interface PlainError {
  /** With its code. */
  readonly error: string
}

export function plainOf(reply: Reply): PlainReply {
  switch (reply.kind) {
    case 'simple':
      return reply.text
    case 'error':
      return { error: reply.text }
    case 'integer':
      return Number(reply.value)
    case 'bulk':
      return reply.bytes
    case 'array':
      return reply.items.map(plainOf)
    default:
      return null
  }
}
