/**
 * The values of Lua 5.1 as this interpreter keeps them. Nil is undefined, booleans and numbers are
 * those of JavaScript, and a string is a byte string: every character is one byte. Everything else
 * is an object; its address is a number that the interpreter counts, so that two runs of a script
 * print and order the same.
 */
import { addressOf, type LuaHeap } from './heap.ts'

export abstract class LuaObject {
  /** What `type` says of it. */
  abstract readonly typeName: string
  /** A small number: the engine keeps it in the object, and an address beside it. */
  readonly #serial: number

  constructor(heap: LuaHeap) {
    this.#serial = heap.newSerial()
  }

  get address(): number {
    return addressOf(this.#serial)
  }
}

export type LuaValue = undefined | boolean | number | string | LuaObject

/**
 * The null of JSON, which scripts can only pass on and compare. In C it is the null pointer: scripts
 * know it by its text, `userdata: (nil)`.
 */
export class Opaque extends LuaObject {
  readonly typeName = 'userdata'

  override get address(): number {
    return 0
  }
}

/** A local variable that a function inside its scope uses as well. */
export class Box {
  value: LuaValue

  constructor(value: LuaValue) {
    this.value = value
  }
}

export function typeName(value: LuaValue): string {
  switch (typeof value) {
    case 'undefined':
      return 'nil'
    case 'object':
      return value.typeName
    default:
      return typeof value
  }
}

/** Everything is true but nil and false. */
export function isTrue(value: LuaValue): boolean {
  return value !== undefined && value !== false
}

/** An error of a script: any value may be thrown. */
export class LuaError extends Error {
  readonly value: LuaValue
  /** Where it was raised; undefined: not in a function of the script. */
  place: CodePlace | undefined
  /** No `pcall` catches it: the host ends the script. */
  readonly isFinal: boolean

  constructor(value: LuaValue, isFinal = false) {
    super(typeof value === 'string' ? value : 'a script raised a value')
    this.value = value
    this.isFinal = isFinal
  }
}

export interface CodePlace {
  /** As given to `compile`: `@user_script`. */
  readonly source: string
  readonly line: number
}
