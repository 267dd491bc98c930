/** `struct.*`: values packed as C lays them out, by the letters of a format. */

import {
  argumentError,
  checkStack,
  numberAt,
  optionalInteger,
  textAt,
  truncatedUnsigned,
} from '../../../lua/library/arguments.ts'
import { addLibrary } from '../../../lua/library/library.ts'
import type { Native, NativeResult } from '../../../lua/machine/functions.ts'
import type { Machine } from '../../../lua/machine/machine.ts'
import type { LuaValue } from '../../../lua/values.ts'
import { doubleBytes, doubleOf, floatBytes, floatOf } from './float-bytes.ts'

const MAX_INTEGER_BYTES = 32
const MAX_ALIGN = 8
const MAX_SIZE = 0x7fffffff
/** The letters that stand for a value; `x` is a byte without one. */
const VALUES = new Set('bBhHlLTiIfdsc')

export function addStruct(machine: Machine): void {
  addLibrary(machine, 'struct', { pack, unpack, size })
}

interface Item {
  readonly letter: string
  readonly size: number
  /** Bytes before it, so that it stands where it must. */
  readonly padding: number
  readonly isLittle: boolean
}

/** Reads a format letter by letter; `offset` moves on as items are taken. */
class Format {
  offset: number
  readonly #native: Native
  readonly #text: string
  #at = 0
  #isLittle = true
  #align = 1

  constructor(native: Native, text: string, offset: number) {
    this.#native = native
    this.#text = text
    this.offset = offset
  }

  next(): Item | undefined {
    const letter = this.#text[this.#at++]
    if (letter === undefined) return undefined
    const size = this.#sizeOf(letter)
    return { letter, size, padding: this.#padding(letter, size), isLittle: this.#isLittle }
  }

  /** What a letter that stands for no value does to those behind it. */
  control(letter: string): void {
    if (letter === ' ') return
    if (letter === '<' || letter === '>') {
      this.#isLittle = letter === '<'
      return
    }
    if (letter !== '!') throw argumentError(this.#native, 0, `invalid format option '${letter}'`)
    const align = this.#number(MAX_ALIGN)
    if (align === 0 || (align & (align - 1)) !== 0)
      throw this.#native.fail(`alignment ${align} is not a power of 2`)
    this.#align = align
  }

  #sizeOf(letter: string): number {
    switch (letter) {
      case 'B':
      case 'b':
      case 'x':
        return 1
      case 'H':
      case 'h':
        return 2
      case 'L':
      case 'l':
      case 'T':
      case 'd':
        return 8
      case 'f':
        return 4
      case 'c':
        return this.#number(1)
      case 'i':
      case 'I': {
        const size = this.#number(4)
        if (size > MAX_INTEGER_BYTES) {
          throw this.#native.fail(
            `integral size ${size} is larger than limit of ${MAX_INTEGER_BYTES}`,
          )
        }
        return size
      }
      default:
        return 0
    }
  }

  #number(otherwise: number): number {
    const digits = /^\d+/.exec(this.#text.slice(this.#at, this.#at + 20))?.[0]
    if (digits === undefined) return otherwise
    this.#at += digits.length
    if (Number(digits) > MAX_SIZE) throw this.#native.fail('integral size overflow')
    return Number(digits)
  }

  #padding(letter: string, size: number): number {
    if (size === 0 || letter === 'c') return 0
    const align = Math.min(size, this.#align)
    return align > 1 ? (align - (this.offset & (align - 1))) & (align - 1) : 0
  }
}

function pack(args: LuaValue[], native: Native): NativeResult {
  // A missing argument is nil.
  if (args.length > 0) args.push(undefined)
  const format = new Format(native, textAt(native, args, 0), 0)
  let text = ''
  let next = 1
  for (let item = format.next(); item !== undefined; item = format.next()) {
    text += '\0'.repeat(item.padding)
    if (item.letter === 'x') text += '\0'
    else if (!VALUES.has(item.letter)) format.control(item.letter)
    else text += packedItem(native, args, next++, item)
    format.offset = text.length
    native.heap.charge(item.size + 1)
    native.spend(1 + (item.size >> 4))
  }
  return text
}

