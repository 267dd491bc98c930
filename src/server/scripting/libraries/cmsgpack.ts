/** `cmsgpack.*`: MessagePack as lua-cmsgpack 0.4 writes and reads it. */

import { OutOfMemory } from '../../../lua/heap.ts'
import {
  argumentError,
  checkStack,
  integerAt,
  optionalInteger,
  textAt,
} from '../../../lua/library/arguments.ts'
import { addLibrary } from '../../../lua/library/library.ts'
import type { Native, NativeResult } from '../../../lua/machine/functions.ts'
import type { Machine } from '../../../lua/machine/machine.ts'
import { LuaTable } from '../../../lua/table.ts'
import type { LuaValue } from '../../../lua/values.ts'
import { doubleBytes, doubleOf, floatBytes, floatOf } from './float-bytes.ts'

/** Tables nested deeper than this are written as nil. */
const MAX_NESTING = 16
/** Read data may be nested deeper than what is written, but reading is recursive. */
const MAX_READ_NESTING = 1_000
const TOO_MANY = 'too many return values at once; use unpack_one or unpack_limit instead.'
/** What a value takes, in instructions. */
const VALUE_STEPS = 20

export function addMessagePack(machine: Machine): void {
  addLibrary(
    machine,
    'cmsgpack',
    {
      pack: (args, native) => {
        if (args.length === 0) throw argumentError(native, -1, 'MessagePack pack needs input.')
        return args.map((value) => packed(native, value, 0)).join('')
      },
      unpack: (args, native) => unpackMany(native, args, 0, 0),
      unpack_one: (args, native) => {
        const offset = optionalInteger(native, args, 1, 0)
        return unpackMany(native, args, 1, offset)
      },
      unpack_limit: (args, native) => {
        const limit = integerAt(native, args, 1)
        const offset = optionalInteger(native, args, 2, 0)
        return unpackMany(native, args, limit, offset)
      },
    },
    {
      _NAME: 'cmsgpack',
      _VERSION: 'lua-cmsgpack 0.4.0',
      _COPYRIGHT: 'Copyright (C) 2012, Salvatore Sanfilippo',
      _DESCRIPTION: 'MessagePack C implementation for Lua',
    },
  )
}

function unsigned(value: number | bigint, bytes: number): string {
  let text = ''
  let rest = BigInt.asUintN(bytes * 8, BigInt(value))
  for (let at = 0; at < bytes; at++) {
    text = String.fromCharCode(Number(rest & 255n)) + text
    rest >>= 8n
  }
  return text
}

function packed(native: Native, value: LuaValue, level: number): string {
  native.spend(VALUE_STEPS)
  switch (typeof value) {
    case 'string':
      native.heap.charge(value.length)
      native.spend(value.length >> 4)
      return head(value.length, 0xa0, 31, ['\xd9', '\xda', '\xdb']) + value
    case 'number':
      return packedNumber(value)
    case 'boolean':
      return value ? '\xc3' : '\xc2'
    default:
      if (!(value instanceof LuaTable) || level >= MAX_NESTING) return '\xc0'
      return packedTable(native, value, level + 1)
  }
}

/** The length before a string, an array or a map. */
function head(
  length: number,
  fix: number,
  fixMost: number,
  marks: readonly (string | undefined)[],
): string {
  if (length <= fixMost) return String.fromCharCode(fix | length)
  const [one, two, four] = marks
  if (length <= 0xff && one !== undefined) return one + unsigned(length, 1)
  if (length <= 0xffff) return two + unsigned(length, 2)
  return four + unsigned(length, 4)
}

function packedNumber(value: number): string {
  const isInteger = Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63
  if (!isInteger) {
    return Math.fround(value) === value ? `\xca${floatBytes(value)}` : `\xcb${doubleBytes(value)}`
  }
  if (value >= 0) {
    if (value <= 127) return String.fromCharCode(value)
    if (value <= 0xff) return `\xcc${unsigned(value, 1)}`
    if (value <= 0xffff) return `\xcd${unsigned(value, 2)}`
    if (value <= 0xffffffff) return `\xce${unsigned(value, 4)}`
    return `\xcf${unsigned(value, 8)}`
  }
  if (value >= -32) return unsigned(value, 1)
  if (value >= -128) return `\xd0${unsigned(value, 1)}`
  if (value >= -32768) return `\xd1${unsigned(value, 2)}`
  if (value >= -(2 ** 31)) return `\xd2${unsigned(value, 4)}`
  return `\xd3${unsigned(value, 8)}`
}

function packedTable(native: Native, table: LuaTable, level: number): string {
  const length = listLength(table)
  const pieces: string[] = []
  if (length !== undefined) {
    pieces.push(head(length, 0x90, 15, [undefined, '\xdc', '\xdd']))
    for (let at = 1; at <= length; at++) pieces.push(packed(native, table.getNumber(at), level))
  } else {
    const entries = [...table.entries()]
    pieces.push(head(entries.length, 0x80, 15, [undefined, '\xde', '\xdf']))
    for (const [key, value] of entries) {
      pieces.push(packed(native, key, level), packed(native, value, level))
    }
  }
  const text = pieces.join('')
  if (text.length > native.heap.limitBytes) throw new OutOfMemory()
  return text
}

