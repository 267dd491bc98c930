/** A machine: chunks are loaded into it, and functions run in slices. */
import { compile } from '../compiler/compiler.ts'
import type { Prototype } from '../compiler/prototype.ts'
import { LuaHeap } from '../heap.ts'
import { LuaTable } from '../table.ts'
import { LuaError, type LuaValue } from '../values.ts'
import { Coroutine } from './coroutine.ts'
import { Closure } from './functions.ts'
import { Interpreter } from './interpreter.ts'
import { measureReach } from './measure.ts'

export class Machine extends Interpreter {
  /** What else keeps values alive: the host adds what it holds. */
  readonly roots: LuaValue[] = []
  #final: LuaError | undefined

  constructor(limitBytes: number) {
    const heap = new LuaHeap(limitBytes)
    super(heap, new LuaTable(heap), new LuaTable(heap))
    heap.measure = () =>
      measureReach([this.globals, this.stringMeta, this.thread, ...this.roots], this.thread)
  }

  /** The function of a chunk; an error says what is wrong with it. */
  load(text: string, source: string): Closure | { readonly message: string } {
    this.heap.charge(text.length * 8)
    const compiled = compile(text, source)
    return compiled.ok ? this.closureOf(compiled.prototype) : { message: compiled.message }
  }

  closureOf(prototype: Prototype): Closure {
    return new Closure(this.heap, prototype, [])
  }

  /**
   * Runs about so many instructions. Returns the results of the function that `begin` called;
   * undefined: it is not done. Throws a LuaError that no pcall caught.
   */
  run(steps: number): LuaValue[] | undefined {
    this.steps = steps
    while (this.results === undefined) {
      try {
        if (this.#final !== undefined) this.#end(this.#final)
        if (!this.#execute()) return undefined
      } catch (thrown) {
        this.unwind(thrown)
      }
    }
    return this.results
  }

  /** Forgets the last call, and everything only that call kept. */
  rest(): void {
    this.#final = undefined
    if (!this.thread.tryReset()) this.thread = new Coroutine(this.heap, undefined)
    this.results = undefined
  }

  /** Ends the script at its next step with an error that no `pcall` catches. */
  interrupt(message: string): void {
    this.#final = new LuaError(message, true)
  }

  #end(error: LuaError): never {
    const frame = this.thread.frames.at(-1)
    // The instruction that would come next is the one that is named.
    if (frame !== undefined) frame.pc += 4
    this.unwind(error)
    throw error
  }

  /** False: the steps are used up. */
  #execute(): boolean {
    for (;;) {
      const frame = this.thread.frames.at(-1)
      if (this.results !== undefined || frame === undefined) return true
      if (this.steps <= 0) return false
      if (frame.kind === 'steps') this.goOn([])
      else this.runFrames(frame)
    }
  }
}
