/**
 * Operators on values for which the machine has no quick way: metamethods, and the errors where there
 * is none. What a metamethod computes arrives later, when its frame is left.
 */
import { LuaTable } from '../table.ts'
import { type LuaError, type LuaValue, typeName } from '../values.ts'
import { Flow } from './flow.ts'
import { Closure, NativeFunction } from './functions.ts'
import { arithmetic, EVENTS, FIRST_ARITHMETIC, toNumber, toText } from './operators.ts'

/** How many `__index` may lead to one another. */
const MAX_LOOP = 100
/** No string is longer: Redis takes none, and the runtime ends near it. */
export const MAX_STRING_BYTES = 512 * 1024 * 1024 - 32

export class Operations extends Flow {
  /** R[target] = object[key] */
  index(object: LuaValue, key: LuaValue, target: number): void {
    let holder = object
    for (let loop = 0; loop < MAX_LOOP; loop++) {
      let handler: LuaValue
      if (holder instanceof LuaTable) {
        const value = holder.get(key)
        if (value !== undefined) return this.#put(target, value)
        handler = holder.metatable?.getString('__index', 0)
        if (handler === undefined) return this.#put(target, undefined)
      } else {
        handler = this.metatableOf(holder)?.getString('__index', 0)
        if (handler === undefined) throw this.badOperand('index', holder, 0)
      }
      if (isFunction(handler)) return this.callWith(handler, [holder, key], target, 1, true)
      holder = handler
    }
    throw this.fail('loop in gettable')
  }

  /** object[key] = value */
  setIndex(object: LuaValue, key: LuaValue, value: LuaValue): void {
    let holder = object
    for (let loop = 0; loop < MAX_LOOP; loop++) {
      let handler: LuaValue
      if (holder instanceof LuaTable) {
        const { metatable } = holder
        if (holder.isReadOnly) throw this.fail('Attempt to modify a readonly table')
        handler = metatable?.getString('__newindex', 0)
        if (handler === undefined || holder.get(key) !== undefined) {
          return this.rawSet(holder, key, value)
        }
      } else {
        handler = this.metatableOf(holder)?.getString('__newindex', 0)
        if (handler === undefined) throw this.badOperand('index', holder, 0)
      }
      if (isFunction(handler)) return this.callWith(handler, [holder, key, value], 0, 0, true)
      holder = handler
    }
    throw this.fail('loop in settable')
  }

  rawSet(table: LuaTable, key: LuaValue, value: LuaValue): void {
    if (key === undefined) throw this.fail('table index is nil')
    if (typeof key === 'number' && Number.isNaN(key)) throw this.fail('table index is NaN')
    table.set(key, value)
  }

  /** R[target] = a (operation) b */
  compute(operation: number, a: LuaValue, b: LuaValue, target: number): void {
    const [left, right] = [toNumber(a), toNumber(b)]
    if (left !== undefined && right !== undefined) {
      return this.#put(target, arithmetic(operation, left, right))
    }
    const event = EVENTS[operation - FIRST_ARITHMETIC] as string
    const handler = this.#eventOf(a, b, event)
    if (handler !== undefined) return this.callWith(handler, [a, b], target, 1, true)
    const isLeft = left === undefined
    throw this.badOperand('perform arithmetic on', isLeft ? a : b, isLeft ? 0 : 1)
  }

  lengthOf(value: LuaValue, target: number): void {
    if (typeof value === 'string') return this.#put(target, value.length)
    if (value instanceof LuaTable) return this.#put(target, value.length())
    const handler = this.metatableOf(value)?.getString('__len', 0)
    if (handler === undefined) throw this.badOperand('get length of', value, 0)
    this.callWith(handler, [value, undefined], target, 1, true)
  }

