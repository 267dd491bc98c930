/**
 * The kinds of values a directive can have: how each is read from text, what is refused and why (the
 * reasons are Redis'), and how it is shown again.
 */
import { parseInt64 } from '../../base/decimal.ts'
import { splitArgs } from '../../base/split-args.ts'

/** When a directive may be changed: any time, at start only, or only if `enable-protected-configs`. */
export type SettingAccess = 'mutable' | 'immutable' | 'protected'

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string }

export interface SettingType<T> {
  readonly initial: T
  readonly access: SettingAccess
  /** `old` is what the directive has now: some directives are changed in parts. */
  parse(text: string, old: T): Parsed<T>
  format(value: T): string
}

export const MAX_INT = 2 ** 31 - 1
/** As a bound of a directive: shown as 2^63-1, which a number cannot hold. */
export const MAX_LONG = Number.MAX_SAFE_INTEGER
const MAX_LONG_TEXT = '9223372036854775807'

export function integer(
  initial: number,
  min: number,
  max: number = MAX_INT,
  access: SettingAccess = 'mutable',
): SettingType<number> {
  const parse = (text: string): Parsed<number> => {
    const value = parseInt64(text)
    if (value === undefined) return refused("argument couldn't be parsed into an integer")
    return withinBounds(value, min, max)
  }
  return { initial, access, parse, format: String }
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

/** Bytes. */
export function memory(initial: number, min = 0): SettingType<number> {
  const parse = (text: string): Parsed<number> => {
    const value = parseBytes(text)
    if (value === undefined) return refused('argument must be a memory value')
    return withinBounds(value, min, MAX_LONG)
  }
  return { initial, access: 'mutable', parse, format: String }
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

export function oneOf(
  initial: string,
  values: readonly string[],
  access: SettingAccess = 'mutable',
): SettingType<string> {
  return {
    initial,
    access,
    parse(text) {
      const value = values.find((candidate) => candidate === text.toLowerCase())
      if (value !== undefined) return accepted(value)
      return refused(`argument(s) must be one of the following: ${values.join(', ')}`)
    },
    format: String,
  }
}

export function text(initial: string, access: SettingAccess = 'mutable'): SettingType<string> {
  return { initial, access, parse: accepted, format: String }
}

/** The name of something in [dir]. `refusal`: what is said of a path. */
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
      const numbers = (splitArgs(given) ?? ['?']).map(parseInt64)
      const isValid = (value: number | bigint | undefined) => value !== undefined && value >= 0
      if (numbers.length % 2 !== 0 || !numbers.every(isValid)) {
        return refused('Invalid save parameters')
      }
      return accepted(numbers.join(' '))
    },
    format: String,
  }
}

const EVENT_CLASSES = 'Ag$lshzxeKEtmdn'
/** What the letter A stands for. */
const ALL_CLASSES = 'g$lshzxetd'

/** Shown in a fixed order, with A for all the classes it stands for. */
export function eventClasses(): SettingType<string> {
  return {
    initial: '',
    access: 'mutable',
    parse(given) {
      const letters = new Set(given.replace('A', ALL_CLASSES))
      for (const letter of letters) {
        if (!EVENT_CLASSES.includes(letter)) {
          return refused(`Invalid event class character. Use '${EVENT_CLASSES}'.`)
        }
      }
      const hasAll = [...ALL_CLASSES].every((letter) => letters.has(letter))
      const classes = hasAll ? 'A' : keep('g$lshzxetd', letters)
      return accepted(classes + keep('KEmn', letters))
    },
    format: String,
  }
}

/** Accepts `512mb`, `1g`, `100k`, `100` … in either case: 1000 for k, 1024 for kb. */
export function parseBytes(given: string): number | undefined {
  const match = /^(0|[1-9][0-9]*)(b|k|kb|m|mb|g|gb)?$/i.exec(given)
  if (match === null) return undefined
  const count = Number(match[1])
  const value = count * (BYTES_PER_UNIT[match[2]?.toLowerCase() ?? 'b'] ?? 1)
  return Number.isSafeInteger(value) ? value : undefined
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

export function accepted<T>(value: T): Parsed<T> {
  return { ok: true, value }
}

export function refused(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason }
}

function withinBounds(value: number | bigint, min: number, max: number): Parsed<number> {
  if (value >= min && value <= max) return accepted(Number(value))
  const shown = max === MAX_LONG ? MAX_LONG_TEXT : max
  return refused(`argument must be between ${min} and ${shown} inclusive`)
}

function keep(order: string, letters: ReadonlySet<string>): string {
  return [...order].filter((letter) => letters.has(letter)).join('')
}
