/** Strings as arrays of bits: SETBIT, GETBIT, BITCOUNT, BITPOS, BITOP. Bit 0 is the highest of byte 0. */
import { integer, type Reply } from '../../../resp/reply.ts'
import { isBackwards, parseInteger } from '../../arguments/numbers.ts'
import { arg, command, type Family } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import {
  NOT_A_BIT,
  NOT_AN_INTEGER,
  NOT_BIT_0_OR_1,
  SYNTAX_ERROR,
  WRONG_TYPE,
} from '../../errors.ts'
import { writeString } from '../strings/string-writing.ts'
import { parseBitOffset } from './bit-offset.ts'
import { bitOp } from './bit-operations.ts'

const ZERO = integer(0)

function setBit(context: CommandContext, argv: readonly string[]): Reply {
  const [key, word] = [arg(argv, 1), arg(argv, 3)]
  const offset = parseBitOffset(context, argv[2])
  if (typeof offset !== 'number') return offset
  if (word !== '0' && word !== '1') return NOT_A_BIT
  const entry = context.db.find(key)
  const value = entry?.value
  if (value !== undefined && value.type !== 'string') return WRONG_TYPE
  const old = value?.bytes ?? ''
  const before = bitAt(old, offset)
  const isThere = Math.floor(offset / 8) < old.length
  if (!isThere || before !== Number(word)) {
    writeString(context.db, key, entry, withBit(old, offset, word === '1'))
    context.propagate()
  }
  return integer(before)
}

function getBit(context: CommandContext, argv: readonly string[]): Reply {
  const offset = parseBitOffset(context, argv[2])
  if (typeof offset !== 'number') return offset
  const value = context.db.value(arg(argv, 1))
  if (value === undefined) return ZERO
  return value.type === 'string' ? integer(bitAt(value.bytes, offset)) : WRONG_TYPE
}

/** A range of bits: from `from` to `to`, both included; empty when `to` is smaller. */
interface BitRange {
  readonly from: number
  readonly to: number
}

/** `start end [BYTE|BIT]` at `at`, for a string of `bytes` bytes. */
function parseRange(argv: readonly string[], at: number, bytes: number): BitRange | Reply {
  const [from = '0', to = '-1', unit = 'BYTE'] = argv.slice(at)
  const [start, end, isByBit] = [parseInteger(from), parseInteger(to), isBit(unit)]
  // BITPOS asks for the unit before the end, which may be missing there.
  if (at === 3 && start !== undefined && isByBit === undefined) return SYNTAX_ERROR
  if (start === undefined || end === undefined) return NOT_AN_INTEGER
  if (isByBit === undefined) return SYNTAX_ERROR
  const total = isByBit ? bytes * 8 : bytes
  if (at === 2 && isBackwards(from, to)) return { from: 0, to: -1 }
  const first = Math.max(0, start < 0 ? total + start : start)
  const last = Math.min(total - 1, Math.max(0, end < 0 ? total + end : end))
  return isByBit ? { from: first, to: last } : { from: first * 8, to: last * 8 + 7 }
}

/** Undefined: it is no unit. */
function isBit(unit: string): boolean | undefined {
  const word = unit.toUpperCase()
  return word === 'BIT' || word === 'BYTE' ? word === 'BIT' : undefined
}

function bitCount({ db }: CommandContext, argv: readonly string[]): Reply {
  const value = db.value(arg(argv, 1))
  if (value === undefined) return ZERO
  if (value.type !== 'string') return WRONG_TYPE
  if (argv.length === 3 || argv.length > 5) return SYNTAX_ERROR
  const { bytes } = value
  const range = parseRange(argv, 2, bytes.length)
  if ('kind' in range) return range
  let count = 0
  for (let at = range.from; at <= range.to; at++) {
    // Whole bytes at once where the range allows it.
    if (at % 8 === 0 && at + 7 <= range.to) {
      count += onesIn(bytes.charCodeAt(at / 8))
      at += 7
    } else {
      count += bitAt(bytes, at)
    }
  }
  return integer(count)
}

function bitPos({ db }: CommandContext, argv: readonly string[]): Reply {
  const wanted = parseInteger(argv[2])
  if (wanted === undefined) return NOT_AN_INTEGER
  if (wanted !== 0 && wanted !== 1) return NOT_BIT_0_OR_1
  const value = db.value(arg(argv, 1))
  if (value !== undefined && value.type !== 'string') return WRONG_TYPE
  if (value === undefined) return integer(wanted === 1 ? -1 : 0)
  if (argv.length > 6) return SYNTAX_ERROR
  const range = parseRange(argv, 3, value.bytes.length)
  if ('kind' in range) return range
  const found = findBit(value.bytes, wanted, range)
  if (found !== undefined) return integer(found)
  // Without an end, the string is followed by zeros that are not there.
  const isOpenEnded = argv.length < 5 && range.to >= range.from
  return integer(wanted === 0 && isOpenEnded ? value.bytes.length * 8 : -1)
}

function findBit(bytes: string, wanted: number, { from, to }: BitRange): number | undefined {
  const skipped = wanted === 1 ? 0 : 255
  for (let at = from; at <= to; at++) {
    if (at % 8 === 0 && at + 7 <= to && bytes.charCodeAt(at / 8) === skipped) at += 7
    else if (bitAt(bytes, at) === wanted) return at
  }
  return undefined
}

function bitAt(bytes: string, offset: number): number {
  const byte = bytes.charCodeAt(Math.floor(offset / 8))
  return Number.isNaN(byte) ? 0 : (byte >> (7 - (offset % 8))) & 1
}

function withBit(bytes: string, offset: number, isSet: boolean): string {
  const at = Math.floor(offset / 8)
  const padded = bytes.padEnd(at + 1, '\0')
  const mask = 1 << (7 - (offset % 8))
  const byte = padded.charCodeAt(at)
  const changed = String.fromCharCode(isSet ? byte | mask : byte & ~mask)
  return padded.slice(0, at) + changed + padded.slice(at + 1)
}

function onesIn(byte: number): number {
  let rest = byte
  let count = 0
  while (rest > 0) {
    count += rest & 1
    rest >>= 1
  }
  return count
}

const READ = ['1 RO access']

export const bitFamily: Family = {
  group: 'bitmap',
  category: '@bitmap',
  commands: [
    command('setbit', 4, 'write denyoom', ['1 RW access update'], setBit),
    command('getbit', 3, 'readonly fast', READ, getBit),
    command('bitcount', -2, 'readonly', READ, bitCount),
    command('bitpos', -3, 'readonly', READ, bitPos),
    command('bitop', -4, 'write denyoom', ['2 OW update', '3..-1 RO access'], bitOp),
  ],
}
