/** The functions without a prefix: `pairs`, `pcall`, `tostring` and so on. */
import {
  CallRequest,
  Closure,
  inSteps,
  type Native,
  type NativeCode,
  NativeFunction,
  type NativeResult,
  ProtectRequest,
  type StepGenerator,
} from '../machine/functions.ts'
import type { Machine } from '../machine/machine.ts'
import { toText } from '../machine/operators.ts'
import { numberText, parseInBase, parseNumber } from '../number-text.ts'
import { LuaTable } from '../table.ts'
import { isTrue, LuaError, type LuaObject, type LuaValue, typeName } from '../values.ts'
import {
  anyAt,
  argumentError,
  checkWritable,
  hasStackFor,
  intAt,
  optionalInt,
  tableAt,
  textAt,
  wrongType,
} from './arguments.ts'

export function addBase(machine: Machine): void {
  const { globals } = machine
  const add = (name: string, code: NativeCode) => globals.set(name, machine.native(name, code))
  for (const [name, code] of Object.entries(PLAIN)) add(name, code)
  const next = machine.native('next', nextPair)
  const step = machine.native('ipairs step', nextItem)
  globals.set('next', next)
  add('pairs', (args, native) => [next, tableAt(native, args, 0), undefined])
  add('ipairs', (args, native) => [step, tableAt(native, args, 0), 0])
  add('loadstring', (args, native) => loadString(machine, native, args))
  add('load', (args, native) => inSteps(loadPieces(machine, native, args)))
  globals.set('_G', globals)
  globals.set('_VERSION', 'Lua 5.1')
}

const PLAIN: Record<string, NativeCode> = {
  assert: (args, native) => {
    if (isTrue(anyAt(native, args, 0))) return args
    throw native.fail(args[1] === undefined ? 'assertion failed!' : textAt(native, args, 1))
  },
  collectgarbage,
  error: (args, native) => {
    const level = optionalInt(native, args, 1, 1)
    const [value] = args
    const text = toText(value)
    if (text === undefined || level <= 0) throw new LuaError(value)
    throw native.fail(text, level)
  },
  gcinfo: (_args, { heap }) => Math.floor(heap.usedBytes / 1024),
  getmetatable: (args, native) => {
    const metatable = native.metatableOf(anyAt(native, args, 0))
    return metatable?.getString('__metatable', 0) ?? metatable
  },
  pcall: (args, native) => new ProtectRequest(anyAt(native, args, 0), args.slice(1)),
  rawequal: (args, native) => anyAt(native, args, 0) === anyAt(native, args, 1),
  rawget: (args, native) => tableAt(native, args, 0).get(anyAt(native, args, 1)),
  rawset,
  select,
  setmetatable: setMetatable,
  tonumber: toNumberOf,
  tostring: textOf,
  type: (args, native) => typeName(anyAt(native, args, 0)),
  unpack,
  xpcall: (args, native) => {
    const handler = anyAt(native, args, 1)
    return new ProtectRequest(args[0], [], { value: handler })
  },
}

/** `tostring` of a value without a metatable of its own. */
function plainText(value: LuaValue): string {
  switch (typeof value) {
    case 'undefined':
      return 'nil'
    case 'string':
      return value
    case 'number':
      return numberText(value)
    case 'boolean':
      return String(value)
    default:
      return `${value.typeName}: ${addressText(value)}`
  }
}

function addressText({ address }: LuaObject): string {
  if (address === 0) return '(nil)'
  return `0x${address.toString(16).padStart(12, '0')}`
}

function textOf(args: LuaValue[], native: Native): NativeResult {
  const value = anyAt(native, args, 0)
  const handler = native.metatableOf(value)?.getString('__tostring', 0)
  return handler === undefined ? plainText(value) : new CallRequest(handler, [value])
}

function toNumberOf(args: LuaValue[], native: Native): NativeResult {
  const base = optionalInt(native, args, 1, 10)
  if (base === 10) {
    const value = anyAt(native, args, 0)
    if (typeof value === 'number') return value
    return typeof value === 'string' ? parseNumber(value) : undefined
  }
  const text = textAt(native, args, 0)
  if (base < 2 || base > 36) throw argumentError(native, 1, 'base out of range')
  return parseInBase(text, base)
}