/** The length of a table whose keys are exactly 1 to n; an empty table is a list. */
function listLength(table: LuaTable): number | undefined {
  let most = 0
  let count = 0
  for (const [key] of table.entries()) {
    if (typeof key !== 'number' || key < 1 || !Number.isInteger(key)) return undefined
    most = Math.max(most, key)
    count++
  }
  return most === count ? count : undefined
}

/**
 * The first result says where to go on; -1: at the end. A call for everything from the
 * beginning, with neither limit nor offset, gets the values alone.
 */
function unpackMany(
  native: Native,
  args: readonly LuaValue[],
  limit: number,
  offset: number,
): NativeResult {
  const text = textAt(native, args, 0)
  if (offset < 0 || limit < 0) {
    throw native.fail(
      `Invalid request to unpack with offset of ${offset} and limit of ${text.length}.`,
    )
  }
  if (offset > text.length) {
    throw native.fail(`Start offset ${offset} greater than input length ${text.length}.`)
  }
  const reader = new PackReader(native, text, offset)
  const values: LuaValue[] = []
  const isWhole = limit === 0 && offset === 0
  const most = isWhole ? Number.POSITIVE_INFINITY : limit
  while (!reader.isAtEnd && values.length < most) {
    // A limit and an offset have been taken off by now.
    checkStack(native, [text], values.length + 1, TOO_MANY)
    values.push(reader.read(0))
  }
  if (isWhole) return values
  checkStack(native, [text], values.length + 1, 'in function mp_unpack_full')
  return [reader.isAtEnd ? -1 : reader.at, ...values]
}

class PackReader {
  at: number
  readonly #native: Native
  readonly #text: string

  constructor(native: Native, text: string, at: number) {
    this.#native = native
    this.#text = text
    this.at = at
  }

  get isAtEnd(): boolean {
    return this.at >= this.#text.length
  }

  read(level: number): LuaValue {
    if (level > MAX_READ_NESTING) throw this.#native.fail('Bad data format in input.')
    this.#native.spend(VALUE_STEPS)
    const mark = Number(this.#unsigned(1))
    if (mark <= 0x7f) return mark
    if (mark >= 0xe0) return mark - 256
    if (mark >= 0xa0 && mark <= 0xbf) return this.#bytes(mark & 31)
    if (mark >= 0x90 && mark <= 0x9f) return this.#list(mark & 15, level)
    if (mark <= 0x8f) return this.#map(mark & 15, level)
    return this.#marked(mark, level)
  }

  #marked(mark: number, level: number): LuaValue {
    switch (mark) {
      case 0xc0:
        return undefined
      case 0xc2:
      case 0xc3:
        return mark === 0xc3
      case 0xca:
        return floatOf(this.#bytes(4))
      case 0xcb:
        return doubleOf(this.#bytes(8))
      case 0xcc:
      case 0xcd:
      case 0xce:
        return Number(this.#unsigned(2 ** (mark - 0xcc)))
      case 0xcf:
        // Lua 5.1 has signed integers only: from 2^63 on, Redis hands out a negative number.
        return Number(BigInt.asIntN(64, this.#unsigned(8)))
      case 0xd0:
      case 0xd1:
      case 0xd2:
      case 0xd3: {
        const bytes = 2 ** (mark - 0xd0)
        return Number(BigInt.asIntN(bytes * 8, this.#unsigned(bytes)))
      }
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#bytes(Number(this.#unsigned(2 ** (mark - 0xd9))))
      case 0xdc:
      case 0xdd:
        return this.#list(Number(this.#unsigned(2 * 2 ** (mark - 0xdc))), level)
      case 0xde:
      case 0xdf:
        return this.#map(Number(this.#unsigned(2 * 2 ** (mark - 0xde))), level)
      default:
        throw this.#native.fail('Bad data format in input.')
    }
  }

  #unsigned(count: number): bigint {
    const bytes = this.#bytes(count)
    let value = 0n
    for (let at = 0; at < count; at++) value = (value << 8n) | BigInt(bytes.charCodeAt(at))
    return value
  }

  #bytes(count: number): string {
    const end = this.at + count
    if (end > this.#text.length) throw this.#native.fail('Missing bytes in input.')
    const bytes = this.#text.slice(this.at, end)
    this.at = end
    return bytes
  }

  #list(count: number, level: number): LuaValue {
    const table = this.#native.newTable()
    for (let index = 1; index <= count; index++) table.setNumber(index, this.read(level + 1))
    return table
  }

  #map(count: number, level: number): LuaValue {
    const table = this.#native.newTable()
    for (let index = 0; index < count; index++) {
      const key = this.read(level + 1)
      const value = this.read(level + 1)
      if (key === undefined) throw this.#native.fail('table index is nil')
      if (typeof key === 'number' && Number.isNaN(key))
        throw this.#native.fail('table index is NaN')
      table.set(key, value)
    }
    return table
  }
}
