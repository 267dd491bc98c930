/**
 * The globals of scripts: the libraries of Redis beside those of Lua, all read-only, so that no script
 * can change what another one sees. Names that do not exist are errors.
 */

import { anyAt } from '../../lua/library/arguments.ts'
import { createMachine } from '../../lua/lua.ts'
import { type NativeCode, ProtectRequest } from '../../lua/machine/functions.ts'
import type { Machine } from '../../lua/machine/machine.ts'
import { toText } from '../../lua/machine/operators.ts'
import { LuaTable } from '../../lua/table.ts'
import type { LuaValue } from '../../lua/values.ts'
import { addBit } from './libraries/bit.ts'
import { addJson } from './libraries/cjson.ts'
import { addMessagePack } from './libraries/cmsgpack.ts'
import { addStruct } from './libraries/struct.ts'
import { addRedis } from './redis-library.ts'
import { raisedText } from './reply-conversion.ts'
import type { RunningScript } from './run.ts'

/** `prepare` adds what else there is before everything becomes read-only. */
export function createEnvironment(
  limitBytes: number,
  running: () => RunningScript | undefined,
  prepare: (machine: Machine, redis: LuaTable) => void,
): Machine {
  const machine = createMachine(limitBytes)
  addBit(machine)
  addJson(machine)
  addMessagePack(machine)
  addStruct(machine)
  const redis = addRedis(machine, running)
  addServerName(machine.globals, redis)
  machine.globals.set('pcall', machine.native('pcall', protectedCall))
  prepare(machine, redis)
  protect(machine)
  return machine
}

/**
 * Scripts of Valkey say `server` for `redis`: those of client libraries, and those in the dumps and streams of a
 * Valkey master, whose functions would otherwise not load.
 */
export function addServerName(globals: LuaTable, redis: LuaTable): void {
  globals.set('server', redis)
}

/** An error that a command answered reaches scripts as its text. */
const protectedCall: NativeCode = (args, native) => {
  if (args.length === 0) return [false, 'attempt to call a boolean value']
  const request = new ProtectRequest(anyAt(native, args, 0), args.slice(1))
  request.translate = textOfError
  return request
}

function textOfError(value: LuaValue): LuaValue {
  if (!(value instanceof LuaTable)) return value
  return toText(value.get('err')) ?? value
}

/** The handler that Redis gives to the calls of scripts, which scripts can see. */
export const describeError: NativeCode = ([value], native) => {
  if (value instanceof LuaTable) return value
  const table = native.newTable()
  table.set('err', raisedText(value))
  return table
}

/** Reading a name that does not exist is an error. */
export function refuseUnknown(machine: Machine, table: LuaTable): void {
  const metatable = machine.newTable()
  metatable.set(
    '__index',
    machine.native('__index', ([, name], native) => {
      const shown = toText(name) ?? ''
      throw native.fail(`Script attempted to access nonexistent global variable '${shown}'`)
    }),
  )
  metatable.isReadOnly = true
  table.metatable = metatable
  table.isReadOnly = true
}

function protect(machine: Machine): void {
  const { globals } = machine
  refuseUnknown(machine, globals)
  const seen = new Set<LuaTable>()
  const lock = (table: LuaTable) => {
    if (seen.has(table)) return
    seen.add(table)
    table.isReadOnly = true
    for (const [, value] of table.entries()) if (value instanceof LuaTable) lock(value)
    if (table.metatable !== undefined) lock(table.metatable)
  }
  lock(globals)
  lock(machine.stringMeta)
}
