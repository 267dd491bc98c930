/** The words of BITFIELD: `GET u8 0 OVERFLOW SAT INCRBY i5 #3 1`. */
import type { Reply } from '../../../resp/reply.ts'
import { parseExact } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { BAD_BITFIELD_TYPE, BAD_OVERFLOW, NOT_AN_INTEGER, SYNTAX_ERROR } from '../../errors.ts'
import { parseBitOffset } from './bit-offset.ts'
import type { BitField, Overflow } from './bitfield-integers.ts'

export interface WriteOperation extends BitField {
  readonly name: 'SET' | 'INCRBY'
  readonly operand: bigint
  readonly overflow: Overflow
}

export type BitfieldOperation = (BitField & { readonly name: 'GET' }) | WriteOperation

export function parseOperations(
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

/** Infinitely many for what is no operation. */
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

/** What is SET into an unsigned field is a number of 64 bits without a sign. */
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
