/**
 * Doubles as C prints them, digit for digit: a score travels as text, and two nodes agree on it only if
 * they write it alike. JavaScript rounds the last digit of an exact tie away from zero, C to the even
 * digit; and the two differ in when they turn to exponents.
 */

/** Decimal digits of `%.17g`: enough to tell every double from its neighbours. */
const SIGNIFICANT_DIGITS = 17
/** Smaller powers of ten are written with an exponent. */
const MIN_FIXED_EXPONENT = -4
/** Powers of ten are doubles up to this one. */
const MAX_EXACT_DECIMALS = 22
/** Enough decimals to tell a tie from a near-tie; nearly all doubles end far earlier. */
const MANY_DIGITS = 100

/** `%.17g`: `0.10000000000000001`, `1e+17`, `-inf`, `nan`. */
export function doubleText(value: number): string {
  if (Number.isSafeInteger(value)) return Object.is(value, -0) ? '-0' : String(value)
  if (!Number.isFinite(value)) return notFinite(value)
  const [digits, exponent] = significantDigits(Math.abs(value))
  const sign = value < 0 ? '-' : ''
  if (exponent < MIN_FIXED_EXPONENT || exponent >= SIGNIFICANT_DIGITS) {
    return sign + withExponent(digits, exponent)
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  const fraction = digits.slice(exponent + 1)
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`
}

/** `%.<decimals>f`, exactly; infinities as `inf` and `-inf`. */
export function fixedText(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return notFinite(value)
  if (isFarFromTie(Math.abs(value), decimals)) return value.toFixed(decimals)
  const scaled = timesPowerOfTen(Math.abs(value), decimals)
  const text = String(scaled).padStart(decimals + 1, '0')
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const point = text.length - decimals
  return decimals === 0 ? sign + text : `${sign}${text.slice(0, point)}.${text.slice(point)}`
}

/**
 * The engine rounds as C does, except for a tie: then twice the number, with the decimals before its point, is
 * whole, and below 2^53 that product is exact.
 */
function isFarFromTie(magnitude: number, decimals: number): boolean {
  const doubled = magnitude * 2 * 10 ** decimals
  return decimals <= MAX_EXACT_DECIMALS && doubled < 2 ** 53 && !Number.isInteger(doubled)
}

function notFinite(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  return value > 0 ? 'inf' : '-inf'
}

/** Up to 17 digits without trailing zeros, and the power of ten of the first one. */
function significantDigits(magnitude: number): [digits: string, exponent: number] {
  const [mantissa = '', power = ''] = magnitude.toExponential(SIGNIFICANT_DIGITS - 1).split('e')
  const digits = mantissa.replace('.', '')
  const even = isOdd(digits) ? evenInTie(magnitude, digits) : digits
  return [even.replace(/0+$/, ''), Number(power)]
}

/** Only a tie that was rounded up to an odd digit has to come down by one; that never borrows. */
function evenInTie(magnitude: number, digits: string): string {
  const exact = magnitude.toExponential(MANY_DIGITS).replace('.', '')
  const isTie = /^50*e/.test(exact.slice(SIGNIFICANT_DIGITS))
  return isTie ? digits.slice(0, -1) + String(Number(digits.at(-1)) - 1) : digits
}

function isOdd(digits: string): boolean {
  return Number(digits.at(-1)) % 2 === 1
}

function withExponent(digits: string, exponent: number): string {
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
  const power = String(Math.abs(exponent)).padStart(2, '0')
  return `${digits[0]}${fraction}e${exponent < 0 ? '-' : '+'}${power}`
}

/** `magnitude * 10^power` as the nearest whole number, ties to even. */
function timesPowerOfTen(magnitude: number, power: number): bigint {
  let whole = magnitude
  let halvings = 0n
  while (!Number.isInteger(whole)) {
    whole *= 2
    halvings++
  }
  const scaled = BigInt(whole) * 10n ** BigInt(power)
  if (halvings === 0n) return scaled
  const quotient = scaled >> halvings
  const rest = scaled - (quotient << halvings)
  const half = 1n << (halvings - 1n)
  const isUp = rest > half || (rest === half && (quotient & 1n) === 1n)
  return isUp ? quotient + 1n : quotient
}
