/**
 * BITFIELD and BITFIELD_RO: a string as an array of integers of any width. All words are parsed
 * before anything happens; then the operations run in order, each seeing what those before it wrote.
 */
import { unreachable } from '../../../base/assert.ts'
import { array, integer, NULL, type Reply } from '../../../resp/reply.ts'
import { parseExact } from '../../arguments/numbers.ts'
import { arg, command, type Family } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import {
  BAD_BITFIELD_TYPE,
  BAD_OVERFLOW,
  BITFIELD_READ_ONLY,
  NOT_AN_INTEGER,
  SYNTAX_ERROR,
  WRONG_TYPE,
} from '../../errors.ts'
import type { Entry } from '../../keyspace/db.ts'
import { LONG_BYTES, lengthOf, viewOf } from '../../values/long-string.ts'
import type { StringValue } from '../../values/value.ts'
import { openLong, writeString } from '../strings/string-writing.ts'
import { parseBitOffset } from './bit-offset.ts'
import { type BitField, fitted, type Overflow, PatchedBytes } from './bitfield-integers.ts'

function bitField(context: CommandContext, argv: readonly string[]): Reply {
  const operations = parseOperations(context, argv)
  if ('kind' in operations) return operations
  if (operations.every((operation) => operation.name === 'GET')) {
    return readFields(context, argv, operations)
  }
  const key = arg(argv, 1)
  const entry = context.db.find(key)
  if (entry !== undefined && entry.value.type !== 'string') return WRONG_TYPE
  const value = entry?.value.type === 'string' ? entry.value : undefined
  const length = Math.max(bytesReached(operations), value === undefined ? 0 : lengthOf(value))
  if (length > LONG_BYTES) return longFields(context, key, entry, length, operations)
  const old = value?.bytes ?? ''
  const string = new PatchedBytes(old.padEnd(length, '\0'))
  const replies = operations.map((operation) => perform(string, operation))
  // The string grows even if every value was refused, because Redis makes room first.
  const bytes = string.joined()
  if (bytes !== old) {
    writeString(context.db, key, entry, bytes, 'raw')
    context.notify('setbit', key)
    context.propagate(undefined, integersWritten(operations, replies))
  }
  return array(replies)
}

/** The same for a string that is changed in place. */
function longFields(
  context: CommandContext,
  key: string,
  entry: Entry | undefined,
  length: number,
  operations: readonly BitfieldOperation[],
): Reply {
  const old = entry === undefined ? '' : viewOf(entry.value as StringValue)
  const string = new PatchedBytes(old)
  const replies = operations.map((operation) => perform(string, operation))
  if (length > old.length || string.isChanged) {
    string.applyTo(openLong(context, key, entry).grown(length))
    context.notify('setbit', key)
    context.propagate(undefined, integersWritten(operations, replies))
  }
  return array(replies)
}

/** How many integers; at least the string has grown. */
function integersWritten(
  operations: readonly BitfieldOperation[],
  replies: readonly Reply[],
): number {
  const isWritten = ({ name }: BitfieldOperation, at: number) =>
    name !== 'GET' && replies[at] !== NULL
  return Math.max(1, operations.filter(isWritten).length)
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
  const value = db.source(arg(argv, 1))
  if (value !== undefined && value.type !== 'string') return WRONG_TYPE
  const string = new PatchedBytes(value === undefined ? '' : viewOf(value))
  return array(operations.map((operation) => perform(string, operation)))
}

function bytesReached(operations: readonly BitfieldOperation[]): number {
  let bytes = 0
  for (const operation of operations) {
    if (operation.name === 'GET') continue
    bytes = Math.max(bytes, Math.ceil((operation.offset + operation.width) / 8))
  }
  return bytes
}

function perform(string: PatchedBytes, operation: BitfieldOperation): Reply {
  const old = string.readBits(operation)
  switch (operation.name) {
    case 'GET':
      return integer(old)
    case 'SET':
      return write(string, operation, operation.operand, 0n, () => old)
    case 'INCRBY':
      return write(string, operation, old, operation.operand, (written) => written)
    default:
      return unreachable(operation)
  }
}

