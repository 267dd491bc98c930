/**
 * Numbers in arguments, as strictly as Redis reads them, and numbers in replies. A value of 64 bits
 * that a JavaScript number cannot hold exactly is a bigint; most never need one.
 */
import { parseInt64 } from '../../base/decimal.ts'

const MAX_INT64 = 2n ** 63n - 1n
const MIN_INT64 = -(2n ** 63n)

/** A number with this many digits at most is certainly exact. */
const EXACT_DIGITS = 15

const ZERO = 48
const NINE = 57
const MINUS = 45

/**
 * A 64-bit integer as a plain number: beyond 2^53 it is only approximate, which is enough where it is
 * only compared (indexes, counts, times to live). Undefined if the text is not an integer.
 */
export function parseInteger(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (text.length > EXACT_DIGITS) {
    const value = parseInt64(text)
    return value === undefined ? undefined : Number(value)
  }
  return parseShort(text)
}

/** Whether the integer fits into 32 bits, as most indexes must. */
export function isInt32(value: number): boolean {
  return value >= -(2 ** 31) && value < 2 ** 31
}

/** A 64-bit integer, exactly. */
export function parseExact(text: string): number | bigint | undefined {
  return text.length > EXACT_DIGITS ? parseInt64(text) : parseShort(text)
}

/** Whether both ends of a range count from the end of a value and the range is empty for every value. */
export function isBackwards(start: string, end: string): boolean {
  const [from, to] = [parseExact(start) ?? 0, parseExact(end) ?? 0]
  return from < 0 && to < 0 && from > to
}

/** The sum, or undefined if it does not fit into 64 bits. */
export function addInt64(a: number | bigint, b: number | bigint): number | bigint | undefined {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (Number.isSafeInteger(sum)) return sum
  }
  const sum = BigInt(a) + BigInt(b)
  return sum >= MIN_INT64 && sum <= MAX_INT64 ? sum : undefined
}

/** The negated value, or undefined for the one value that has none. */
export function negateInt64(value: number | bigint): number | bigint | undefined {
  if (typeof value === 'number') return value === 0 ? 0 : -value
  return value === MIN_INT64 ? undefined : -value
}

/** A plain decimal number such as `0.5`, `1e3` or `inf`; undefined if the text is no such number. */
export function parseFloating(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  // No digit can match in two ways, or a long text that is not a number would take for ever.
  if (/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text)
  const match = /^([+-]?)inf(inity)?$/i.exec(text)
  if (match === null) return undefined
  return match[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

/** Sizes for people: `1.50M`, `12B`. */
export function humanBytes(bytes: number): string {
  const units = ['B', 'K', 'M', 'G', 'T', 'P']
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return unit === 0 ? `${bytes}B` : `${value.toFixed(2)}${units[unit]}`
}

function parseShort(text: string): number | undefined {
  const length = text.length
  const first = text.charCodeAt(0)
  const start = first === MINUS ? 1 : 0
  if (length === start) return undefined
  if (text.charCodeAt(start) === ZERO) return length === 1 ? 0 : undefined
  let value = 0
  for (let at = start; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code < ZERO || code > NINE) return undefined
    value = value * 10 + code - ZERO
  }
  return start === 1 ? -value : value
}
