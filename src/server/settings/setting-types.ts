/**
 * The kinds of values a directive can have: how each is read from text, what is refused and why
 * (the reasons are Redis'), and how it is shown again.
 */
import { cString } from '../../base/c-string.ts'
import { parseInt64 } from '../../base/decimal.ts'

/**
 * When a directive may be changed: any time, at start only, or only if `enable-protected-configs`.
 */
export type SettingAccess = 'mutable' | 'immutable' | 'protected'

export type ParsedSetting<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string }

export interface SettingType<T> {
  readonly initial: T
  readonly access: SettingAccess
  /** `old` is what the directive has now: some directives are changed in parts. */
  parse(text: string, old: T): ParsedSetting<T>
  format(value: T): string
  /**
   * If set, the node accepts and shows the directive and does nothing with it. The text says what
   * does not happen, or is empty.
   */
  readonly ignored?: string
  /** Redis does not know it. */
  readonly isOurs?: boolean
  /** How many words a line of the file may have behind the name; undefined: one. */
  readonly maxWords?: number
}

export const MAX_INT = 2 ** 31 - 1
/** 2^63-1, which a number cannot hold: values beyond 2^53 are approximate. */
export const MAX_LONG = 2 ** 63
const MAX_LONG_TEXT = '9223372036854775807'

export function ignored<T>(type: SettingType<T>, why = ''): SettingType<T> {
  return { ...type, ignored: why }
}

/** A line may have several words, up to `maxWords`. */
export function words<T>(type: SettingType<T>, maxWords = Infinity): SettingType<T> {
  return { ...type, maxWords }
}

export function ours<T>(type: SettingType<T>): SettingType<T> {
  return { ...type, isOurs: true }
}

export function integer(
  initial: number,
  min: number,
  max: number = MAX_INT,
  access: SettingAccess = 'mutable',
): SettingType<number> {
  const parse = (text: string): ParsedSetting<number> => {
    const value = parseInt64(text)
    if (value === undefined) return refused("argument couldn't be parsed into an integer")
    return withinBounds(value, min, max)
  }
  return { initial, access, parse, format: integerText }
}

/** Up to three octal digits, kept as a number with the same digits. */
export function octal(initial: number, access: SettingAccess): SettingType<number> {
  const parse = (text: string): ParsedSetting<number> => {
    if (/^[0-7]{1,4}$/.test(text)) return withinBounds(Number(text), 0, 777)
    return refused("argument couldn't be parsed into an integer")
  }
  return { initial, access, parse, format: integerText }
}

/** An integer that is silently moved into its bounds, as `hz` and the backlog size are. */
export function clamped(type: SettingType<number>, min: number, max: number): SettingType<number> {
  return {
    ...type,
    parse(text, old) {
      const parsed = type.parse(text, old)
      return parsed.ok ? accepted(Math.min(max, Math.max(min, parsed.value))) : parsed
    },
  }
}

/** A number of bytes. Where `min` is below zero, so may be the number: -1 means no limit then. */
export function memory(initial: number, min = 0): SettingType<number> {
  const parse = (text: string): ParsedSetting<number> => {
    const value = min < 0 ? parseSigned(text) : parseMemory(text)
    if (value === undefined) return refused('argument must be a memory value')
    return withinBounds(value, min, MAX_LONG)
  }
  return { initial, access: 'mutable', parse, format: integerText }
}

function parseSigned(text: string): bigint | undefined {
  if (!text.startsWith('-')) return parseMemory(text)
  const bytes = parseMemory(text.slice(1))
  return bytes === undefined ? undefined : -bytes
}

/** A number of bytes, or a percentage, which is kept as a number below zero. */
export function memoryOrShare(initial: number): SettingType<number> {
  const { parse: parseBytesOnly } = memory(initial)
  const parse = (text: string, old: number): ParsedSetting<number> => {
    const [, digits] = /^(\d{1,18})%$/.exec(text) ?? []
    if (digits !== undefined) {
      const share = Number(digits)
      return share <= 100
        ? accepted(-share)
        : refused('percentage argument must be less or equal to 100')
    }
    const parsed = parseBytesOnly(text, old)
    return parsed.ok ? parsed : refused('argument must be a memory or percent value')
  }
  const format = (value: number) => (value < 0 ? `${-value}%` : integerText(value))
  return { initial, access: 'mutable', parse, format }
}

export function yesNo(initial: boolean, access: SettingAccess = 'mutable'): SettingType<boolean> {
  return {
    initial,
    access,
    parse(text) {
      const word = text.toLowerCase()
      if (word === 'yes' || word === 'no') return accepted(word === 'yes')
      return refused("argument must be 'yes' or 'no'")
    },
    format: (value) => (value ? 'yes' : 'no'),
  }
}

