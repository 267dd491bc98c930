/** Strings as arrays of bits: SETBIT, GETBIT, BITCOUNT, BITPOS, BITOP. Bit 0 is the highest of byte 0. */
import type { ByteCodec } from '../../../base/byte-codec.ts'
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
import type { Entry } from '../../keyspace/db.ts'
import { byteAt, LONG_BYTES, lengthOf, viewOf } from '../../values/long-string.ts'
import { openLong, writeString } from '../strings/string-writing.ts'
import { type Bytes, firstOther, onesBetween, onesIn } from './bit-blocks.ts'
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
  const old = value === undefined ? '' : viewOf(value)
  const before = bitAt(old, offset)
  const isThere = Math.floor(offset / 8) < old.length
  if (!isThere || before !== Number(word)) {
    putBit(context, key, entry, offset, word === '1')
    context.notify('setbit', key)
    context.propagate()
  }
  return integer(before)
}

function putBit(
  context: CommandContext,
  key: string,
  entry: Entry | undefined,
  offset: number,
  isSet: boolean,
): void {
  const old = entry?.value.type === 'string' ? entry.value : undefined
  const at = Math.floor(offset / 8)
  if (Math.max(at, old === undefined ? 0 : lengthOf(old)) < LONG_BYTES) {
    return writeString(context.db, key, entry, withBit(old?.bytes ?? '', offset, isSet))
  }
  const array = openLong(context, key, entry).grown(at + 1)
  array[at] = withBitInByte(array[at] as number, offset, isSet)
}

function getBit(context: CommandContext, argv: readonly string[]): Reply {
  const offset = parseBitOffset(context, argv[2])
  if (typeof offset !== 'number') return offset
  const value = context.db.value(arg(argv, 1))
  if (value === undefined) return ZERO
  return value.type === 'string' ? integer(bitAt(viewOf(value), offset)) : WRONG_TYPE
}

/** A range of bits: from `from` to `to`, both included; empty if `to` is smaller. */
interface BitRange {
  readonly from: number
  readonly to: number
}

/** Parses `start end [BYTE|BIT]` at `at`, for a string of `bytes` bytes. */
function parseRange(argv: readonly string[], at: number, bytes: number): BitRange | Reply {
  const [from = '0', to = '-1', unit = 'BYTE'] = argv.slice(at)
  const [start, end, isByBit] = [parseInteger(from), parseInteger(to), isBit(unit)]
  // BITPOS checks the unit before the end, which may be missing.
  if (at === 3 && start !== undefined && isByBit === undefined) return SYNTAX_ERROR
  if (start === undefined || end === undefined) return NOT_AN_INTEGER
  if (isByBit === undefined) return SYNTAX_ERROR
  const total = isByBit ? bytes * 8 : bytes
  if (at === 2 && isBackwards(from, to)) return { from: 0, to: -1 }
  const first = Math.max(0, start < 0 ? total + start : start)
  const last = Math.min(total - 1, Math.max(0, end < 0 ? total + end : end))
  return isByBit ? { from: first, to: last } : { from: first * 8, to: last * 8 + 7 }
}

/** Undefined if it is no unit. */
function isBit(unit: string): boolean | undefined {
  const word = unit.toUpperCase()
  return word === 'BIT' || word === 'BYTE' ? word === 'BIT' : undefined
}

function bitCount({ db, node }: CommandContext, argv: readonly string[]): Reply {
  const value = db.value(arg(argv, 1))
  if (value === undefined) return ZERO
  if (value.type !== 'string') return WRONG_TYPE
  if (argv.length === 3 || argv.length > 5) return SYNTAX_ERROR
  const bytes = viewOf(value)
  const range = parseRange(argv, 2, bytes.length)
  return 'kind' in range ? range : integer(countBits(node.byteCodec, bytes, range))
}

function countBits(codec: ByteCodec, bytes: Bytes, { from, to }: BitRange): number {
  if (to < from) return 0
  const [first, last] = [Math.floor(from / 8), Math.floor(to / 8)]
  const [head, tail] = [255 >> (from % 8), (255 << (7 - (to % 8))) & 255]
  if (first === last) return onesIn(byteAt(bytes, first) & head & tail)
  return (
    onesIn(byteAt(bytes, first) & head) +
    onesBetween(codec, bytes, first + 1, last) +
    onesIn(byteAt(bytes, last) & tail)
  )
}

function bitPos({ db }: CommandContext, argv: readonly string[]): Reply {
  const wanted = parseInteger(argv[2])
  if (wanted === undefined) return NOT_AN_INTEGER
  if (wanted !== 0 && wanted !== 1) return NOT_BIT_0_OR_1
  const value = db.value(arg(argv, 1))
  if (value !== undefined && value.type !== 'string') return WRONG_TYPE
  if (value === undefined) return integer(wanted === 1 ? -1 : 0)
  if (argv.length > 6) return SYNTAX_ERROR
  const bytes = viewOf(value)
  const range = parseRange(argv, 3, bytes.length)
  if ('kind' in range) return range
  const found = findBit(bytes, wanted, range)
  if (found !== undefined) return integer(found)
  // Without an end, zeros beyond the end of the string count too.
  const isOpenEnded = argv.length < 5 && range.to >= range.from
  return integer(wanted === 0 && isOpenEnded ? bytes.length * 8 : -1)
}

/** Skips whole bytes that cannot contain it. */
function findBit(bytes: Bytes, wanted: number, { from, to }: BitRange): number | undefined {
  const atEdge = findWithin(bytes, wanted, from, Math.min(to, from | 7))
  if (atEdge !== undefined || to < from) return atEdge
  const skipped = wanted === 1 ? 0 : 255
  const byte = firstOther(bytes, skipped, Math.floor(from / 8) + 1, Math.floor(to / 8) + 1)
  return byte === undefined
    ? undefined
    : findWithin(bytes, wanted, 8 * byte, Math.min(to, 8 * byte + 7))
}

function findWithin(bytes: Bytes, wanted: number, from: number, to: number): number | undefined {
  for (let at = from; at <= to; at++) if (bitAt(bytes, at) === wanted) return at
  return undefined
}

function bitAt(bytes: Bytes, offset: number): number {
  return (byteAt(bytes, Math.floor(offset / 8)) >> (7 - (offset % 8))) & 1
}

function withBit(bytes: string, offset: number, isSet: boolean): string {
  const at = Math.floor(offset / 8)
  const padded = bytes.padEnd(at + 1, '\0')
  const changed = String.fromCharCode(withBitInByte(padded.charCodeAt(at), offset, isSet))
  return padded.slice(0, at) + changed + padded.slice(at + 1)
}

function withBitInByte(byte: number, offset: number, isSet: boolean): number {
  const mask = 1 << (7 - (offset % 8))
  return isSet ? byte | mask : byte & ~mask
}

const READ = ['1 RO access']

export const bitFamily: Family = {
  group: 'bitmap',
  category: '@bitmap',
  commands: [
    command('setbit', 4, 'write denyoom', ['1 RW access update'], setBit, { stretchesBy: 'bits' }),
    command('getbit', 3, 'readonly fast', READ, getBit),
    command('bitcount', -2, 'readonly', READ, bitCount),
    command('bitpos', -3, 'readonly', READ, bitPos),
    command('bitop', -4, 'write denyoom', ['2 OW update', '3..-1 RO access'], bitOp),
  ],
}
