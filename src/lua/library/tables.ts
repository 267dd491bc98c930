/** `table.*` */
import {
  CallRequest,
  inSteps,
  type Native,
  type NativeCode,
  type NativeResult,
  type StepGenerator,
} from '../machine/functions.ts'
import type { Machine } from '../machine/machine.ts'
import { numberText } from '../number-text.ts'
import type { LuaTable } from '../table.ts'
import { type LuaValue, typeName } from '../values.ts'
import {
  checkRoom,
  checkWritable,
  intAt,
  optionalInt,
  tableAt,
  textAt,
  wrongType,
} from './arguments.ts'
import { addLibrary } from './library.ts'
import { sort } from './sort.ts'

/** Elements are moved one by one, which is work that scripts ask for with one call. */
const MOVED_PER_STEP = 2

const FUNCTIONS: Record<string, NativeCode> = {
  concat,
  insert,
  remove,
  sort,
  getn: (args, native) => tableAt(native, args, 0).length(),
  setn: (args, native) => {
    tableAt(native, args, 0)
    throw native.fail("'setn' is obsolete")
  },
  maxn: (args, native) => {
    let most = 0
    for (const [key] of tableAt(native, args, 0).entries()) {
      if (typeof key === 'number' && key > most) most = key
    }
    return most
  },
  foreach: (args, native) => inSteps(forEach(tableAt(native, args, 0), callbackAt(native, args))),
  foreachi: (args, native) => inSteps(forItems(tableAt(native, args, 0), callbackAt(native, args))),
}

export function addTables(machine: Machine): void {
  addLibrary(machine, 'table', FUNCTIONS)
}

function concat(args: LuaValue[], native: Native): NativeResult {
  const between = args[1] === undefined ? '' : textAt(native, args, 1)
  const table = tableAt(native, args, 0)
  const first = optionalInt(native, args, 2, 1)
  const last = args[3] === undefined ? table.length() : intAt(native, args, 3)
  const pieces: string[] = []
  let bytes = 0
  for (let at = first; at <= last; at++) {
    const value = table.getNumber(at)
    if (typeof value !== 'string' && typeof value !== 'number') {
      const type = typeName(value)
      throw native.fail(`invalid value (${type}) at index ${at} in table for 'concat'`)
    }
    const piece = typeof value === 'string' ? value : numberText(value)
    bytes += piece.length + between.length + 8
    checkRoom(native, bytes)
    pieces.push(piece)
  }
  native.spend(pieces.length)
  return pieces.join(between)
}

function insert(args: LuaValue[], native: Native): NativeResult {
  const table = tableAt(native, args, 0)
  checkWritable(table)
  const end = table.length() + 1
  if (args.length === 2) {
    table.setNumber(end, args[1])
  } else if (args.length === 3) {
    const place = intAt(native, args, 1)
    const last = Math.max(place, end)
    for (let at = last; at > place; at--) table.setNumber(at, table.getNumber(at - 1))
    native.spend((last - place) / MOVED_PER_STEP)
    table.setNumber(place, args[2])
  } else {
    throw native.fail("wrong number of arguments to 'insert'")
  }
  return []
}

function remove(args: LuaValue[], native: Native): NativeResult {
  const table = tableAt(native, args, 0)
  checkWritable(table)
  const end = table.length()
  const place = optionalInt(native, args, 1, end)
  if (place < 1 || place > end) return []
  const removed = table.getNumber(place)
  for (let at = place; at < end; at++) table.setNumber(at, table.getNumber(at + 1))
  native.spend((end - place) / MOVED_PER_STEP)
  table.setNumber(end, undefined)
  return removed
}

function callbackAt(native: Native, args: readonly LuaValue[]): LuaValue {
  if (typeName(args[1]) !== 'function') throw wrongType(native, args, 1, 'function')
  return args[1]
}

function* forEach(table: LuaTable, callback: LuaValue): StepGenerator {
  for (let at = table.nextIndex(0); at >= 0; ) {
    const key = table.keyAt(at)
    const [result] = yield new CallRequest(callback, [key, table.valueAt(at)])
    if (result !== undefined) return result
    at = table.nextIndex(table.indexAfter(key))
  }
  return []
}

function* forItems(table: LuaTable, callback: LuaValue): StepGenerator {
  const count = table.length()
  for (let at = 1; at <= count; at++) {
    const [result] = yield new CallRequest(callback, [at, table.getNumber(at)])
    if (result !== undefined) return result
  }
  return []
}
