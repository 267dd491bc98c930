/**
 * Calls and returns, errors and coroutines. Every call is a frame in a list, none is a call of
 * JavaScript, so a script can stop between any two instructions and go on later, and no recursion of
 * a script reaches the limits of the process.
 */

import { OutOfMemory } from '../heap.ts'
import { LuaError, type LuaValue, typeName } from '../values.ts'
import { CallFrame, Coroutine, type FrameKind } from './coroutine.ts'
import {
  CallRequest,
  Closure,
  MachineRequest,
  NativeFunction,
  type NativeResult,
  type NativeStep,
  ProtectRequest,
  ResumeRequest,
  StepsRequest,
  type YieldRequest,
} from './functions.ts'
import { MachineState } from './state.ts'

/** How deep calls of Lua functions, and calls that would be C's, may be nested. */
const MAX_CALLS = 19_999
const MAX_BOUNDARIES = 198
/** What a call of the host costs, in instructions. */
const NATIVE_STEPS = 4
const FRAME_BYTES = 200

export class Flow extends MachineState {
  #boundaries = 0

  /** Begins a call of a function by the host. Throws the LuaError of one that has failed at once. */
  begin(callee: LuaValue, args: readonly LuaValue[]): void {
    if (!this.thread.tryReset()) this.thread = new Coroutine(this.heap, undefined)
    this.thread.status = 'running'
    this.results = undefined
    this.#boundaries = 0
    try {
      this.callWith(callee, [...args], 0, -1, false)
    } catch (thrown) {
      this.unwind(thrown)
    }
  }

  // Calls

  /** `at`: the function on the stack, its arguments behind it; its results take its place. */
  call(at: number, count: number, wanted: number): void {
    const { stack } = this.thread
    const callee = stack[at]
    if (callee instanceof Closure) {
      this.enter(callee, at, count, at, wanted, false)
      return
    }
    if (!(callee instanceof NativeFunction)) return this.callObject(at, count, wanted)
    const args = stack.slice(at + 1, at + 1 + count)
    this.answer(callee.code(args, this), at, wanted)
  }

  /** A value with `__call` becomes its first argument. */
  callObject(at: number, count: number, wanted: number): void {
    const { stack } = this.thread
    const value = stack[at]
    const handler = this.metatableOf(value)?.getString('__call', 0)
    if (!(handler instanceof Closure) && !(handler instanceof NativeFunction)) {
      throw this.badOperand('call', value, 0)
    }
    const args = stack.slice(at + 1, at + 1 + count)
    this.callWith(handler, [value, ...args], at, wanted, false)
  }

  /** As `call`, with arguments that are not on the stack yet. */
  callWith(
    callee: LuaValue,
    args: LuaValue[],
    resultAt: number,
    wanted: number,
    isBoundary: boolean,
  ): void {
    if (callee instanceof Closure) {
      const { stack } = this.thread
      const at = this.#above()
      while (stack.length < at + 1 + args.length) stack.push(undefined)
      args.forEach((arg, index) => {
        stack[at + 1 + index] = arg
      })
      this.enter(callee, at, args.length, resultAt, wanted, isBoundary)
      return
    }
    if (callee instanceof NativeFunction)
      return this.answer(callee.code(args, this), resultAt, wanted)
    const handler = this.metatableOf(callee)?.getString('__call', 0)
    if (handler === undefined) throw this.fail(`attempt to call a ${typeName(callee)} value`)
    this.callWith(handler, [callee, ...args], resultAt, wanted, isBoundary)
  }

  /** Pushes the frame of a function of the script, whose arguments stand behind `at`. */
  enter(
    closure: Closure,
    at: number,
    count: number,
    resultAt: number,
    wanted: number,
    isBoundary: boolean,
  ): CallFrame {
    const frame = this.#push('lua', resultAt, wanted, isBoundary)
    this.place(frame, closure, at, count)
    return frame
  }

  /** Gives a frame its function and its arguments. */
  place(frame: CallFrame, closure: Closure, at: number, count: number): void {
    const { stack } = this.thread
    const { prototype } = closure
    const { parameters } = prototype
    const base = at + 1
    frame.closure = closure
    frame.base = base
    frame.pc = 0
    if (prototype.isVararg && count > parameters) {
      frame.varargs = stack.slice(base + parameters, base + count)
      this.heap.charge(frame.varargs.length * 8)
    }
    const end = base + prototype.registers
    while (stack.length < end) stack.push(undefined)
    for (let index = count; index < parameters; index++) stack[base + index] = undefined
  }

