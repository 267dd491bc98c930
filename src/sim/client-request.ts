/** What a client sends: one command for each number, in the form its kind of work wants. */
import { unreachable } from '../base/assert.ts'
import type { Reply } from '../resp/reply.ts'
import type { OperationKind } from './topology.ts'
import type { Operation } from './write-log.ts'

export type Request =
  | { readonly kind: 'write'; readonly argv: readonly string[]; readonly operation: Operation }
  | { readonly kind: 'read'; readonly argv: readonly string[]; readonly key: string }

/**
 * The request with this number. `owner` is a name nobody else has, in no other life either: keys are
 * never shared, so that what a node must hold follows from what one client was told.
 */
export function requestOf(kind: OperationKind, owner: string, number: number): Request {
  switch (kind) {
    case 'keys': {
      const key = `${owner}:${number}`
      return { kind: 'write', argv: ['SET', key, key], operation: { kind: 'key', key } }
    }
    case 'set': {
      const member = String(number)
      const operation: Operation = { kind: 'member', set: owner, member }
      return { kind: 'write', argv: ['SADD', owner, member], operation }
    }
    case 'counter':
      return {
        kind: 'write',
        argv: ['INCR', owner],
        operation: { kind: 'increment', counter: owner },
      }
    case 'register':
      return number % 2 === 0 ? assign(owner, number / 2 + 1) : readOf(owner)
    default:
      return unreachable(kind)
  }
}

/**
 * The number to go on with on a new connection. A register is read before it is written there: what an
 * earlier node had promised would be hidden by the next value.
 */
export function firstNumber(kind: OperationKind, number: number): number {
  return kind === 'register' && number % 2 === 0 ? number + 1 : number
}

function assign(key: string, value: number): Request {
  const operation: Operation = { kind: 'assign', key, value }
  return { kind: 'write', argv: ['SET', key, String(value)], operation }
}

function readOf(key: string): Request {
  return { kind: 'read', argv: ['GET', key], key }
}

/** The number in a reply: the answer to INCR, or the value of a register. */
export function numberIn(reply: Reply): number | undefined {
  if (reply.kind === 'integer') return Number(reply.value)
  return reply.kind === 'bulk' ? Number(reply.bytes) : undefined
}
