/**
 * How each kind of option value in sentinel.yml is read, and what is said when it cannot be. YAML
 * turns some words into numbers and booleans; where text is wanted that is an error and not a guess,
 * because 007 has already become 7.
 */
import { z } from 'zod'
import { canonicalIp } from '../base/ip.ts'
import { utf8Bytes } from '../base/utf8.ts'
import type { ProblemCode } from './problem.ts'

interface Fault {
  readonly fault: ProblemCode
  readonly message: string
  readonly hint: string
}

type Reader<T> = (value: unknown) => { readonly value: T } | Fault

/** Timers are 32-bit: 24 days and 20 hours. */
const MAX_DURATION_MS = 2 ** 31 - 1
const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** A value that is always given; see `optional`. */
function required<T>(read: Reader<T>) {
  return z.unknown().transform((value, context): T => {
    const result = value === undefined ? MISSING : value === null ? EMPTY : read(value)
    if ('value' in result) return result.value
    const { fault, message, hint } = result
    context.addIssue({ code: 'custom', message, params: { fault, hint } })
    return z.NEVER
  })
}

/** What a custom issue carries for `Problem`. */
export interface IssueDetails {
  readonly fault: ProblemCode
  readonly hint: string
}

const MISSING = fault('E_MISSING', 'is required')
const EMPTY = fault('E_MISSING', 'has no value', 'give it one, or leave the line out')

/** Whole milliseconds, from a number of them or from text as `500ms`, `5s`, `3m`, `1h`. */
export const duration = required((value) => {
  const match = /^(\d{1,12}(?:\.\d{1,6})?) ?(ms|s|m|h)$/.exec(String(value))
  const ms = match === null ? value : Number(match[1]) * (UNITS_MS[match[2] ?? ''] ?? 1)
  if (typeof ms !== 'number') return DURATION_TYPE
  if (!Number.isInteger(ms)) return fault('E_TYPE', 'must be whole milliseconds')
  if (ms >= 1 && ms <= MAX_DURATION_MS) return { value: ms }
  return fault('E_RANGE', 'must be between 1ms and 24 days')
})

const DURATION_TYPE = fault(
  'E_TYPE',
  'must be a duration',
  'a number of milliseconds, or text as 500ms, 5s, 3m',
)

export function integer(min: number, max: number) {
  return required((value) => {
    if (!Number.isInteger(value)) return fault('E_TYPE', 'must be a whole number')
    const number = value as number
    return number >= min && number <= max
      ? { value: number }
      : fault('E_RANGE', `must be between ${min} and ${max}`)
  })
}

/** Ordinary text. */
export const text = required(readText)

/** Text as the bytes that go over the wire. */
export const bytes = required((value) => {
  const read = readText(value)
  return 'value' in read ? { value: utf8Bytes(read.value) } : read
})

export const flag = required((value) => {
  if (value === true || value === 'yes') return { value: true }
  if (value === false || value === 'no') return { value: false }
  return fault('E_TYPE', 'must be yes or no')
})

export function oneOf<T extends string>(words: readonly T[]) {
  return required((value) => {
    const word = words.find((candidate) => candidate === value)
    return word === undefined
      ? fault('E_VALUE', `must be one of ${words.join(', ')}`)
      : { value: word }
  })
}

/** An IP address in its canonical form. */
export const ip = required(readIp)

/** An IP address, or nothing. */
export const ipOrNone = required((value) => (value === '' ? { value: '' } : readIp(value)))

/** One address to bind to, or a list of them; see `Listen`. */
export const bind = required((value) => {
  const words = Array.isArray(value) ? value : [value]
  const wrong = words.find((word) => typeof word !== 'string' || !isBindAddress(word))
  if (wrong === undefined) return { value: words as readonly string[] }
  return fault('E_VALUE', `${shown(wrong)} is no IP address`, 'an address, *, or ::*')
})

/** `10.0.0.1:6379` or `[::1]:6379` taken apart; anything else is left for the schema to judge. */
export function splitAddress(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const match = /^(?:\[(.*)\]|([^:]*)):(\d{1,5})$/.exec(value)
  if (match === null) return { host: value }
  const [, inBrackets, plain, port] = match
  return { host: inBrackets ?? plain, port: Number(port) }
}

function readText(value: unknown): { readonly value: string } | Fault {
  if (typeof value === 'string') return { value }
  return fault('E_TYPE', 'must be text', 'put it in quotes')
}

function readIp(value: unknown): { readonly value: string } | Fault {
  const address = typeof value === 'string' ? canonicalIp(value) : undefined
  if (address !== undefined) return { value: address }
  const hint = 'a numeric IPv4 or IPv6 address: host names are not resolved'
  return fault('E_VALUE', `${shown(value)} is no IP address`, hint)
}

/** A value inside a message. Lists and maps can be endless here: YAML allows circles. */
function shown(value: unknown): string {
  return typeof value === 'object' ? 'this' : JSON.stringify(value)
}

function isBindAddress(word: string): boolean {
  const address = word.startsWith('-') ? word.slice(1) : word
  return address === '*' || address === '::*' || canonicalIp(address) !== undefined
}

function fault(code: ProblemCode, message: string, hint = ''): Fault {
  return { fault: code, message, hint }
}
