/**
 * Lua 5.1 as an interpreter that can stop between any two instructions and go on later. It knows
 * nothing of Redis, has no clock, no randomness and no I/O, and keeps its memory and its depth within
 * limits. A host makes a machine, adds functions of its own, loads chunks and runs them in slices:
 *
 *     language/   text → tokens → tree, with names resolved
 *     compiler/   tree → instructions for a machine with registers
 *     machine/    the loop, calls and errors, operators
 *     library/    what Lua 5.1 comes with
 */
import { addBase } from './library/base.ts'
import { addCoroutines } from './library/coroutines.ts'
import { addMaths } from './library/maths.ts'
import { addStrings } from './library/strings.ts'
import { addTables } from './library/tables.ts'
import { Machine } from './machine/machine.ts'

/** A machine with the libraries; `limitBytes`: how much scripts may keep in it. */
export function createMachine(limitBytes: number): Machine {
  const machine = new Machine(limitBytes)
  addBase(machine)
  addTables(machine)
  addStrings(machine)
  addMaths(machine)
  addCoroutines(machine)
  return machine
}
