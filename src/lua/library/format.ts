/** `string.format`: the directives of printf that Lua 5.1 hands to C. */
import type { Native, NativeResult } from '../machine/functions.ts'
import { decimalText, exponentText, generalText, notFinite } from '../number-text.ts'
import type { LuaError, LuaValue } from '../values.ts'
import {
  argumentError,
  checkRoom,
  numberAt,
  textAt,
  truncated,
  truncatedUnsigned,
} from './arguments.ts'

const DIRECTIVE = /%([-+ #0]*)(\d*)(?:(\.)(\d*))?([\s\S]?)/g
/** Longer strings are not padded, and not cut either. */
const LONG_TEXT = 100

interface Directive {
  readonly flags: string
  readonly width: number
  readonly precision: number | undefined
}

export function format(args: LuaValue[], native: Native): NativeResult {
  const text = textAt(native, args, 0)
  let [next, bytes] = [0, 0]
  const result = text.replace(
    DIRECTIVE,
    (
      whole,
      flags: string,
      width: string,
      point: string | undefined,
      decimals: string,
      letter: string,
    ) => {
      if (whole === '%%') return '%'
      if (/(.).*\1/.test(flags) && flags.length > 5)
        throw native.fail('invalid format (repeated flags)')
      if (width.length > 2 || (decimals?.length ?? 0) > 2) {
        throw native.fail('invalid format (width or precision too long)')
      }
      if (++next >= args.length) throw argumentError(native, next, 'no value')
      const precision = point === undefined ? undefined : Number(decimals)
      const piece = converted(native, args, next, letter, {
        flags,
        width: Number(width),
        precision,
      })
      bytes += piece.length
      checkRoom(native, bytes)
      return piece
    },
  )
  return result
}

function converted(
  native: Native,
  args: LuaValue[],
  at: number,
  letter: string,
  directive: Directive,
): string {
  switch (letter) {
    case 'c':
      return characterText(numberAt(native, args, at) & 255, directive)
    case 'd':
    case 'i':
      return integerText(truncated(numberAt(native, args, at)), directive)
    case 'o':
    case 'u':
    case 'x':
    case 'X':
      return unsignedText(numberAt(native, args, at), letter, directive)
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G':
      return floatText(numberAt(native, args, at), letter, directive)
    case 'q':
      return quoted(textAt(native, args, at))
    case 's':
      return stringText(textAt(native, args, at), directive)
    default:
      throw badOption(native, letter)
  }
}

function badOption(native: Native, letter: string): LuaError {
  return native.fail(`invalid option '%${letter}' to 'format'`)
}

/** Lua takes what printf wrote up to the first NUL, and so drops a NUL and the padding behind it. */
function characterText(code: number, directive: Directive): string {
  const text = padded(String.fromCharCode(code), directive)
  return code === 0 ? text.slice(0, text.indexOf('\0')) : text
}

function stringText(text: string, directive: Directive): string {
  const { precision } = directive
  if (precision === undefined && text.length >= LONG_TEXT) return text
  const end = text.indexOf('\0')
  const shown = end < 0 ? text : text.slice(0, end)
  return padded(precision === undefined ? shown : shown.slice(0, precision), directive)
}

function integerText(value: number, directive: Directive): string {
  const exact = BigInt.asIntN(64, BigInt(value))
  const magnitude = exact < 0n ? -exact : exact
  return numeric(magnitude.toString(), signOf(exact < 0n, directive), directive)
}

function unsignedText(number: number, letter: string, directive: Directive): string {
  const value = BigInt.asUintN(64, BigInt(truncatedUnsigned(number)))
  const base = letter === 'o' ? 8 : letter === 'u' ? 10 : 16
  const digits = value.toString(base)
  const hasPrefix = directive.flags.includes('#') && value !== 0n
  const prefix = hasPrefix && base === 16 ? '0x' : hasPrefix && base === 8 ? '0' : ''
  const text = numeric(digits, prefix, directive)
  return letter === 'X' ? text.toUpperCase() : text
}

/** A precision is the least number of digits, and then zeros do not fill the width. */
function numeric(digits: string, sign: string, directive: Directive): string {
  const { precision, flags, width } = directive
  if (precision === 0 && digits === '0') return padded(sign, directive)
  const filled = digits.padStart(precision ?? 0, '0')
  if (precision !== undefined || !flags.includes('0') || flags.includes('-')) {
    return padded(sign + filled, directive)
  }
  return sign + filled.padStart(width - sign.length, '0')
}

function floatText(value: number, letter: string, directive: Directive): string {
  const { flags, width, precision = 6 } = directive
  const isNegative = value < 0 || Object.is(value, -0)
  const sign = Number.isNaN(value) ? '-' : signOf(isNegative, directive)
  const magnitude = Math.abs(value)
  const lower = letter.toLowerCase()
  let digits: string
  if (!Number.isFinite(value)) digits = notFinite(magnitude).replace('-', '')
  else if (lower === 'e') digits = exponentText(magnitude, precision)
  else if (lower === 'f') digits = decimalText(magnitude, precision)
  else digits = generalText(magnitude, precision, flags.includes('#'))
  // The flag # keeps the point where no decimals follow it.
  if (flags.includes('#') && Number.isFinite(value) && !digits.includes('.'))
    digits = digits.replace(/(?=e|$)/, '.')
  if (letter !== lower) digits = digits.toUpperCase()
  if (flags.includes('0') && !flags.includes('-') && Number.isFinite(value)) {
    return sign + digits.padStart(width - sign.length, '0')
  }
  return padded(sign + digits, directive)
}

function signOf(isNegative: boolean, { flags }: Directive): string {
  if (isNegative) return '-'
  return flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
}

function padded(text: string, { flags, width }: Directive): string {
  return flags.includes('-') ? text.padEnd(width) : text.padStart(width)
}

const QUOTED: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\\n',
  '\r': '\\r',
  '\0': '\\000',
}

function quoted(text: string): string {
  return `"${text.replace(/["\\\n\r\0]/g, (char) => QUOTED[char] as string)}"`
}