function nextPair(args: LuaValue[], native: Native): NativeResult {
  const table = tableAt(native, args, 0)
  const from = table.indexAfter(args[1])
  if (from < 0) throw new LuaError("invalid key to 'next'")
  const at = table.nextIndex(from)
  return at < 0 ? undefined : [table.keyAt(at), table.valueAt(at)]
}

function nextItem(args: LuaValue[], native: Native): NativeResult {
  const index = intAt(native, args, 1) + 1
  const value = tableAt(native, args, 0).getNumber(index)
  return value === undefined ? undefined : [index, value]
}

function rawset(args: LuaValue[], native: Native): NativeResult {
  const table = tableAt(native, args, 0)
  const key = anyAt(native, args, 1)
  const value = anyAt(native, args, 2)
  checkWritable(table)
  if (key === undefined) throw new LuaError('table index is nil')
  if (typeof key === 'number' && Number.isNaN(key)) throw new LuaError('table index is NaN')
  table.set(key, value)
  return table
}

function select(args: LuaValue[], native: Native): NativeResult {
  if (args[0] === '#') return args.length - 1
  const at = intAt(native, args, 0)
  const from = at < 0 ? args.length + at : Math.min(at, args.length)
  if (from < 1) throw argumentError(native, 0, 'index out of range')
  return args.slice(from)
}

function setMetatable(args: LuaValue[], native: Native): NativeResult {
  const table = tableAt(native, args, 0)
  const [, metatable] = args
  if (args.length < 2 || (metatable !== undefined && !(metatable instanceof LuaTable))) {
    throw argumentError(native, 1, 'nil or table expected')
  }
  if (table.metatable?.getString('__metatable', 0) !== undefined) {
    throw native.fail('cannot change a protected metatable')
  }
  checkWritable(table)
  table.metatable = metatable
  return table
}

function unpack(args: LuaValue[], native: Native): NativeResult {
  const table = tableAt(native, args, 0)
  const first = optionalInt(native, args, 1, 1)
  const last = args[2] === undefined ? table.length() : intAt(native, args, 2)
  if (first > last) return []
  if (!hasStackFor(args, last - first + 1)) throw native.fail('too many results to unpack')
  native.spend(last - first + 1)
  const values: LuaValue[] = []
  for (let at = first; at <= last; at++) values.push(table.getNumber(at))
  return values
}

/** There is a collector, but not one that scripts could steer; they are told that it ran. */
function collectgarbage(args: LuaValue[], native: Native): NativeResult {
  const option = args[0] === undefined ? 'collect' : textAt(native, args, 0)
  switch (option) {
    case 'count':
      return native.heap.usedBytes / 1024
    case 'collect':
      native.heap.collect()
      return 0
    case 'step':
      return true
    case 'stop':
    case 'restart':
      return 0
    case 'setpause':
    case 'setstepmul':
      return 200
    default:
      throw argumentError(native, 0, `invalid option '${option}'`)
  }
}

function loadString(machine: Machine, native: Native, args: LuaValue[]): NativeResult {
  const text = textAt(native, args, 0)
  const name = args[1] === undefined ? text : textAt(native, args, 1)
  return loaded(machine, text, name)
}

function loaded(machine: Machine, text: string, name: string): NativeResult {
  const result = machine.load(text, name)
  return result instanceof Closure ? result : [undefined, result.message]
}

/** The pieces come from a function, until it returns nothing more. */
function* loadPieces(machine: Machine, native: Native, args: LuaValue[]): StepGenerator {
  const [reader] = args
  const isFunction = reader instanceof Closure || reader instanceof NativeFunction
  if (!isFunction) throw wrongType(native, args, 0, 'function')
  const name = args[1] === undefined ? '=(load)' : textAt(native, args, 1)
  let text = ''
  for (;;) {
    const [piece] = yield new CallRequest(reader, [])
    if (piece === undefined || piece === '') break
    if (typeof piece !== 'string') {
      return [undefined, `${native.fail('reader function must return a string').value}`]
    }
    text += piece
    native.heap.charge(piece.length)
  }
  return loaded(machine, text, name) as LuaValue
}
