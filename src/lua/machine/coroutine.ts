/** A thread of a script: its stack, and the calls that are under way. */
import type { LuaHeap } from '../heap.ts'
import { LuaObject, type LuaValue } from '../values.ts'
import type { Closure, StepGenerator } from './functions.ts'

export type FrameKind =
  | 'lua'
  /** pcall: what comes back becomes true and the results, or false and the error. */
  | 'protect'
  /** The handler of an xpcall runs. */
  | 'handler'
  /** A native that works in steps. */
  | 'steps'
  /** A coroutine runs. */
  | 'resume'

const COROUTINE_BYTES = 400
/** A stack that has grown further is given back to the engine. */
const REUSED_REGISTERS = 256

export class CallFrame {
  readonly kind: FrameKind
  closure: Closure | undefined
  /** Where its registers begin on the stack. */
  base = 0
  /** The next instruction. */
  pc = 0
  /** Where on the stack the results go, and how many are wanted; -1: all. */
  resultAt: number
  wanted: number
  /** The result decides a jump of the caller to `target` if it is `sense`. */
  isTest = false
  sense = false
  target = 0
  /** Arguments beyond the named. */
  varargs: LuaValue[] = NONE
  /** A call that would be one of C: it cannot be left by a yield. */
  isBoundary: boolean
  /** How many calls were replaced by tail calls. */
  tailCalls = 0
  /** Of a `concat` that waits for a metamethod: the last operand that is left. */
  concatLast = -1
  steps: StepGenerator | undefined
  handler: LuaValue
  hasHandler = false
  translate: ((value: LuaValue) => LuaValue) | undefined

  constructor(kind: FrameKind, resultAt: number, wanted: number, isBoundary: boolean) {
    this.kind = kind
    this.resultAt = resultAt
    this.wanted = wanted
    this.isBoundary = isBoundary
  }
}

const NONE: LuaValue[] = []

export class Coroutine extends LuaObject {
  readonly typeName = 'thread'
  readonly stack: LuaValue[] = []
  readonly frames: CallFrame[] = []
  /** After an open list of values: where it ends. */
  top = 0
  status: 'suspended' | 'running' | 'normal' | 'dead' = 'suspended'
  /** What it begins with; undefined once it has. */
  body: LuaValue
  resumer: Coroutine | undefined
  isWrapped = false
  /** Where the results of the yield go that it waits in. */
  yieldAt = -1
  yieldWanted = 0
  /** How many of its calls are those of C. */
  boundaries = 0

  constructor(heap: LuaHeap, body: LuaValue) {
    super(heap)
    heap.charge(COROUTINE_BYTES)
    this.body = body
  }

  /** Forgets a call that is over, so that the thread can serve the next one; false: it cannot. */
  tryReset(): boolean {
    if (this.frames.length > 0 || this.stack.length > REUSED_REGISTERS) return false
    this.stack.fill(undefined)
    this.top = 0
    this.boundaries = 0
    return true
  }
}
