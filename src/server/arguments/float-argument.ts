/**
 * Doubles in arguments, read as C reads them: decimal or hexadecimal, with an exponent, or an infinity.
 * None of them is NaN.
 */
import { cString } from '../../base/c-string.ts'

/** No digit can match in two ways, or a long text that is not a number would take for ever. */
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i
const HEXADECIMAL = /^([+-]?)0x(?=[0-9a-f.]*[0-9a-f])([0-9a-f]*)\.?([0-9a-f]*)(?:p([+-]?\d+))?$/i
const INFINITE = /^[+-]?inf(inity)?$/i

/** A longer hexadecimal number is refused: no program writes one. */
const MAX_HEXADECIMAL_BYTES = 200

/** A score or a coordinate; undefined if it is not a number, or one that no double comes near. */
export function parseDouble(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = parseFinite(text)
  if (value === undefined) return parseInfinite(text)
  if (!Number.isFinite(value)) return undefined
  return value === 0 && /[1-9a-f]/i.test(significand(text)) ? undefined : value
}

/**
 * The more lenient form, for the ends of a range of scores: blanks may precede the number, it ends at a
 * NUL, a number that is too large is infinite, and an empty text is 0.
 */
export function parseStrtod(text: string): number | undefined {
  const whole = cString(text)
  if (whole === '') return 0
  const trimmed = whole.replace(/^[ \t-\r]+/, '')
  return parseFinite(trimmed) ?? parseInfinite(trimmed)
}

function parseInfinite(text: string): number | undefined {
  if (!INFINITE.test(text)) return undefined
  return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

/** Infinite if the number is too large. */
function parseFinite(text: string): number | undefined {
  if (DECIMAL.test(text)) return Number(text)
  const hexadecimal = parseHexadecimal(text)
  if (hexadecimal === undefined) return undefined
  const magnitude = scaled(hexadecimal.digits, hexadecimal.power)
  return hexadecimal.isNegative ? -magnitude : magnitude
}

/** `digits * 2^power`. */
export interface Hexadecimal {
  readonly isNegative: boolean
  readonly digits: bigint
  /** May be arbitrarily large. */
  readonly power: number
}

/** `0x1.8p-3`; undefined if the text is no such number. */
export function parseHexadecimal(text: string): Hexadecimal | undefined {
  const match = text.length > MAX_HEXADECIMAL_BYTES ? null : HEXADECIMAL.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', power = '0'] = match
  return {
    isNegative: sign === '-',
    digits: BigInt(`0x${whole}${fraction}`),
    power: Number(power) - 4 * fraction.length,
  }
}

/** In two steps, because one power alone might overflow where the product does not. */
function scaled(digits: bigint, power: number): number {
  const half = Math.trunc(power / 2)
  return digits === 0n ? 0 : Number(digits) * 2 ** half * 2 ** (power - half)
}

/** The digits before the exponent. */
function significand(text: string): string {
  return /0x/i.test(text)
    ? text.replace(/^.?0x/i, '').replace(/p.*/i, '')
    : text.replace(/e.*/i, '')
}
