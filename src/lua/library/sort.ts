/**
 * `table.sort`: the quicksort of Lua 5.1, comparison by comparison. Which of two equal elements comes
 * first, and what an inconsistent comparison leads to, are visible to scripts.
 */
import {
  CallRequest,
  inSteps,
  type Native,
  type NativeResult,
  type StepGenerator,
} from '../machine/functions.ts'
import type { LuaTable } from '../table.ts'
import { isTrue, LuaError, type LuaValue, typeName } from '../values.ts'
import { checkWritable, tableAt, wrongType } from './arguments.ts'

/** Comparisons between two moments at which a long sort may be interrupted. */
const PAUSE_EVERY = 4_096

export function sort(args: LuaValue[], native: Native): NativeResult {
  const table = tableAt(native, args, 0)
  const [, comparison] = args
  if (comparison !== undefined && typeName(comparison) !== 'function') {
    throw wrongType(native, args, 1, 'function')
  }
  checkWritable(table)
  const count = table.length()
  if (comparison === undefined && sortPlain(table, count, native)) return []
  return inSteps(new Sorting(table, comparison, native).between(1, count))
}

/** Equal numbers or strings cannot be told apart, so any way to sort them is right. */
function sortPlain(table: LuaTable, count: number, native: Native): boolean {
  const values: LuaValue[] = []
  for (let at = 1; at <= count; at++) values.push(table.getNumber(at))
  if (values.every((value) => typeof value === 'number' && !Number.isNaN(value))) {
    ;(values as number[]).sort((a, b) => a - b || 0)
  } else if (values.every((value) => typeof value === 'string')) {
    values.sort()
  } else {
    return false
  }
  native.spend(count * 4)
  values.forEach((value, index) => {
    table.setNumber(index + 1, value)
  })
  return true
}

class Sorting {
  readonly #table: LuaTable
  readonly #comparison: LuaValue
  readonly #native: Native
  #comparisons = 0

  constructor(table: LuaTable, comparison: LuaValue, native: Native) {
    this.#table = table
    this.#comparison = comparison
    this.#native = native
  }

  *between(first: number, last: number): StepGenerator {
    let low = first
    let high = last
    while (low < high) {
      // The median of three goes to the middle.
      if (yield* this.#less(high, low)) this.#swap(high, low)
      if (high - low === 1) break
      const middle = Math.floor((low + high) / 2)
      if (yield* this.#less(middle, low)) this.#swap(middle, low)
      else if (yield* this.#less(high, middle)) this.#swap(middle, high)
      if (high - low === 2) break
      const pivot = this.#table.getNumber(middle)
      this.#swap(middle, high - 1)
      const place = yield* this.#partition(low, high, pivot)
      // The smaller part is sorted first, so the recursion is never deep.
      if (place - low < high - place) {
        yield* this.between(low, place - 1)
        low = place + 1
      } else {
        yield* this.between(place + 1, high)
        high = place - 1
      }
    }
    return []
  }

  *#partition(low: number, high: number, pivot: LuaValue): Steps<number> {
    let from = low
    let to = high - 1
    for (;;) {
      while (yield* this.#isLess(this.#table.getNumber(++from), pivot)) {
        if (from > high) throw this.#badOrder()
      }
      while (yield* this.#isLess(pivot, this.#table.getNumber(--to))) {
        if (to < low) throw this.#badOrder()
      }
      if (to < from) break
      this.#swap(from, to)
    }
    this.#swap(high - 1, from)
    return from
  }

  #less(a: number, b: number): Steps<boolean> {
    return this.#isLess(this.#table.getNumber(a), this.#table.getNumber(b))
  }

  *#isLess(a: LuaValue, b: LuaValue): Steps<boolean> {
    if (++this.#comparisons % PAUSE_EVERY === 0) {
      this.#native.spend(PAUSE_EVERY)
      yield 'pause'
    }
    if (this.#comparison !== undefined) {
      const [result] = yield new CallRequest(this.#comparison, [a, b])
      return isTrue(result)
    }
    if (typeof a === 'number' && typeof b === 'number') return a < b
    if (typeof a === 'string' && typeof b === 'string') return a < b
    const handler = typeName(a) === typeName(b) ? this.#handler(a, b) : undefined
    if (handler === undefined) throw this.#badComparison(a, b)
    const [result] = yield new CallRequest(handler, [a, b])
    return isTrue(result)
  }

  #handler(a: LuaValue, b: LuaValue): LuaValue {
    const handler = this.#native.metatableOf(a)?.getString('__lt', 0)
    return this.#native.metatableOf(b)?.getString('__lt', 0) === handler ? handler : undefined
  }

  #swap(a: number, b: number): void {
    const value = this.#table.getNumber(a)
    this.#table.setNumber(a, this.#table.getNumber(b))
    this.#table.setNumber(b, value)
  }

  #badOrder(): LuaError {
    return this.#native.fail('invalid order function for sorting')
  }

  #badComparison(a: LuaValue, b: LuaValue): LuaError {
    const [left, right] = [typeName(a), typeName(b)]
    const what = left === right ? `two ${left} values` : `${left} with ${right}`
    return new LuaError(`attempt to compare ${what}`)
  }
}

type Steps<T> = Generator<CallRequest | 'pause', T, LuaValue[]>
