/**
 * Libraries of functions, in a machine of their own. Loading runs the code of a library once, which
 * registers its functions; it may not call commands, and not take long.
 */
import {
  Closure,
  type Native,
  NativeFunction,
  type NativeResult,
} from '../../lua/machine/functions.ts'
import type { Machine } from '../../lua/machine/machine.ts'
import { toText } from '../../lua/machine/operators.ts'
import { LuaTable } from '../../lua/table.ts'
import { LuaError, type LuaValue } from '../../lua/values.ts'
import { addServerName, createEnvironment, refuseUnknown } from './environment.ts'
import { raised } from './redis-library.ts'
import { raisedText } from './reply-conversion.ts'
import type { RunningScript, ScriptFlags } from './run.ts'
import { FLAGS, flagsOf, isFlag } from './shebang.ts'

/** About half a second, after which Redis gives up as well. */
const LOAD_STEPS = 20_000_000
const SCRIPTS_ONLY = ['breakpoint', 'debug', 'replicate_commands']

export interface ScriptFunction {
  readonly name: string
  readonly library: string
  readonly description: string | undefined
  readonly flagNames: readonly string[]
  readonly flags: ScriptFlags
  readonly callee: LuaValue
}

export type LoadedFunctions =
  | { readonly ok: true; readonly functions: readonly ScriptFunction[] }
  /** Without its code. */
  | { readonly ok: false; readonly error: string }

export class FunctionLibraries {
  readonly #limitBytes: number
  readonly #running: () => RunningScript | undefined
  #machine: Machine | undefined
  #runGlobals: LuaTable | undefined
  #loadGlobals: LuaTable | undefined
  /** The library that is being loaded. */
  #loading: { readonly name: string; readonly functions: ScriptFunction[] } | undefined

  constructor(limitBytes: number, running: () => RunningScript | undefined) {
    this.#limitBytes = limitBytes
    this.#running = running
  }

  get machine(): Machine {
    if (this.#machine !== undefined) return this.#machine
    const machine = createEnvironment(this.#limitBytes, this.#running, (_machine, redis) => {
      // Functions have neither a debugger nor the ways of older scripts.
      for (const name of SCRIPTS_ONLY) redis.set(name, undefined)
    })
    this.#machine = machine
    this.#runGlobals = machine.globals
    this.#loadGlobals = this.#globalsForLoading(machine)
    machine.roots.push(this.#runGlobals, this.#loadGlobals)
    return machine
  }

  /** While a library is loaded there is next to nothing: `redis`, also as `server`, and little in it. */
  #globalsForLoading(machine: Machine): LuaTable {
    const outer = machine.globals.get('redis') as LuaTable
    const redis = machine.newTable()
    for (const [name, value] of outer.entries()) {
      if (typeof name === 'string' && /^(?:log|LOG_.*|REDIS_.*)$/.test(name)) redis.set(name, value)
    }
    const register = machine.native('register_function', (args, native) =>
      this.#register(args, native),
    )
    redis.set('register_function', register)
    refuseUnknown(machine, redis)
    const globals = machine.newTable()
    globals.set('redis', redis)
    addServerName(globals, redis)
    refuseUnknown(machine, globals)
    return globals
  }

  get usedBytes(): number {
    return this.#machine?.heap.usedBytes ?? 0
  }

  /** Runs the code of a library; `body` begins at the end of its first line. */
  load(name: string, body: string): LoadedFunctions {
    const { machine } = this
    const closure = machine.load(body, '@user_function')
    if (!(closure instanceof Closure)) {
      return { ok: false, error: `Error compiling function: ${closure.message}` }
    }
    const loading = { name, functions: [] }
    this.#loading = loading
    machine.globals = this.#loadGlobals as LuaTable
    try {
      machine.begin(closure, [])
      if (machine.run(LOAD_STEPS) === undefined) {
        machine.interrupt('FUNCTION LOAD timeout')
        machine.run(LOAD_STEPS)
      }
    } catch (thrown) {
      if (!(thrown instanceof LuaError)) throw thrown
      return { ok: false, error: `Error registering functions: ${raisedText(thrown.value)}` }
    } finally {
      this.#loading = undefined
      machine.globals = this.#runGlobals as LuaTable
      machine.rest()
    }
    const functions: readonly ScriptFunction[] = loading.functions
    for (const { callee } of functions) machine.roots.push(callee)
    return functions.length === 0
      ? { ok: false, error: 'No functions registered' }
      : { ok: true, functions }
  }

