/** Runs programs in our interpreter, with the globals that scripts have. */

import { Closure } from '../../src/lua/machine/functions.ts'
import type { Machine } from '../../src/lua/machine/machine.ts'
import { LuaError } from '../../src/lua/values.ts'
import { createEnvironment } from '../../src/server/scripting/environment.ts'
import { raisedText } from '../../src/server/scripting/reply-conversion.ts'
import { wrapped } from './programs.ts'

const LIMIT_BYTES = 64 * 1024 * 1024
const ALL = 1e9

export function newMachine(): Machine {
  return createEnvironment(
    LIMIT_BYTES,
    () => undefined,
    () => undefined,
  )
}

/** What the program returns, or its error; `slice`: how many instructions run at once. */
export function runHere(program: string, slice = ALL, machine = newMachine()): string {
  const closure = machine.load(wrapped(program), '@user_script')
  if (!(closure instanceof Closure)) return `ERR Error compiling script: ${closure.message}`
  try {
    machine.begin(closure, [])
    for (;;) {
      const results = machine.run(slice)
      if (results !== undefined) return String(results[0])
    }
  } catch (error) {
    if (error instanceof LuaError) return raisedText(error.value)
    throw error
  }
}