  /** Puts the results of a native where they belong, or does what it asks for. */
  answer(result: NativeResult, at: number, wanted: number): void {
    this.steps -= NATIVE_STEPS
    if (result instanceof MachineRequest) return this.#serve(result, at, wanted)
    if (Array.isArray(result)) return this.#store(result, at, wanted)
    if (typeof result === 'string') this.heap.charge(result.length + 24)
    const { thread } = this
    if (thread.frames.at(-1)?.kind !== 'lua') return this.#deliver([result])
    if (wanted === 0) return
    thread.stack[at] = result
    if (wanted === -1) thread.top = at + 1
    for (let more = 1; more < wanted; more++) thread.stack[at + more] = undefined
  }

  /** The frame on top has these results. */
  leave(results: LuaValue[]): void {
    const frame = this.pop()
    if (frame.isTest) return this.#decide(frame, results[0])
    this.#store(results, frame.resultAt, frame.wanted)
  }

  /** Goes on with a native that works in steps. */
  goOn(results: LuaValue[]): void {
    const frame = this.thread.frames.at(-1) as CallFrame
    this.#go(frame, (frame.steps as NonNullable<CallFrame['steps']>).next(results))
  }

  #go(frame: CallFrame, first: IteratorResult<NativeStep, LuaValue | LuaValue[]>): void {
    let { value, done } = first
    while (done !== true) {
      const step = value as NativeStep
      if (step === 'pause') return
      // A native may answer at once; going on from its answer would be a recursion.
      this.steps -= NATIVE_STEPS
      if (!(step.callee instanceof NativeFunction)) {
        return this.callWith(step.callee, step.args, 0, -1, true)
      }
      const result = step.callee.code(step.args, this)
      if (result instanceof MachineRequest) return this.answer(result, 0, -1)
      this.steps -= NATIVE_STEPS
      const input = Array.isArray(result) ? result : [result]
      ;({ value, done } = (frame.steps as NonNullable<CallFrame['steps']>).next(input))
    }
    this.pop()
    this.answer(value as LuaValue, frame.resultAt, frame.wanted)
  }

  /** A metamethod whose result decides a jump. */
  callTest(handler: LuaValue, args: LuaValue[], sense: boolean, target: number): void {
    const frame = this.#push('resume', 0, 1, true)
    frame.isTest = true
    frame.sense = sense
    frame.target = target
    this.callWith(handler, args, 0, -1, false)
  }

  pop(): CallFrame {
    const frame = this.thread.frames.pop() as CallFrame
    if (frame.isBoundary) this.#countBoundaries(-1)
    return frame
  }

  // Errors

  /** Finds the `pcall` that catches the error; if there is none, throws it to the host. */
  unwind(thrown: unknown): void {
    const error = this.#errorOf(thrown)
    for (;;) {
      error.place = this.placeOfError() ?? error.place
      if (this.#caught(error)) return
      const { resumer, isWrapped } = this.thread
      this.thread.status = 'dead'
      if (resumer === undefined) throw error
      this.#backTo(resumer)
      if (error.isFinal) continue
      if (!isWrapped) return this.#deliver([false, error.value])
      const { value } = error
      const text = typeof value === 'string' ? this.where(1) + value : value
      return this.unwind(new LuaError(text))
    }
  }

  #errorOf(thrown: unknown): LuaError {
    if (thrown instanceof LuaError) return thrown
    if (thrown instanceof OutOfMemory) return new LuaError('not enough memory')
    throw thrown
  }

  #caught(error: LuaError): boolean {
    const { frames } = this.thread
    while (frames.length > 0) {
      const frame = this.pop()
      const catches = frame.kind === 'protect' || frame.kind === 'handler'
      if (!catches || error.isFinal) continue
      if (frame.hasHandler) this.#handle(frame, error)
      else this.#store([false, valueFor(frame, error)], frame.resultAt, frame.wanted)
      return true
    }
    return false
  }

  #handle(frame: CallFrame, error: LuaError): void {
    this.#push('handler', frame.resultAt, frame.wanted, true)
    try {
      this.callWith(frame.handler, [error.value], 0, -1, false)
    } catch (thrown) {
      this.unwind(thrown)
    }
  }

  // Delivery

  /** Values for a place on the stack of a function, or for the native that waits for them. */
  #store(values: LuaValue[], at: number, wanted: number): void {
    const { thread } = this
    const receiver = thread.frames.at(-1)
    if (receiver?.kind !== 'lua') return this.#deliver(values)
    const { stack } = thread
    const count = wanted < 0 ? values.length : wanted
    while (stack.length < at + count) stack.push(undefined)
    for (let index = 0; index < count; index++) stack[at + index] = values[index]
    if (wanted < 0) thread.top = at + count
  }

  /** The frame on top is no function of the script, or there is none. */
  #deliver(values: LuaValue[]): void {
    const frame = this.thread.frames.at(-1)
    switch (frame?.kind) {
      case undefined:
        return this.#finish(values)
      case 'steps':
        return this.goOn(values)
      case 'protect':
        return this.leave([true, ...values])
      case 'handler':
        return this.leave([false, ...values])
      default:
        return this.leave(values)
    }
  }

  #decide(frame: CallFrame, value: LuaValue): void {
    const isTrue = value !== undefined && value !== false
    const caller = this.thread.frames.at(-1)
    if (caller !== undefined && isTrue === frame.sense) caller.pc = frame.target
  }

  /** The thread has run to its end. */
  #finish(values: LuaValue[]): void {
    const { resumer, isWrapped } = this.thread
    this.thread.status = 'dead'
    if (resumer === undefined) {
      this.results = values
      return
    }
    this.#backTo(resumer)
    this.#deliver(isWrapped ? values : [true, ...values])
  }

  #backTo(resumer: Coroutine): void {
    this.thread.resumer = undefined
    this.thread = resumer
    resumer.status = 'running'
  }

  // Requests

  #serve(request: MachineRequest, at: number, wanted: number): void {
    if (request instanceof ProtectRequest) {
      const frame = this.#push('protect', at, wanted, true)
      frame.handler = request.handler
      frame.hasHandler = request.hasHandler
      frame.translate = request.translate
      return this.callWith(request.callee, request.args, 0, -1, false)
    }
    if (request instanceof StepsRequest) {
      const frame = this.#push('steps', at, wanted, true)
      frame.steps = request.steps
      return this.#go(frame, { value: request.first, done: false })
    }
    if (request instanceof CallRequest) {
      return this.callWith(request.callee, request.args, at, wanted, true)
    }
    if (request instanceof ResumeRequest) return this.#resume(request, at, wanted)
    this.#yield((request as YieldRequest).args, at, wanted)
  }

  #resume({ coroutine, args, isWrapped }: ResumeRequest, at: number, wanted: number): void {
    const next = coroutine as Coroutine
    if (next.status !== 'suspended') {
      const text = `cannot resume ${next.status} coroutine`
      if (isWrapped) throw this.fail(text)
      return this.#store([false, text], at, wanted)
    }
    this.#push('resume', at, wanted, true)
    this.thread.status = 'normal'
    next.resumer = this.thread
    next.isWrapped = isWrapped
    next.status = 'running'
    this.thread = next
    const { body } = next
    if (body !== undefined) {
      next.body = undefined
      return this.callWith(body, args, 0, -1, false)
    }
    this.#store(args, next.yieldAt, next.yieldWanted)
  }

  #yield(args: LuaValue[], at: number, wanted: number): void {
    const { thread } = this
    const { resumer, isWrapped } = thread
    if (resumer === undefined || thread.boundaries > 0) {
      throw new LuaError('attempt to yield across metamethod/C-call boundary')
    }
    thread.yieldAt = at
    thread.yieldWanted = wanted
    thread.status = 'suspended'
    this.#backTo(resumer)
    this.#deliver(isWrapped ? args : [true, ...args])
  }

  #push(kind: FrameKind, resultAt: number, wanted: number, isBoundary: boolean): CallFrame {
    const { frames } = this.thread
    if (frames.length >= MAX_CALLS) throw this.fail('stack overflow')
    if (isBoundary) this.#countBoundaries(1, kind === 'lua' ? this.where(1) : '')
    this.heap.charge(FRAME_BYTES)
    const frame = new CallFrame(kind, resultAt, wanted, isBoundary)
    frames.push(frame)
    return frame
  }

  #countBoundaries(count: 1 | -1, where = ''): void {
    if (count > 0 && this.#boundaries >= MAX_BOUNDARIES)
      throw new LuaError(`${where}C stack overflow`)
    this.#boundaries += count
    this.thread.boundaries += count
  }

  /** The first place on the stack that nothing uses. */
  #above(): number {
    const { frames, top } = this.thread
    const frame = frames.findLast(({ kind }) => kind === 'lua')
    if (frame?.closure === undefined) return top
    return Math.max(frame.base + frame.closure.prototype.registers, top)
  }
}

/** An error in the handler of an error has no value of its own. */
function valueFor({ kind, translate }: CallFrame, { value }: LuaError): LuaValue {
  if (kind === 'handler') return 'error in error handling'
  return translate === undefined ? value : translate(value)
}
