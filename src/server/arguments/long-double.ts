/**
 * INCRBYFLOAT computes with the 80-bit floating point numbers of x86 and prints 17 decimals, so its last
 * digits are those of a 64-bit binary fraction: 10.6 + 5.0e3 is 5010.60000000000000009. A double has
 * only 53 bits and would give other results than Redis; so the same arithmetic is done here with exact
 * integers: a value is `mantissa * 2^exponent` with a mantissa of at most 64 bits.
 */
import { type Hexadecimal, parseHexadecimal } from './float-argument.ts'

/** `mantissa * 2^exponent`, as described above. */
interface LongDouble {
  /** Signed. */
  readonly mantissa: bigint
  readonly exponent: number
}

const MANTISSA_BITS = 64
const DECIMALS = 17
/**
 * The largest power of ten that an 80-bit number reaches, and the smallest at which it does not
 * become 0.
 */
const MAX_EXPONENT_10 = 4932
const MIN_EXPONENT_10 = -4950
/** The same for powers of two. */
const MAX_EXPONENT_2 = 16_384
const MIN_EXPONENT_2 = -16_444
/** The size of Redis' buffer for reading or printing one. */
const MAX_TEXT_BYTES = 5 * 1024

/** Whether the text is a number that can be computed with; here that includes `inf`. */
export function isLongDouble(text: string): boolean {
  return isInfinity(text) || parse(text) !== undefined
}

/** The sum of two numbers in fixed notation, without trailing zeros; undefined if it is infinite. */
export function addLongDoubles(a: string, b: string): string | undefined {
  const left = parse(a)
  const right = parse(b)
  if (left === undefined || right === undefined) return undefined
  const sum = format(add(left, right))
  return sum.length > MAX_TEXT_BYTES ? undefined : sum
}

/** The number times 1000, rounded up to an integer, as Redis makes milliseconds of seconds; undefined if it is infinite. */
export function ceilOfThousandfold(text: string): bigint | undefined {
  const value = parse(text)
  if (value === undefined) return undefined
  const { mantissa, exponent } = product(value, 1000n)
  return exponent >= 0 ? mantissa << BigInt(exponent) : -(-mantissa >> BigInt(-exponent))
}

function isInfinity(text: string): boolean {
  return /^[+-]?inf(inity)?$/i.test(text)
}

function parse(text: string): LongDouble | undefined {
  if (text.length >= MAX_TEXT_BYTES) return undefined
  const hexadecimal = parseHexadecimal(text)
  return hexadecimal === undefined ? parseDecimal(text) : fromHexadecimal(hexadecimal)
}

function fromHexadecimal({ isNegative, digits, power }: Hexadecimal): LongDouble | undefined {
  if (digits === 0n) return { mantissa: 0n, exponent: 0 }
  const size = bits(digits) + power
  if (size > MAX_EXPONENT_2 || size < MIN_EXPONENT_2) return undefined
  const value = rounded(digits, power, false)
  return isNegative ? { ...value, mantissa: -value.mantissa } : value
}

function parseDecimal(text: string): LongDouble | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,9}))?$/i.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', power = '0'] = match
  if (whole === '' && fraction === '') return undefined
  const digits = BigInt(whole + fraction)
  const exponent = Number(power) - fraction.length
  const size = String(digits).length + exponent
  if (digits !== 0n && (size > MAX_EXPONENT_10 || size < MIN_EXPONENT_10)) return undefined
  const value = fromDecimal(digits, exponent)
  return sign === '-' ? { ...value, mantissa: -value.mantissa } : value
}

/** `digits * 10^exponent`, rounded to the mantissa. */
function fromDecimal(digits: bigint, exponent: number): LongDouble {
  if (digits === 0n) return { mantissa: 0n, exponent: 0 }
  if (exponent >= 0) return rounded(digits * 10n ** BigInt(exponent), 0, false)
  const divisor = 10n ** BigInt(-exponent)
  // Enough bits that the quotient has more of them than a mantissa; the remainder decides ties.
  const shift = Math.max(0, MANTISSA_BITS + 2 + bits(divisor) - bits(digits))
  const scaled = digits << BigInt(shift)
  return rounded(scaled / divisor, -shift, scaled % divisor !== 0n)
}

function add(a: LongDouble, b: LongDouble): LongDouble {
  const exponent = Math.min(a.exponent, b.exponent)
  const sum =
    (a.mantissa << BigInt(a.exponent - exponent)) + (b.mantissa << BigInt(b.exponent - exponent))
  if (sum >= 0n) return rounded(sum, exponent, false)
  const negated = rounded(-sum, exponent, false)
  return { ...negated, mantissa: -negated.mantissa }
}

function product({ mantissa, exponent }: LongDouble, factor: bigint): LongDouble {
  if (mantissa >= 0n) return rounded(mantissa * factor, exponent, false)
  const negated = rounded(-mantissa * factor, exponent, false)
  return { ...negated, mantissa: -negated.mantissa }
}

/** To the nearest, ties to even. `isInexact`: the true value is a little larger than `value`. */
function rounded(value: bigint, exponent: number, isInexact: boolean): LongDouble {
  const excess = bits(value) - MANTISSA_BITS
  if (excess <= 0) return { mantissa: value, exponent }
  const mantissa = roundShift(value, excess, isInexact)
  return { mantissa, exponent: exponent + excess }
}

/** `value / 2^count` to the nearest integer, ties to even. */
function roundShift(value: bigint, count: number, isInexact: boolean): bigint {
  const shift = BigInt(count)
  const quotient = value >> shift
  const rest = value - (quotient << shift)
  const half = 1n << (shift - 1n)
  const isUp = rest > half || (rest === half && (isInexact || (quotient & 1n) === 1n))
  return isUp ? quotient + 1n : quotient
}

function format({ mantissa, exponent }: LongDouble): string {
  const sign = mantissa < 0n ? '-' : ''
  const magnitude = mantissa < 0n ? -mantissa : mantissa
  const scaled = magnitude * 10n ** BigInt(DECIMALS)
  const digits = exponent >= 0 ? scaled << BigInt(exponent) : roundShift(scaled, -exponent, false)
  const text = String(digits).padStart(DECIMALS + 1, '0')
  const whole = text.slice(0, -DECIMALS)
  const fraction = text.slice(-DECIMALS).replace(/0+$/, '')
  const shown = fraction === '' ? whole : `${whole}.${fraction}`
  return shown === '0' ? '0' : sign + shown
}

/** How many binary digits a positive number has. */
function bits(value: bigint): number {
  return value.toString(2).length
}
