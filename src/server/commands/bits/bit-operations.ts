/** BITOP: strings of bits combined bit by bit. A shorter string counts as if zeros followed it. */
import { unreachable } from '../../../base/assert.ts'
import { integer, type Reply } from '../../../resp/reply.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { BITOP_NOT_SINGLE, SYNTAX_ERROR, WRONG_TYPE } from '../../errors.ts'
import { fromBytes } from '../../values/byte-array.ts'

type Operation = 'AND' | 'OR' | 'XOR' | 'NOT'

export function bitOp(context: CommandContext, argv: readonly string[]): Reply {
  const operation = arg(argv, 1).toUpperCase()
  if (!isOperation(operation)) return SYNTAX_ERROR
  const [target, ...keys] = argv.slice(2) as [string, ...string[]]
  if (operation === 'NOT' && keys.length !== 1) return BITOP_NOT_SINGLE
  const sources = sourcesOf(context, keys)
  if (sources === undefined) return WRONG_TYPE
  const bytes = combined(operation, sources)
  const isThere = context.db.find(target) !== undefined
  if (bytes !== '') context.db.put(target, { type: 'string', bytes })
  else context.db.remove(target)
  if (bytes !== '' || isThere) context.propagate()
  return integer(bytes.length)
}

function isOperation(word: string): word is Operation {
  return word === 'AND' || word === 'OR' || word === 'XOR' || word === 'NOT'
}

/** Undefined: one of them is no string. */
function sourcesOf({ db }: CommandContext, keys: readonly string[]): string[] | undefined {
  const sources: string[] = []
  for (const key of keys) {
    const value = db.value(key)
    if (value !== undefined && value.type !== 'string') return undefined
    sources.push(value?.bytes ?? '')
  }
  return sources
}

function combined(operation: Operation, sources: readonly string[]): string {
  const length = sources.reduce((longest, source) => Math.max(longest, source.length), 0)
  const result = new Uint8Array(length)
  const [first = '', ...rest] = sources
  const inverts = operation === 'NOT' ? 255 : 0
  for (let at = 0; at < length; at++) result[at] = byteAt(first, at) ^ inverts
  for (const source of rest) combine(operation, result, source)
  return fromBytes(result)
}

function combine(operation: Operation, result: Uint8Array, source: string): void {
  for (let at = 0; at < result.length; at++) {
    result[at] = combinedByte(operation, result[at] as number, byteAt(source, at))
  }
}

function combinedByte(operation: Operation, a: number, b: number): number {
  switch (operation) {
    case 'AND':
      return a & b
    case 'OR':
      return a | b
    case 'XOR':
      return a ^ b
    case 'NOT':
      return a
    default:
      return unreachable(operation)
  }
}

function byteAt(bytes: string, at: number): number {
  return at < bytes.length ? bytes.charCodeAt(at) : 0
}