/** `newer`: words of newer servers, accepted too. */
export function oneOf(
  initial: string,
  values: readonly string[],
  access: SettingAccess = 'mutable',
  newer: readonly string[] = [],
): SettingType<string> {
  const all = [...values, ...newer]
  return {
    initial,
    access,
    parse(text) {
      const value = all.find((candidate) => candidate === text.toLowerCase())
      if (value !== undefined) return accepted(value)
      return refused(`argument(s) must be one of the following: ${values.join(', ')}`)
    },
    format: String,
  }
}

/** A text that ends at a NUL, as in C. */
export function text(initial: string, access: SettingAccess = 'mutable'): SettingType<string> {
  return { initial, access, parse: (given) => accepted(cString(given)), format: String }
}

/** A text of any bytes. */
export function password(access: SettingAccess = 'mutable'): SettingType<string> {
  return { initial: '', access, parse: accepted, format: String }
}

/** The name of an entry in [dir]. `refusal`: the error for a path. */
export function nameInFolder(
  initial: string,
  access: SettingAccess,
  refusal: string,
): SettingType<string> {
  const parse = (given: string) => (/[/\\]/.test(given) ? refused(refusal) : accepted(given))
  return { initial, access, parse, format: String }
}

/** `seconds changes` pairs; empty: never. */
export function savePoints(initial: string): SettingType<string> {
  return {
    initial,
    access: 'mutable',
    parse(given) {
      const numbers = given === '' ? [] : given.split(' ').map(parseLong)
      const isValid = (value: number, at: number) => value >= (at % 2 === 0 ? 1 : 0)
      if (numbers.length % 2 !== 0 || !numbers.every(isValid)) {
        return refused('Invalid save parameters')
      }
      return accepted(numbers.join(' '))
    },
    format: String,
  }
}

/** Reads a number as strtoll does: an empty word is 0. NaN: the word is not a number. */
function parseLong(word: string): number {
  return word === '' ? 0 : /^\s*[+-]?\d+$/.test(word) ? Number(word) : Number.NaN
}

const EVENT_CLASSES = 'Ag$lshzxeKEtmdn'
/** The classes that the letter A stands for. */
const ALL_CLASSES = 'g$lshzxetd'

/** Shown in a fixed order, with A for all the classes it stands for. */
export function eventClasses(): SettingType<string> {
  return {
    initial: '',
    access: 'mutable',
    parse(given) {
      const letters = new Set(cString(given).replace('A', ALL_CLASSES))
      for (const letter of letters) {
        if (!EVENT_CLASSES.includes(letter)) {
          return refused(`Invalid event class character. Use '${EVENT_CLASSES}'.`)
        }
      }
      const hasAll = [...ALL_CLASSES].every((letter) => letters.has(letter))
      const classes = hasAll ? 'A' : keep('g$lshzxetd', letters)
      // Redis hides n beside A, which would lose it when the text is set again.
      return accepted(classes + keep('nKEm', letters))
    },
    format: String,
  }
}

/** As `parseMemory`; undefined also for values that a number does not hold exactly. */
export function parseBytes(given: string): number | undefined {
  const value = Number(parseMemory(given) ?? -1)
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/**
 * Accepts `512mb`, `1g`, `100k`, `100` … in either case: 1000 for k, 1024 for kb. No digits are 0.
 */
function parseMemory(given: string): bigint | undefined {
  const match = /^(\d{0,30})(b|k|kb|m|mb|g|gb)?$/i.exec(given)
  if (match === null) return undefined
  const [, count = '', unit = 'b'] = match
  return BigInt(count) * BigInt(BYTES_PER_UNIT[unit.toLowerCase()] ?? 1)
}

const BYTES_PER_UNIT: Readonly<Record<string, number>> = {
  b: 1,
  k: 1000,
  kb: 1024,
  m: 1000 ** 2,
  mb: 1024 ** 2,
  g: 1000 ** 3,
  gb: 1024 ** 3,
}

export function accepted<T>(value: T): ParsedSetting<T> {
  return { ok: true, value }
}

export function refused(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason }
}

function withinBounds(value: number | bigint, min: number, max: number): ParsedSetting<number> {
  const isLong = max === MAX_LONG
  if (value >= min && (isLong ? value < max : value <= max)) return accepted(Number(value))
  return refused(`argument must be between ${min} and ${isLong ? MAX_LONG_TEXT : max} inclusive`)
}

function integerText(value: number): string {
  if (Number.isSafeInteger(value)) return String(value)
  return value >= MAX_LONG ? MAX_LONG_TEXT : String(BigInt(value))
}

function keep(order: string, letters: ReadonlySet<string>): string {
  return [...order].filter((letter) => letters.has(letter)).join('')
}
