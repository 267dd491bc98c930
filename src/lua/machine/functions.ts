/** Functions: those of the script, and those of the host. */

import type { Prototype } from '../compiler/prototype.ts'
import type { LuaHeap } from '../heap.ts'
import type { LuaTable } from '../table.ts'
import { type Box, type LuaError, LuaObject, type LuaValue } from '../values.ts'

const CLOSURE_BYTES = 80

export class Closure extends LuaObject {
  readonly typeName = 'function'
  readonly prototype: Prototype
  readonly upvalues: readonly Box[]

  constructor(heap: LuaHeap, prototype: Prototype, upvalues: readonly Box[]) {
    super(heap)
    heap.charge(CLOSURE_BYTES)
    this.prototype = prototype
    this.upvalues = upvalues
  }
}

/** What a function of the host may use of the machine that calls it. */
export interface Native {
  readonly heap: LuaHeap
  readonly globals: LuaTable
  /** The metatable of all strings. */
  readonly stringMeta: LuaTable
  /** An error with the place of the caller in front. */
  fail(message: string, level?: number): LuaError
  /** How the caller calls this function, for errors about arguments. */
  calledAs(): { readonly name: string; readonly isMethod: boolean }
  /** Counts work that takes as long as so many instructions. */
  spend(steps: number): void
  newTable(arraySize?: number, hashSize?: number): LuaTable
  native(name: string, code: NativeCode): NativeFunction
  metatableOf(value: LuaValue): LuaTable | undefined
}

/** One value, several in an array, or a request for something only the machine can do. */
export type NativeResult = LuaValue | LuaValue[] | MachineRequest

export type NativeCode = (args: LuaValue[], native: Native) => NativeResult

export class NativeFunction extends LuaObject {
  readonly typeName = 'function'
  readonly name: string
  readonly code: NativeCode

  constructor(heap: LuaHeap, name: string, code: NativeCode) {
    super(heap)
    this.name = name
    this.code = code
  }
}

/** What a function of the host wants the machine to do in its place. */
export abstract class MachineRequest {}

/** Calls a function; its results are those of the native. */
export class CallRequest extends MachineRequest {
  readonly callee: LuaValue
  readonly args: LuaValue[]

  constructor(callee: LuaValue, args: LuaValue[]) {
    super()
    this.callee = callee
    this.args = args
  }
}

/** pcall and xpcall */
export class ProtectRequest extends MachineRequest {
  readonly callee: LuaValue
  readonly args: LuaValue[]
  readonly handler: LuaValue
  readonly hasHandler: boolean
  /** What the caller gets for the value that was raised. */
  translate: ((value: LuaValue) => LuaValue) | undefined

  constructor(callee: LuaValue, args: LuaValue[], handler?: { readonly value: LuaValue }) {
    super()
    this.callee = callee
    this.args = args
    this.handler = handler?.value
    this.hasHandler = handler !== undefined
  }
}

/** Goes on with a coroutine. */
export class ResumeRequest extends MachineRequest {
  readonly coroutine: LuaObject
  readonly args: LuaValue[]
  /** An error of the coroutine is one of its caller: `coroutine.wrap`. */
  readonly isWrapped: boolean

  constructor(coroutine: LuaObject, args: LuaValue[], isWrapped: boolean) {
    super()
    this.coroutine = coroutine
    this.args = args
    this.isWrapped = isWrapped
  }
}

export class YieldRequest extends MachineRequest {
  readonly args: LuaValue[]

  constructor(args: LuaValue[]) {
    super()
    this.args = args
  }
}

/** A call a native makes on its way, or a moment at which it may be interrupted. */
export type NativeStep = CallRequest | 'pause'

/** Gets the results of each call, and returns those of the native. */
export type StepGenerator = Generator<NativeStep, LuaValue | LuaValue[], LuaValue[]>

/** A native that calls functions of the script, or works for long. */
export class StepsRequest extends MachineRequest {
  readonly steps: StepGenerator
  /** What it asked for first. */
  readonly first: NativeStep

  constructor(steps: StepGenerator, first: NativeStep) {
    super()
    this.steps = steps
    this.first = first
  }
}

/** Runs the steps; only if they need the machine does it get to know of them. */
export function inSteps(steps: StepGenerator): NativeResult {
  const { value, done } = steps.next(NO_VALUES)
  return done === true ? value : new StepsRequest(steps, value)
}

const NO_VALUES: LuaValue[] = []
