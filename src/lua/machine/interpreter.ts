/**
 * The loop that runs instructions. It has the registers of the present call in local variables, and
 * stops when the steps it was given are used up: every jump back and every call costs some, so
 * nothing runs for long without coming by. What is not quick is in operations.ts and flow.ts.
 */
import { LuaTable } from '../table.ts'
import { Box, type LuaValue } from '../values.ts'
import type { CallFrame } from './coroutine.ts'
import { type Closure, MachineRequest, NativeFunction } from './functions.ts'
import { Instructions } from './instructions.ts'
import { modulo, power } from './operators.ts'

/** Steps that a jump back or a call costs: about the instructions in between. */
const STEP = 4

export class Interpreter extends Instructions {
  /** Runs calls of the script, until its steps are used up or a native works in steps. */
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: one case for each instruction
  protected runFrames(first: CallFrame): void {
    const thread = this.thread
    const stack = thread.stack
    const globals = this.globals
    let frame = first
    let { closure, base, pc } = frame
    let { code, constants, hashes } = (closure as Closure).prototype
    for (;;) {
      const a = code[pc + 1] as number
      const b = code[pc + 2] as number
      const c = code[pc + 3] as number
      const operation = code[pc] as number
      pc += 4
      switch (operation) {
        case 0: // move
          stack[base + a] = stack[base + b]
          continue
        case 1: // constant
          stack[base + a] = constants[b]
          continue
        case 2: // nil
          for (let at = 0; at < b; at++) stack[base + a + at] = undefined
          continue
        case 3: // bool
          stack[base + a] = b === 1
          continue
        case 4: {
          // getGlobal
          const value = globals.getString(constants[b] as string, hashes[b] as number)
          if (value !== undefined) {
            stack[base + a] = value
            continue
          }
          frame.pc = pc
          this.index(globals, constants[b], base + a)
          break
        }
        case 5: // setGlobal
          frame.pc = pc
          this.setIndex(globals, constants[b], a < 0 ? constants[~a] : stack[base + a])
          break
        case 6: // getUpvalue
          stack[base + a] = ((closure as Closure).upvalues[b] as Box).value
          continue
        case 7: // setUpvalue
          ;((closure as Closure).upvalues[a] as Box).value = b < 0 ? constants[~b] : stack[base + b]
          continue
        case 8: // box
          stack[base + a] = new Box(stack[base + a]) as unknown as LuaValue
          continue
        case 9: // getBox
          stack[base + a] = (stack[base + b] as unknown as Box).value
          continue
        case 10: // setBox
          ;(stack[base + a] as unknown as Box).value = b < 0 ? constants[~b] : stack[base + b]
          continue
        case 11: {
          // field
          const object = stack[base + b]
          if (object instanceof LuaTable) {
            const value = object.getString(constants[c] as string, hashes[c] as number)
            if (value !== undefined || object.metatable === undefined) {
              stack[base + a] = value
              continue
            }
          }
          frame.pc = pc
          this.index(object, constants[c], base + a)
          break
        }
        case 12: {
          // index
          const object = stack[base + b]
          const key = c < 0 ? constants[~c] : stack[base + c]
          if (object instanceof LuaTable) {
            const value = typeof key === 'number' ? object.getNumber(key) : object.get(key)
            if (value !== undefined || object.metatable === undefined) {
              stack[base + a] = value
              continue
            }
          }
          frame.pc = pc
          this.index(object, key, base + a)
          break
        }
        case 13: {
          // setField
          const object = stack[base + a]
          const value = c < 0 ? constants[~c] : stack[base + c]
          if (object instanceof LuaTable && object.metatable === undefined && !object.isReadOnly) {
            object.setString(constants[b] as string, hashes[b] as number, value)
            continue
          }
          frame.pc = pc
          this.setIndex(object, constants[b], value)
          break
        }
        case 14: {
          // setIndex
          const object = stack[base + a]
          const key = b < 0 ? constants[~b] : stack[base + b]
          const value = c < 0 ? constants[~c] : stack[base + c]
          frame.pc = pc
          if (object instanceof LuaTable && object.metatable === undefined && !object.isReadOnly) {
            this.rawSet(object, key, value)
            continue
          }
          this.setIndex(object, key, value)
          break
        }
        case 15: {
          // self
          const object = stack[base + b]
          stack[base + a + 1] = object
          frame.pc = pc
          this.index(object, constants[c], base + a)
          break
        }
        case 16: // add
        case 17:
        case 18:
        case 19:
        case 20:
        case 21: {
          const left = b < 0 ? constants[~b] : stack[base + b]
          const right = c < 0 ? constants[~c] : stack[base + c]
          if (typeof left === 'number' && typeof right === 'number') {
            if (operation === 16) stack[base + a] = left + right
            else if (operation === 17) stack[base + a] = left - right
            else if (operation === 18) stack[base + a] = left * right
            else if (operation === 19) stack[base + a] = left / right
            else stack[base + a] = operation === 20 ? modulo(left, right) : power(left, right)
            continue
          }
          frame.pc = pc
          this.compute(operation, left, right, base + a)
          break
        }
        case 22: {
          // minus
          const value = stack[base + b]
          if (typeof value === 'number') {
            stack[base + a] = -value
            continue
          }
          frame.pc = pc
          this.compute(operation, value, value, base + a)
          break
        }
        case 23: {
          // not
          const value = stack[base + b]
          stack[base + a] = value === undefined || value === false
          continue
        }
        case 24: // length
          frame.pc = pc
          this.lengthOf(stack[base + b], base + a)
          break
        case 25: {
          // concat
          frame.pc = pc
          const last = frame.concatLast < 0 ? base + c : frame.concatLast
          frame.concatLast = this.concat(base + b, last, base + a)
          if (frame.concatLast < 0) break
          // What the metamethod returns becomes an operand, and the instruction runs again.
          frame.pc = pc - 4
          break
        }
        case 26: // jump
          pc = a
          continue
        case 27: // loop
          pc = a
          this.steps -= STEP
          if (this.steps > 0) continue
          frame.pc = pc
          return
        case 28: {
          // jumpIf
          const value = stack[base + b]
          if (value !== undefined && value !== false) pc = a
          continue
        }
        case 29: {
          // jumpIfNot
          const value = stack[base + b]
          if (value === undefined || value === false) pc = a
          continue
        }
        case 30: // jumpEqual
        case 31:
        case 32:
        case 33:
        case 34:
        case 35: {
          const left = b < 0 ? constants[~b] : stack[base + b]
          const right = c < 0 ? constants[~c] : stack[base + c]
          const sense = (operation & 1) === 0
          frame.pc = pc
          let jumps: boolean
          if (operation < 32) jumps = this.equal(left, right, sense, a)
          else if (operation < 34) jumps = this.less(left, right, sense, a)
          else jumps = this.lessEqual(left, right, sense, a)
          if (jumps) frame.pc = a
          break
        }
        case 36: {
          // call
          const at = base + a
          const count = b === 0 ? thread.top - at - 1 : b - 1
          this.steps -= STEP
          if (this.steps <= 0) {
            frame.pc = pc - 4
            return
          }
          frame.pc = pc
          const callee = stack[at]
          if (callee instanceof NativeFunction) {
            const result = callee.code(stack.slice(at + 1, at + 1 + count), this)
            this.steps -= STEP
            if (c === 2 && !Array.isArray(result) && !(result instanceof MachineRequest)) {
              if (typeof result === 'string') this.heap.charge(result.length + 24)
              stack[at] = result
              continue
            }
            this.answer(result, at, c - 1)
          } else {
            this.call(at, count, c - 1)
          }
          break
        }
        case 37: {
          // tailCall
          const at = base + a
          const count = b === 0 ? thread.top - at - 1 : b - 1
          this.steps -= STEP
          if (this.steps <= 0) {
            frame.pc = pc - 4
            return
          }
          frame.pc = pc
          this.tailCall(frame, at, count)
          break
        }
        case 38: {
          // return
          const count = b === 0 ? thread.top - base - a : b - 1
          this.return(frame, base + a, count)
          break
        }
        case 39: // forPrepare
          frame.pc = pc
          this.prepareLoop(base + a)
          pc = b
          continue
        case 40: {
          // forLoop
          const step = stack[base + a + 2] as number
          const limit = stack[base + a + 1] as number
          const index = (stack[base + a] as number) + step
          if (step > 0 ? index <= limit : limit <= index) {
            stack[base + a] = index
            stack[base + a + 3] = index
            pc = b
            this.steps -= STEP
            if (this.steps > 0) continue
            frame.pc = pc
            return
          }
          continue
        }
        case 41: {
          // iterate
          const at = base + a
          this.steps -= STEP
          frame.pc = pc
          const callee = stack[at]
          if (callee instanceof NativeFunction) {
            this.answer(callee.code([stack[at + 1], stack[at + 2]], this), at + 3, b)
          } else {
            this.callWith(callee, [stack[at + 1], stack[at + 2]], at + 3, b, true)
          }
          break
        }
        case 42: {
          // iterateTest
          const value = stack[base + a + 3]
          if (value === undefined) continue
          stack[base + a + 2] = value
          pc = b
          if (this.steps > 0) continue
          frame.pc = pc
          return
        }
        case 43: {
          // setList
          const table = stack[base + a] as LuaTable
          const count = b === 0 ? thread.top - base - a - 1 : b
          table.growArray(c + count)
          for (let at = 1; at <= count; at++) table.setNumber(c + at, stack[base + a + at])
          continue
        }
        case 44: // newTable
          stack[base + a] = new LuaTable(this.heap, b, c)
          continue
        case 45: // closure
          stack[base + a] = this.close(closure as Closure, b, base)
          continue
        case 46: {
          // vararg
          const { varargs } = frame
          const count = b === 0 ? varargs.length : b - 1
          for (let at = 0; at < count; at++) stack[base + a + at] = varargs[at]
          if (b === 0) thread.top = base + a + count
          continue
        }
        default: // arg
          stack[base + a] = this.argTable(frame)
          continue
      }
      // A call may have begun or ended.
      if (this.thread !== thread || this.results !== undefined) return
      const next = thread.frames[thread.frames.length - 1]
      if (next === undefined || next.kind !== 'lua' || this.steps <= 0) return
      if (next !== frame || frame.closure !== closure) {
        frame = next
        closure = frame.closure
        base = frame.base
        const { prototype } = closure as Closure
        code = prototype.code
        constants = prototype.constants
        hashes = prototype.hashes
      }
      pc = frame.pc
    }
  }
}