function write(
  string: PatchedBytes,
  field: WriteOperation,
  base: bigint,
  increment: bigint,
  answer: (written: bigint) => bigint,
): Reply {
  const value = fitted(field, base, increment)
  if (value === undefined) return NULL
  string.writeBits(field, value)
  return integer(answer(value))
}

/** What the words that only read take after themselves. */
const READING_WORDS = new Map([
  ['get', 2],
  ['overflow', 1],
])

/** For the ACL, which asks before the words are understood: whether they are more than GETs. */
function writesAny(argv: readonly string[]): boolean {
  for (let at = 2; at < argv.length; at++) {
    const words = READING_WORDS.get(argv[at]?.toLowerCase() ?? '')
    if (words === undefined || at + words >= argv.length) return true
    at += words
  }
  return false
}

export const bitfieldFamily: Family = {
  group: 'bitmap',
  category: '@bitmap',
  commands: [
    command('bitfield', -2, 'write denyoom', ['1 RW access update variable_flags'], bitField, {
      stretchesBy: 'bits',
      writesKeys: writesAny,
    }),
    command('bitfield_ro', -2, 'readonly fast', ['1 RO access'], bitFieldRo),
  ],
}

/** The words of BITFIELD: `GET u8 0 OVERFLOW SAT INCRBY i5 #3 1`. */
interface WriteOperation extends BitField {
  readonly name: 'SET' | 'INCRBY'
  readonly operand: bigint
  readonly overflow: Overflow
}

type BitfieldOperation = (BitField & { readonly name: 'GET' }) | WriteOperation

function parseOperations(
  context: CommandContext,
  argv: readonly string[],
): BitfieldOperation[] | Reply {
  const operations: BitfieldOperation[] = []
  let overflow: Overflow = 'WRAP'
  let at = 2
  while (at < argv.length) {
    const name = arg(argv, at).toUpperCase()
    if (at + wordsAfter(name) >= argv.length) return SYNTAX_ERROR
    if (name === 'OVERFLOW') {
      const chosen = arg(argv, at + 1).toUpperCase()
      if (!isOverflow(chosen)) return BAD_OVERFLOW
      overflow = chosen
    } else {
      const operation = parseOperation(context, argv, at, overflow)
      if ('kind' in operation) return operation
      operations.push(operation)
    }
    at += 1 + wordsAfter(name)
  }
  return operations
}

/** Infinity for a word that is no operation. */
function wordsAfter(name: string): number {
  switch (name) {
    case 'OVERFLOW':
      return 1
    case 'GET':
      return 2
    case 'SET':
    case 'INCRBY':
      return 3
    default:
      return Number.POSITIVE_INFINITY
  }
}

function isOverflow(word: string): word is Overflow {
  return word === 'WRAP' || word === 'SAT' || word === 'FAIL'
}

function parseOperation(
  context: CommandContext,
  argv: readonly string[],
  at: number,
  overflow: Overflow,
): BitfieldOperation | Reply {
  const name = arg(argv, at).toUpperCase()
  const field = parseField(context, arg(argv, at + 1), arg(argv, at + 2))
  if ('kind' in field) return field
  if (name !== 'SET' && name !== 'INCRBY') return { ...field, name: 'GET' }
  const operand = parseExact(arg(argv, at + 3))
  if (operand === undefined) return NOT_AN_INTEGER
  return { ...field, name, operand: operandOf(name, field, BigInt(operand)), overflow }
}

/** SET takes a 64-bit number for an unsigned field, so a negative one wraps around. */
function operandOf(name: 'SET' | 'INCRBY', { isSigned }: BitField, operand: bigint): bigint {
  return name === 'SET' && !isSigned ? BigInt.asUintN(64, operand) : operand
}

function parseField(context: CommandContext, type: string, offsetText: string): BitField | Reply {
  const match = /^([iu])([1-9]\d?)$/.exec(type)
  const isSigned = match?.[1] === 'i'
  const width = Number(match?.[2] ?? 0)
  if (width === 0 || width > (isSigned ? 64 : 63)) return BAD_BITFIELD_TYPE
  const isCounted = offsetText.startsWith('#')
  const offset = parseBitOffset(
    context,
    isCounted ? offsetText.slice(1) : offsetText,
    isCounted ? width : 1,
  )
  return typeof offset === 'number' ? { offset, width, isSigned } : offset
}
