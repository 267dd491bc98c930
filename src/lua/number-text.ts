/**
 * Numbers as text and back, as the C library of Lua 5.1 does both: `%.14g` and its relatives, with
 * the last digit of a tie even; and `strtod`, which takes hexadecimal numbers, infinity and nan.
 */
import { fixedText } from '../base/double-text.ts'

const TIE_DIGITS = 100

/** How many Lua shows. */
export const NUMBER_DIGITS = 14

/** As Lua shows a number: `%.14g`. */
export function numberText(value: number): string {
  if (Number.isInteger(value) && value > -1e14 && value < 1e14) {
    return Object.is(value, -0) ? '-0' : String(value)
  }
  return generalText(value, NUMBER_DIGITS)
}

/** `inf` and `nan`; every nan that arithmetic makes on x86 has its sign set. */
export function notFinite(value: number): string {
  if (Number.isNaN(value)) return '-nan'
  return value > 0 ? 'inf' : '-inf'
}

/** `%.<precision>e` */
export function exponentText(value: number, precision: number): string {
  if (!Number.isFinite(value)) return notFinite(value)
  const magnitude = Math.abs(value)
  const [mantissa = '', power = ''] = evenExponential(magnitude, precision).split('e')
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const exponent = Number(power)
  const digits = String(Math.abs(exponent)).padStart(2, '0')
  return `${sign}${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`
}

/** `%.<decimals>f` */
export function decimalText(value: number, decimals: number): string {
  return Number.isFinite(value) ? fixedText(value, decimals) : notFinite(value)
}

/** `%.<precision>g`; `keepsZeros`: with the flag `#`. */
export function generalText(value: number, precision: number, keepsZeros = false): string {
  if (!Number.isFinite(value)) return notFinite(value)
  const digits = Math.max(precision, 1)
  const text = exponentText(value, digits - 1)
  const exponent = Number(text.slice(text.indexOf('e') + 1))
  if (exponent < -4 || exponent >= digits) {
    if (keepsZeros) return text
    const [mantissa = '', power = ''] = text.split('e')
    return `${withoutZeros(mantissa)}e${power}`
  }
  const plain = fixedText(value, digits - 1 - exponent)
  return keepsZeros ? plain : withoutZeros(plain)
}

function withoutZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

/** `toExponential`, which rounds ties up, with ties to the even digit. */
function evenExponential(magnitude: number, precision: number): string {
  const text = magnitude.toExponential(Math.min(precision, TIE_DIGITS))
  const at = text.indexOf('e')
  if (Number(text[at - 1]) % 2 === 0 || precision >= TIE_DIGITS) return padded(text, at, precision)
  const exact = magnitude.toExponential(TIE_DIGITS).replace('.', '')
  if (!/^50*e/.test(exact.slice(precision + 1))) return text
  return text.slice(0, at - 1) + String(Number(text[at - 1]) - 1) + text.slice(at)
}

function padded(text: string, at: number, precision: number): string {
  const missing = '0'.repeat(Math.max(precision - TIE_DIGITS, 0))
  return text.slice(0, at) + missing + text.slice(at)
}

const DECIMAL =
  /^[ \t\n\v\f\r]*([+-]?)(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|(inf(?:inity)?|nan)|0[xX]([0-9a-fA-F]*\.?[0-9a-fA-F]*)(?:[pP]([+-]?\d+))?)[ \t\n\v\f\r]*$/i

/** A number in text, blanks around it allowed; undefined: it is none. */
export function parseNumber(text: string): number | undefined {
  const quick = quickInteger(text)
  if (quick !== undefined) return quick
  const end = text.indexOf('\0')
  const match = DECIMAL.exec(end < 0 ? text : text.slice(0, end))
  if (match === null) return undefined
  const [, sign, decimal, special, hex, power = '0'] = match
  const magnitude =
    decimal !== undefined
      ? Number(decimal)
      : special !== undefined
        ? special.toLowerCase() === 'nan'
          ? Number.NaN
          : Number.POSITIVE_INFINITY
        : hexNumber(hex as string, Number(power))
  if (magnitude === undefined) return undefined
  return sign === '-' ? -magnitude : magnitude
}

/** Most numbers in text are short integers. */
function quickInteger(text: string): number | undefined {
  const { length } = text
  if (length === 0 || length > 9) return undefined
  let value = 0
  for (let at = 0; at < length; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return undefined
    value = value * 10 + digit
  }
  return value
}

function hexNumber(text: string, power: number): number | undefined {
  const [whole = '', fraction = ''] = text.split('.')
  if (whole === '' && fraction === '') return undefined
  let value = 0
  for (const digit of whole + fraction) value = value * 16 + Number.parseInt(digit, 16)
  return value * 2 ** (power - 4 * fraction.length)
}

const DIGITS = /^\s*([+-]?)([0-9a-z]+)\s*$/i
const PREFIXED_DIGITS = /^\s*([+-]?)(?:0x(?=[0-9a-f]))?([0-9a-f]+)\s*$/i

/** `tonumber(text, base)`: what `strtoul` takes; undefined: it is no such number. */
export function parseInBase(text: string, base: number): number | undefined {
  const end = text.indexOf('\0')
  // Only base 16 knows the prefix: in base 36, the x of 0x1f is a digit.
  const form = base === 16 ? PREFIXED_DIGITS : DIGITS
  const match = form.exec(end < 0 ? text : text.slice(0, end))
  if (match === null) return undefined
  let value = 0n
  for (const digit of match[2] as string) {
    const number = Number.parseInt(digit, 36)
    if (number >= base) return undefined
    value = value * BigInt(base) + BigInt(number)
  }
  const most = 2n ** 64n - 1n
  if (value > most) return Number(most)
  return Number(match[1] === '-' ? BigInt.asUintN(64, -value) : value)
}
