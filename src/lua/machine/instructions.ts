/** Instructions that take more than a line: returns, tail calls, loops, new functions and tables. */
import type { Prototype } from '../compiler/prototype.ts'
import { LuaTable } from '../table.ts'
import type { Box } from '../values.ts'
import type { CallFrame } from './coroutine.ts'
import { Closure } from './functions.ts'
import { Operations } from './operations.ts'
import { toNumber } from './operators.ts'

export class Instructions extends Operations {
  /** The frame of the caller becomes that of the callee. */
  protected tailCall(frame: CallFrame, at: number, count: number): void {
    const { stack } = this.thread
    const callee = stack[at]
    if (callee instanceof Closure) {
      for (let index = 0; index <= count; index++) stack[frame.base - 1 + index] = stack[at + index]
      frame.tailCalls++
      frame.varargs = []
      this.place(frame, callee, frame.base - 1, count)
      return
    }
    // The instruction behind this one returns what a native has.
    this.call(at, count, -1)
  }

  protected return(frame: CallFrame, at: number, count: number): void {
    const { frames, stack } = this.thread
    const receiver = frames[frames.length - 2]
    if (frame.isTest || receiver?.kind !== 'lua') {
      this.leave(stack.slice(at, at + count))
      return
    }
    this.pop()
    const { resultAt, wanted } = frame
    if (wanted < 0) {
      for (let index = 0; index < count; index++) stack[resultAt + index] = stack[at + index]
      this.thread.top = resultAt + count
      return
    }
    for (let index = 0; index < wanted; index++) {
      stack[resultAt + index] = index < count ? stack[at + index] : undefined
    }
  }

  protected prepareLoop(at: number): void {
    const { stack } = this.thread
    const parts = ['initial value', 'limit', 'step']
    parts.forEach((part, index) => {
      const value = toNumber(stack[at + index])
      if (value === undefined) throw this.fail(`'for' ${part} must be a number`)
      stack[at + index] = value
    })
    stack[at] = (stack[at] as number) - (stack[at + 2] as number)
  }

  protected close(outer: Closure, index: number, base: number): Closure {
    const prototype = outer.prototype.prototypes[index] as Prototype
    const { stack } = this.thread
    const upvalues = prototype.upvalues.map((place) =>
      place.isRegister
        ? (stack[base + place.index] as unknown as Box)
        : (outer.upvalues[place.index] as Box),
    )
    return new Closure(this.heap, prototype, upvalues)
  }

  protected argTable({ varargs }: CallFrame): LuaTable {
    const table = new LuaTable(this.heap, varargs.length, 1)
    varargs.forEach((value, at) => {
      table.setNumber(at + 1, value)
    })
    table.set('n', varargs.length)
    return table
  }
}
