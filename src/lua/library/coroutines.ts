/** `coroutine.*` */
import { Coroutine } from '../machine/coroutine.ts'
import {
  Closure,
  type Native,
  type NativeCode,
  ResumeRequest,
  YieldRequest,
} from '../machine/functions.ts'
import type { Machine } from '../machine/machine.ts'
import type { LuaValue } from '../values.ts'
import { argumentError } from './arguments.ts'
import { addLibrary } from './library.ts'

export function addCoroutines(machine: Machine): void {
  const functions: Record<string, NativeCode> = {
    create: (args, native) => new Coroutine(native.heap, bodyAt(native, args)),
    wrap: (args, native) => {
      const coroutine = new Coroutine(native.heap, bodyAt(native, args))
      return native.native('wrap', (values) => new ResumeRequest(coroutine, values, true))
    },
    resume: (args, native) => new ResumeRequest(coroutineAt(native, args), args.slice(1), false),
    yield: (args) => new YieldRequest(args),
    status: (args, native) => coroutineAt(native, args).status,
    // The main thread is none that a script could resume.
    running: () => (machine.thread.resumer === undefined ? undefined : machine.thread),
  }
  addLibrary(machine, 'coroutine', functions)
}

function bodyAt(native: Native, args: readonly LuaValue[]): Closure {
  const [body] = args
  if (!(body instanceof Closure)) throw argumentError(native, 0, 'Lua function expected')
  return body
}

function coroutineAt(native: Native, args: readonly LuaValue[]): Coroutine {
  const [coroutine] = args
  if (!(coroutine instanceof Coroutine)) throw argumentError(native, 0, 'coroutine expected')
  return coroutine
}
