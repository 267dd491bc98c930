/**
 * What a machine is made of: its memory, its globals, the thread that runs. From here functions of
 * the host learn who called them, and errors where they are.
 */
import { shownSource } from '../compiler/prototype.ts'
import type { LuaHeap } from '../heap.ts'
import { LuaTable } from '../table.ts'
import { type CodePlace, LuaError, type LuaValue, typeName } from '../values.ts'
import { type CallFrame, Coroutine } from './coroutine.ts'
import { type Native, type NativeCode, NativeFunction } from './functions.ts'

export class MachineState implements Native {
  readonly heap: LuaHeap
  /** A host may exchange them between two calls. */
  globals: LuaTable
  readonly stringMeta: LuaTable
  /** The thread that runs. */
  thread: Coroutine
  /** How many instructions it may still run before it pauses. */
  steps = 0
  /** The results of the main function, once it has returned. */
  results: LuaValue[] | undefined

  constructor(heap: LuaHeap, globals: LuaTable, stringMeta: LuaTable) {
    this.heap = heap
    this.globals = globals
    this.stringMeta = stringMeta
    this.thread = new Coroutine(heap, undefined)
  }

  // For functions of the host

  fail(message: string, level = 1): LuaError {
    return new LuaError(this.where(level) + message)
  }

  calledAs(): { readonly name: string; readonly isMethod: boolean } {
    const frame = this.thread.frames.at(-1)
    if (frame?.kind !== 'lua') return { name: '?', isMethod: false }
    const name = frame.closure?.prototype.namesAt(frame.pc - 4)?.[0]
    return { name: name?.name ?? '?', isMethod: name?.what === 'method' }
  }

  spend(steps: number): void {
    this.steps -= steps
  }

  newTable(arraySize = 0, hashSize = 0): LuaTable {
    return new LuaTable(this.heap, arraySize, hashSize)
  }

  native(name: string, code: NativeCode): NativeFunction {
    return new NativeFunction(this.heap, name, code)
  }

  metatableOf(value: LuaValue): LuaTable | undefined {
    if (value instanceof LuaTable) return value.metatable
    return typeof value === 'string' ? this.stringMeta : undefined
  }

  // Places

  /** `user_script:3: `; level 1 is the function that runs, 2 its caller. */
  where(level: number): string {
    const place = this.placeAt(level)
    return place === undefined ? '' : `${shownSource(place.source)}:${place.line}: `
  }

  placeAt(level: number): CodePlace | undefined {
    const { frames } = this.thread
    let left = level
    const first = frames.at(-1)?.kind
    // The frame of the native that asks does not count.
    const skipped = first === 'steps' || first === 'resume' ? 1 : 0
    for (let at = frames.length - 1 - skipped; at >= 0; at--) {
      const frame = frames[at] as CallFrame
      if (--left <= 0) return placeOf(frame)
      left -= frame.tailCalls
      if (left <= 0) return undefined
    }
    return undefined
  }

  /** Where an uncaught error comes from. */
  placeOfError(): CodePlace | undefined {
    const { frames } = this.thread
    const last = frames.at(-1)
    if (last === undefined || last.kind === 'lua') return last && placeOf(last)
    const before = frames.at(-2)
    return before && placeOf(before)
  }

  /** An operator met a value it is not for; `operand`: which of those of the instruction. */
  badOperand(what: string, value: LuaValue, operand: number): LuaError {
    const frame = this.thread.frames.at(-1)
    const name = frame?.closure?.prototype.namesAt(frame.pc - 4)?.[operand]
    const shown = name === undefined ? 'a ' : `${name.what} '${name.name}' (a `
    const end = name === undefined ? '' : ')'
    return this.fail(`attempt to ${what} ${shown}${typeName(value)} value${end}`)
  }
}

function placeOf({ kind, closure, pc }: CallFrame): CodePlace | undefined {
  return kind === 'lua' ? closure?.prototype.placeOf(pc - 4) : undefined
}
