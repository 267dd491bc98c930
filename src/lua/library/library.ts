/** Puts the functions and constants of a library into a table, and the table into the globals. */
import type { NativeCode } from '../machine/functions.ts'
import type { Machine } from '../machine/machine.ts'
import type { LuaTable } from '../table.ts'
import type { LuaValue } from '../values.ts'

export function addLibrary(
  machine: Machine,
  name: string,
  functions: Readonly<Record<string, NativeCode>>,
  constants: Readonly<Record<string, LuaValue>> = {},
): LuaTable {
  const table = machine.newTable()
  for (const [key, code] of Object.entries(functions)) table.set(key, machine.native(key, code))
  for (const [key, value] of Object.entries(constants)) table.set(key, value)
  machine.globals.set(name, table)
  return table
}