  /** Forgets the machine, and with it everything that libraries kept. */
  clear(): void {
    this.#machine = undefined
  }

  /** The functions are gone, and what they keep with them. */
  release(functions: readonly ScriptFunction[]): void {
    const gone = new Set(functions.map(({ callee }) => callee))
    if (this.#machine === undefined) return
    const { roots } = this.#machine
    const kept = roots.filter((root) => !gone.has(root))
    roots.splice(0, roots.length, ...kept)
  }

  #register(args: LuaValue[], native: Native): NativeResult {
    const loading = this.#loading
    // A function can see it too, if its library kept the table in a local of its own.
    if (loading === undefined) {
      throw raised(native, 'redis.register_function can only be called on FUNCTION LOAD command')
    }
    const fields =
      args.length === 1 ? this.#namedFields(args[0], native) : plainFields(args, native)
    const { name } = fields
    if (!/^\w+$/.test(name)) {
      throw raised(
        native,
        'Library names can only contain letters, numbers, or underscores(_) and must be at least one character long',
      )
    }
    if (loading.functions.some((known) => known.name === name)) {
      throw raised(native, 'Function already exists in the library')
    }
    loading.functions.push({ ...fields, library: loading.name })
    return []
  }

  #namedFields(value: LuaValue, native: Native): Omit<ScriptFunction, 'library'> {
    if (!(value instanceof LuaTable)) {
      throw raised(
        native,
        'calling redis.register_function with a single argument is only applicable to Lua table (representing named arguments).',
      )
    }
    let [name, description]: (string | undefined)[] = []
    let callee: LuaValue
    let flagNames: readonly string[] = []
    for (const [key, field] of value.entries()) {
      const word = toText(key)?.toLowerCase()
      if (word === undefined)
        throw raised(native, 'named argument key given to redis.register_function is not a string')
      if (word === 'function_name') name = textField(native, word, field)
      else if (word === 'description') description = textField(native, word, field)
      else if (word === 'callback') callee = calleeField(native, field)
      else if (word === 'flags') flagNames = flagsField(native, field)
      else throw raised(native, 'unknown argument given to redis.register_function')
    }
    if (name === undefined)
      throw raised(native, 'redis.register_function must get a function name argument')
    if (callee === undefined)
      throw raised(native, 'redis.register_function must get a callback argument')
    return { name, description, callee, flagNames, flags: flagsOf(flagNames) }
  }
}

function plainFields(args: LuaValue[], native: Native): Omit<ScriptFunction, 'library'> {
  if (args.length !== 2) {
    throw raised(native, 'wrong number of arguments to redis.register_function')
  }
  const name = toText(args[0])
  if (name === undefined)
    throw raised(native, 'first argument to redis.register_function must be a string')
  if (!isFunction(args[1])) {
    throw raised(native, 'second argument to redis.register_function must be a function')
  }
  return { name, description: undefined, callee: args[1], flagNames: [], flags: flagsOf([]) }
}

/** One of the library's or one of the host's, such as `redis.log`. */
function isFunction(value: LuaValue): boolean {
  return value instanceof Closure || value instanceof NativeFunction
}

/** A number counts as its text. */
function textField(native: Native, key: string, value: LuaValue): string {
  const text = toText(value)
  if (text !== undefined) return text
  throw raised(native, `${key} argument given to redis.register_function must be a string`)
}

function calleeField(native: Native, value: LuaValue): LuaValue {
  if (isFunction(value)) return value
  throw raised(native, 'callback argument given to redis.register_function must be a function')
}

function flagsField(native: Native, value: LuaValue): readonly string[] {
  if (!(value instanceof LuaTable)) {
    throw raised(
      native,
      'flags argument to redis.register_function must be a table representing function flags',
    )
  }
  const given = new Set<string>()
  for (let at = 1; value.getNumber(at) !== undefined; at++) {
    const name = toText(value.getNumber(at))?.toLowerCase()
    if (name === undefined || !isFlag(name)) throw raised(native, 'unknown flag given')
    given.add(name)
  }
  return FLAGS.filter((name) => given.has(name))
}
