/** What natives want of their arguments, and the errors of Lua 5.1 when they get something else. */
import { OutOfMemory } from '../heap.ts'
import type { Native } from '../machine/functions.ts'
import { toNumber, toText } from '../machine/operators.ts'
import { LuaTable } from '../table.ts'
import { LuaError, type LuaValue, typeName } from '../values.ts'

/** `at` counts from 0. */
export function argumentError(native: Native, at: number, message: string): LuaError {
  const { name, isMethod } = native.calledAs()
  const number = isMethod ? at : at + 1
  if (isMethod && number === 0) return native.fail(`calling '${name}' on bad self (${message})`)
  return native.fail(`bad argument #${number} to '${name}' (${message})`)
}

export function wrongType(
  native: Native,
  args: readonly LuaValue[],
  at: number,
  wanted: string,
): LuaError {
  const got = at < args.length ? typeName(args[at]) : 'no value'
  return argumentError(native, at, `${wanted} expected, got ${got}`)
}

export function textAt(native: Native, args: readonly LuaValue[], at: number): string {
  const value = args[at]
  if (typeof value === 'string') return value
  const text = toText(value)
  if (text === undefined) throw wrongType(native, args, at, 'string')
  return text
}

export function numberAt(native: Native, args: readonly LuaValue[], at: number): number {
  const value = args[at]
  if (typeof value === 'number') return value
  const number = toNumber(value)
  if (number === undefined) throw wrongType(native, args, at, 'number')
  return number
}

/** As C converts to an integer. */
export function integerAt(native: Native, args: readonly LuaValue[], at: number): number {
  return truncated(numberAt(native, args, at))
}

export function truncated(value: number): number {
  if (Number.isNaN(value) || Math.abs(value) >= 2 ** 63) return -(2 ** 63)
  return Math.trunc(value)
}

/** The same for an `unsigned long`: what is too large for it becomes 0, as on this hardware. */
export function truncatedUnsigned(value: number): number {
  if (value >= 2 ** 64) return 0
  return value >= 2 ** 63 ? value : truncated(value)
}

/** The same for an `int` of 32 bits, in which larger numbers wrap. */
export function intAt(native: Native, args: readonly LuaValue[], at: number): number {
  return integerAt(native, args, at) | 0
}

export function optionalInt(
  native: Native,
  args: readonly LuaValue[],
  at: number,
  otherwise: number,
): number {
  return args[at] === undefined ? otherwise : intAt(native, args, at)
}

/** Nil and nothing are the default. */
export function optionalInteger(
  native: Native,
  args: readonly LuaValue[],
  at: number,
  otherwise: number,
): number {
  return args[at] === undefined ? otherwise : integerAt(native, args, at)
}

export function tableAt(native: Native, args: readonly LuaValue[], at: number): LuaTable {
  const value = args[at]
  if (value instanceof LuaTable) return value
  throw wrongType(native, args, at, 'table')
}

/** Any value, nil included, but not none. */
export function anyAt(native: Native, args: readonly LuaValue[], at: number): LuaValue {
  if (at >= args.length) throw argumentError(native, at, 'value expected')
  return args[at]
}

/** Before a native makes a text of so many bytes. */
export function checkRoom(native: Native, bytes: number): void {
  if (bytes > native.heap.limitBytes) throw new OutOfMemory()
}

/** What a function of C may hold at once, its arguments and its results together (LUAI_MAXCSTACK). */
const STACK_SLOTS = 8_000

export function hasStackFor(args: readonly LuaValue[], results: number): boolean {
  return args.length + results <= STACK_SLOTS
}

/** `what` is too much, in the words of the function. */
export function checkStack(
  native: Native,
  args: readonly LuaValue[],
  results: number,
  what: string,
): void {
  if (!hasStackFor(args, results)) throw native.fail(`stack overflow (${what})`)
}

/** Before a native changes a table. The error names no place, as all that C itself raises. */
export function checkWritable(table: LuaTable): void {
  if (table.isReadOnly) throw new LuaError('Attempt to modify a readonly table')
}
