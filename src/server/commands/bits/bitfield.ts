/**
 * BITFIELD and BITFIELD_RO: a string as an array of integers of any width. All words are understood
 * before anything is done; then the operations run in order, each seeing what those before it wrote.
 */
import { unreachable } from '../../../base/assert.ts'
import { array, integer, NULL, type Reply } from '../../../resp/reply.ts'
import { arg, command, type Family } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { BITFIELD_READ_ONLY, WRONG_TYPE } from '../../errors.ts'
import { writeString } from '../strings/string-writing.ts'
import { fitted, readBits, withBits } from './bitfield-integers.ts'
import { type BitfieldOperation, parseOperations, type WriteOperation } from './bitfield-words.ts'

function bitField(context: CommandContext, argv: readonly string[]): Reply {
  const operations = parseOperations(context, argv)
  if ('kind' in operations) return operations
  if (operations.every((operation) => operation.name === 'GET')) {
    return readFields(context, argv, operations)
  }
  const key = arg(argv, 1)
  const entry = context.db.find(key)
  if (entry !== undefined && entry.value.type !== 'string') return WRONG_TYPE
  const old = entry?.value.type === 'string' ? entry.value.bytes : ''
  const run = new FieldRun(old.padEnd(bytesReached(operations), '\0'))
  const replies = operations.map((operation) => run.perform(operation))
  // The string grows even if every value was refused: the room is made first.
  if (run.bytes !== old) {
    writeString(context.db, key, entry, run.bytes)
    context.propagate()
  }
  return array(replies)
}

function bitFieldRo(context: CommandContext, argv: readonly string[]): Reply {
  const operations = parseOperations(context, argv)
  if ('kind' in operations) return operations
  if (operations.some((operation) => operation.name !== 'GET')) return BITFIELD_READ_ONLY
  return readFields(context, argv, operations)
}

function readFields(
  { db }: CommandContext,
  argv: readonly string[],
  operations: readonly BitfieldOperation[],
): Reply {
  const value = db.value(arg(argv, 1))
  if (value !== undefined && value.type !== 'string') return WRONG_TYPE
  const run = new FieldRun(value?.bytes ?? '')
  return array(operations.map((operation) => run.perform(operation)))
}

function bytesReached(operations: readonly BitfieldOperation[]): number {
  let bytes = 0
  for (const operation of operations) {
    if (operation.name === 'GET') continue
    bytes = Math.max(bytes, Math.ceil((operation.offset + operation.width) / 8))
  }
  return bytes
}

/** The operations of one command on one string. */
class FieldRun {
  bytes: string
  writes = 0

  constructor(bytes: string) {
    this.bytes = bytes
  }

  perform(operation: BitfieldOperation): Reply {
    const old = readBits(this.bytes, operation)
    switch (operation.name) {
      case 'GET':
        return integer(old)
      case 'SET':
        return this.#write(operation, operation.operand, 0n, () => old)
      case 'INCRBY':
        return this.#write(operation, old, operation.operand, (written) => written)
      default:
        return unreachable(operation)
    }
  }

  #write(
    field: WriteOperation,
    base: bigint,
    increment: bigint,
    answer: (written: bigint) => bigint,
  ): Reply {
    const value = fitted(field, base, increment)
    if (value === undefined) return NULL
    this.bytes = withBits(this.bytes, field, value)
    this.writes++
    return integer(answer(value))
  }
}

export const bitfieldFamily: Family = {
  group: 'bitmap',
  category: '@bitmap',
  commands: [
    command('bitfield', -2, 'write denyoom', ['1 RW access update variable_flags'], bitField),
    command('bitfield_ro', -2, 'readonly fast', ['1 RO access'], bitFieldRo),
  ],
}