function packedItem(native: Native, args: LuaValue[], at: number, item: Item): string {
  const { letter, size, isLittle } = item
  switch (letter) {
    case 's':
      return `${textAt(native, args, at)}\0`
    case 'c': {
      const text = textAt(native, args, at)
      if (text.length < size) throw argumentError(native, at + 1, 'string too short')
      return size === 0 ? text : text.slice(0, size)
    }
    case 'f':
      return ordered(floatBytes(numberAt(native, args, at)), isLittle)
    case 'd':
      return ordered(doubleBytes(numberAt(native, args, at)), isLittle)
    default:
      return integerBytes(numberAt(native, args, at), size, isLittle)
  }
}

function integerBytes(number: number, size: number, isLittle: boolean): string {
  let rest = BigInt.asUintN(64, BigInt(truncatedUnsigned(number)))
  let text = ''
  for (let at = 0; at < size; at++) {
    text = String.fromCharCode(Number(rest & 255n)) + text
    rest >>= 8n
  }
  return ordered(text, isLittle)
}

function ordered(bytes: string, isLittle: boolean): string {
  return isLittle ? [...bytes].reverse().join('') : bytes
}

function unpack(args: LuaValue[], native: Native): NativeResult {
  const text = textAt(native, args, 1)
  const start = optionalInteger(native, args, 2, 1) - 1
  if (start < 0) throw argumentError(native, 2, 'offset must be 1 or greater')
  const format = new Format(native, textAt(native, args, 0), start)
  const values: LuaValue[] = []
  for (let item = format.next(); item !== undefined; item = format.next()) {
    const at = format.offset + item.padding
    if (at > text.length || item.size > text.length - at) throw tooShort(native)
    // The position behind the last item is a result, too.
    checkStack(native, args, values.length + 2, 'too many results')
    if (VALUES.has(item.letter) || item.letter === 'x') {
      format.offset = takeItem(native, text, at, item, values)
    } else format.control(item.letter)
  }
  return [...values, format.offset + 1]
}

function tooShort(native: Native) {
  return argumentError(native, 1, 'data string too short')
}

/** Returns where the next item begins. */
function takeItem(
  native: Native,
  text: string,
  at: number,
  item: Item,
  values: LuaValue[],
): number {
  const { letter, size, isLittle } = item
  switch (letter) {
    case 'x':
      return at + 1
    case 's': {
      const end = text.indexOf('\0', at)
      if (end < 0) throw native.fail('unfinished string in data')
      values.push(text.slice(at, end))
      return end + 1
    }
    case 'c': {
      const count = size > 0 ? size : lengthBefore(native, values)
      if (at + count > text.length) throw tooShort(native)
      values.push(text.slice(at, at + count))
      return at + count
    }
    case 'f':
      values.push(floatOf(ordered(text.slice(at, at + size), isLittle)))
      return at + size
    case 'd':
      values.push(doubleOf(ordered(text.slice(at, at + size), isLittle)))
      return at + size
    default:
      values.push(integerOf(ordered(text.slice(at, at + size), isLittle), letter))
      return at + size
  }
}

/** `c0` takes as many bytes as the item before it says. */
function lengthBefore(native: Native, values: LuaValue[]): number {
  const length = values.pop()
  if (typeof length !== 'number') throw native.fail("format 'c0' needs a previous size")
  if (length < 0) throw native.fail('invalid size for c0')
  return length
}

function integerOf(bytes: string, letter: string): number {
  let value = 0n
  for (let at = 0; at < bytes.length; at++) value = (value << 8n) | BigInt(bytes.charCodeAt(at))
  const isSigned = letter >= 'a' && letter <= 'z'
  const bits = Math.min(bytes.length * 8, 64)
  return Number(isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(64, value))
}

function size(args: LuaValue[], native: Native): NativeResult {
  const format = new Format(native, textAt(native, args, 0), 0)
  for (let item = format.next(); item !== undefined; item = format.next()) {
    if (item.letter === 's') throw argumentError(native, 0, "option 's' has no fixed size")
    // As in Redis, a letter that says nothing has the size 0 here, and is refused by the others.
    if (!/[0-9A-Za-z]/.test(item.letter)) format.control(item.letter)
    if (item.letter === 'c' && item.size === 0)
      throw argumentError(native, 0, "option 'c0' has no fixed size")
    format.offset += item.padding + item.size
    if (format.offset > MAX_SIZE) throw argumentError(native, 0, 'size overflow')
  }
  return format.offset
}
