/**
 * Runs scripts and functions, one at a time, in slices. A run that takes longer than a slice is
 * interrupted; the node goes on with it in later turns (script-turns.ts), and nothing else touches
 * the data until it is over.
 */
import type { Moment } from '../../base/clock.ts'
import type { Closure } from '../../lua/machine/functions.ts'
import type { Machine } from '../../lua/machine/machine.ts'
import { LuaError, type LuaValue } from '../../lua/values.ts'
import type { Reply } from '../../resp/reply.ts'
import type { ClientSession } from '../sessions/session.ts'
import { createEnvironment, describeError } from './environment.ts'
import { FunctionLibraries } from './function-libraries.ts'
import { errorReply, luaToReply, raisedText } from './reply-conversion.ts'
import type { RunningScript } from './run.ts'
import { ScriptCache } from './script-cache.ts'

/** About five milliseconds of work. */
const SLICE_STEPS = 250_000
/** The end of a script that may not be interrupted: minutes. */
const MAX_SLICES = 50_000
const MIB = 1024 * 1024
/** How much scripts may keep: a share of the heap, if its limit is known. */
const HEAP_SHARE = 1 / 8
const DEFAULT_LIMIT_BYTES = 64 * MIB
const MIN_LIMIT_BYTES = 8 * MIB

const KILLED = 'Script killed by user with SCRIPT KILL...'
const ENDLESS = 'Script killed: it has no end'

export class ScriptEngine {
  readonly scripts: ScriptCache
  readonly libraries: FunctionLibraries
  /** The run that has begun and is not over. */
  run: RunningScript | undefined
  /** The session in which the commands of scripts run, once there has been one. */
  session: ClientSession | undefined
  #isInterrupted = false
  readonly #limitBytes: number
  #machine: Machine | undefined

  /** `heapLimitBytes`: of the process; 0: not known. */
  constructor(heapLimitBytes: number) {
    const share = heapLimitBytes === 0 ? DEFAULT_LIMIT_BYTES : heapLimitBytes * HEAP_SHARE
    this.#limitBytes = Math.max(Math.min(share, DEFAULT_LIMIT_BYTES), MIN_LIMIT_BYTES)
    this.scripts = new ScriptCache(() => this.machine)
    this.libraries = new FunctionLibraries(this.#limitBytes, () => this.run)
  }

  /** The machine that runs EVAL. It is made for the first script. */
  get machine(): Machine {
    this.#machine ??= createEnvironment(
      this.#limitBytes,
      () => this.run,
      (machine) => {
        machine.globals.set(
          '__redis__err__handler',
          machine.native('__redis__err__handler', describeError),
        )
        machine.globals.set('KEYS', machine.newTable())
        machine.globals.set('ARGV', machine.newTable())
      },
    )
    return this.#machine
  }

  /** SCRIPT FLUSH: what the scripts took is given back at once. */
  forgetScripts(): void {
    this.scripts.clear()
    this.#machine?.heap.collect()
  }

  /** A run waits for its next slice. */
  get isInterrupted(): boolean {
    return this.#isInterrupted
  }

  /** What scripts and functions keep, and what of it is theirs alone. */
  get usedBytes(): { readonly scripts: number; readonly functions: number } {
    return {
      scripts: this.#machine?.heap.usedBytes ?? 0,
      functions: this.libraries.usedBytes,
    }
  }

  /** Runs a script with its keys and arguments; undefined: it goes on in later turns. */
  eval(
    run: RunningScript,
    closure: Closure,
    keys: readonly string[],
    args: readonly string[],
  ): Reply | undefined {
    const { machine } = this
    machine.globals.set('KEYS', listOf(machine, keys))
    machine.globals.set('ARGV', listOf(machine, args))
    return this.#start(run, machine, closure, [])
  }

  /** Calls a function with its keys and arguments; undefined: it goes on in later turns. */
  call(
    run: RunningScript,
    closure: LuaValue,
    keys: readonly string[],
    args: readonly string[],
  ): Reply | undefined {
    const { machine } = this.libraries
    return this.#start(run, machine, closure, [listOf(machine, keys), listOf(machine, args)])
  }

  /** Runs the next slice; undefined: the script is still not over. */
  goOn(): Reply | undefined {
    const { run } = this
    if (run === undefined) return undefined
    return this.#slice(run, run.kind === 'eval' ? this.machine : this.libraries.machine)
  }

  /** Ends the run at its next step; undefined: it has no run. */
  kill(): void {
    const { run } = this
    if (run === undefined) return
    const machine = run.kind === 'eval' ? this.machine : this.libraries.machine
    machine.interrupt(KILLED)
  }

  /** How long the run has lasted. */
  ageMs(now: Moment): number {
    return this.run === undefined ? 0 : now.monoMs - this.run.startedAt.monoMs
  }

  #start(
    run: RunningScript,
    machine: Machine,
    closure: LuaValue,
    args: readonly LuaValue[],
  ): Reply | undefined {
    this.run = run
    try {
      machine.begin(closure, args)
    } catch (thrown) {
      if (!(thrown instanceof LuaError)) throw thrown
      return this.#failed(run, thrown)
    }
    return this.#slice(run, machine)
  }

  #slice(run: RunningScript, machine: Machine): Reply | undefined {
    try {
      const results = run.isObeyed ? runToEnd(machine) : machine.run(SLICE_STEPS)
      this.#isInterrupted = results === undefined
      if (results === undefined) return undefined
      this.#over(machine)
      return luaToReply(results[0], run.session.protocol)
    } catch (thrown) {
      if (!(thrown instanceof LuaError)) throw thrown
      this.#over(machine)
      return this.#failed(run, thrown)
    }
  }

  #over(machine: Machine): void {
    this.#isInterrupted = false
    this.run = undefined
    machine.rest()
  }

  #failed(run: RunningScript, { value, place }: LuaError): Reply {
    this.run = undefined
    const text = raisedText(value)
    if (place === undefined) return errorReply(text, value)
    return errorReply(`${text} script: ${run.name}, on ${place.source}:${place.line}.`, value)
  }
}

/** A master that sends a script without an end must not stop its replicas for ever. */
function runToEnd(machine: Machine): readonly LuaValue[] | undefined {
  for (let slices = 0; slices < MAX_SLICES; slices++) {
    const results = machine.run(SLICE_STEPS)
    if (results !== undefined) return results
  }
  machine.interrupt(ENDLESS)
  return machine.run(SLICE_STEPS)
}

function listOf(machine: Machine, texts: readonly string[]): LuaValue {
  const table = machine.newTable()
  table.adoptList(texts.slice())
  return table
}
