/** What operators do with values that need no metamethod. */
import { numberText, parseNumber } from '../number-text.ts'
import type { LuaValue } from '../values.ts'

/** A number, or a string that reads as one; undefined: it is no number. */
export function toNumber(value: LuaValue): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' ? parseNumber(value) : undefined
}

/** A string, or a number as text; undefined: it has no text of its own. */
export function toText(value: LuaValue): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? numberText(value) : undefined
}

/** By the number of the instruction, see compiler/opcodes.ts. */
export function arithmetic(operation: number, a: number, b: number): number {
  switch (operation) {
    case 16:
      return a + b
    case 17:
      return a - b
    case 18:
      return a * b
    case 19:
      return a / b
    case 20:
      return modulo(a, b)
    case 21:
      return power(a, b)
    default:
      return -a
  }
}

export function modulo(a: number, b: number): number {
  return a - Math.floor(a / b) * b
}

/** C says that 1 to any power is 1. */
export function power(a: number, b: number): number {
  if (a === 1 || (a === -1 && (b === Infinity || b === -Infinity))) return 1
  return a ** b
}

export const EVENTS: readonly string[] = [
  '__add',
  '__sub',
  '__mul',
  '__div',
  '__mod',
  '__pow',
  '__unm',
]
/** The number of the first instruction of arithmetic. */
export const FIRST_ARITHMETIC = 16