  /**
   * R[target] = R[first] .. ... .. R[last]; true: it waits for a metamethod, and the operands up to the
   * returned one are still to be joined.
   */
  concat(first: number, last: number, target: number): number {
    const { stack } = this.thread
    let at = last
    while (at > first) {
      const pieces: string[] = []
      let length = 0
      let from = at
      for (; from >= first; from--) {
        const text = toText(stack[from])
        if (text === undefined) break
        pieces.push(text)
        length += text.length
      }
      if (pieces.length < 2) return this.#concatPair(first, at, target)
      this.chargeText(length)
      at = from + 1
      stack[at] = join(pieces)
    }
    this.#put(target, stack[first])
    return -1
  }

  /** Before a text of this length is made. */
  chargeText(length: number): void {
    if (length > MAX_STRING_BYTES) throw this.fail('not enough memory')
    this.heap.charge(length + 32)
  }

  /** Goes to `target` if (a < b) is `sense`; returns whether to go, if it is known at once. */
  less(a: LuaValue, b: LuaValue, sense: boolean, target: number): boolean {
    if (typeof a === 'number' && typeof b === 'number') return a < b === sense
    if (typeof a === 'string' && typeof b === 'string') return a < b === sense
    const handler = this.#comparison(a, b, '__lt')
    if (handler === undefined) throw this.#badComparison(a, b)
    this.callTest(handler, [a, b], sense, target)
    return false
  }

  lessEqual(a: LuaValue, b: LuaValue, sense: boolean, target: number): boolean {
    if (typeof a === 'number' && typeof b === 'number') return a <= b === sense
    if (typeof a === 'string' && typeof b === 'string') return a <= b === sense
    const handler = this.#comparison(a, b, '__le')
    if (handler !== undefined) {
      this.callTest(handler, [a, b], sense, target)
      return false
    }
    const reverse = this.#comparison(b, a, '__lt')
    if (reverse === undefined) throw this.#badComparison(a, b)
    this.callTest(reverse, [b, a], !sense, target)
    return false
  }

  equal(a: LuaValue, b: LuaValue, sense: boolean, target: number): boolean {
    if (a === b) return sense
    if (!(a instanceof LuaTable) || !(b instanceof LuaTable)) return !sense
    const handler = a.metatable?.getString('__eq', 0)
    if (handler === undefined || b.metatable?.getString('__eq', 0) !== handler) return !sense
    this.callTest(handler, [a, b], sense, target)
    return false
  }

  #put(target: number, value: LuaValue): void {
    this.thread.stack[target] = value
  }

  #eventOf(a: LuaValue, b: LuaValue, event: string): LuaValue {
    return this.metatableOf(a)?.getString(event, 0) ?? this.metatableOf(b)?.getString(event, 0)
  }

  /** Both must have the same metamethod. */
  #comparison(a: LuaValue, b: LuaValue, event: string): LuaValue {
    if (typeName(a) !== typeName(b)) return undefined
    const handler = this.metatableOf(a)?.getString(event, 0)
    return this.metatableOf(b)?.getString(event, 0) === handler ? handler : undefined
  }

  #concatPair(first: number, at: number, target: number): number {
    const { stack } = this.thread
    const [a, b] = [stack[at - 1], stack[at]]
    const handler = this.#eventOf(a, b, '__concat')
    if (handler === undefined) {
      const isLeft = toText(a) === undefined
      throw this.badOperand('concatenate', isLeft ? a : b, at - first - Number(isLeft))
    }
    const isLast = at - 1 === first
    this.callWith(handler, [a, b], isLast ? target : at - 1, 1, true)
    return isLast ? -1 : at - 1
  }

  #badComparison(a: LuaValue, b: LuaValue): LuaError {
    const [left, right] = [typeName(a), typeName(b)]
    const what = left === right ? `two ${left} values` : `${left} with ${right}`
    return this.fail(`attempt to compare ${what}`)
  }
}

function isFunction(value: LuaValue): boolean {
  return value instanceof Closure || value instanceof NativeFunction
}

/** The pieces were gathered from the last to the first. */
function join(pieces: readonly string[]): string {
  if (pieces.length === 2) return (pieces[1] as string) + (pieces[0] as string)
  return [...pieces].reverse().join('')
}
