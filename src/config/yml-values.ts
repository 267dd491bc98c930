/**
 * How each kind of option value in sentinel.yml is read, and the error if it is wrong. YAML turns
 * some words into numbers and booleans; where an option needs text that is an error and not a
 * guess, because 007 has already become 7.
 */

import { canonicalIp } from '../base/ip.ts'
import { type ClientAddress, tableFault } from '../base/network-addresses.ts'
import { splitArgs } from '../base/split-args.ts'
import { utf8Bytes } from '../base/utf8.ts'
import { ruleFault } from '../core/failover/host-rules.ts'
import type {
  ClientAddressesOption,
  HostRule,
  HostRulesOption,
  RenamedCommand,
} from '../core/group-option-kinds.ts'
import { parseBytes } from '../server/settings/setting-types.ts'
import { addressHint, canonicalHost } from './host-name.ts'
import type { ProblemCode } from './problem.ts'
import { z } from './zod.ts'

interface Fault {
  readonly fault: ProblemCode
  readonly message: string
  readonly hint: string
}

/** Why a value is not accepted. */
export type YmlFault = Fault

type Reader<T> = (value: unknown) => { readonly value: T } | Fault

/** Timers are 32-bit: 24 days and 20 hours. */
const MAX_DURATION_MS = 2 ** 31 - 1
const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** A value that must be given; see `optional`. */
export function required<T>(read: Reader<T>, missing = MISSING) {
  return z.unknown().transform((value, context): T => {
    const result = value === undefined ? missing : value === null ? EMPTY : read(value)
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

/** Whole milliseconds, from a number or from text such as `500ms`, `5s`, `3m`, `1h`. */
export const duration = required((value) => readDuration(value))

/** A duration, or 0 for none. */
export const durationOrNone = required((value) =>
  value === 0 ? { value: 0 } : readDuration(value),
)

function readDuration(value: unknown): { readonly value: number } | Fault {
  const match = /^(\d{1,12}(?:\.\d{1,6})?) ?(ms|s|m|h)$/.exec(String(value))
  const ms = match === null ? value : Number(match[1]) * (UNITS_MS[match[2] ?? ''] ?? 1)
  if (typeof ms !== 'number') return DURATION_TYPE
  if (!Number.isInteger(ms)) return fault('E_TYPE', 'must be whole milliseconds')
  if (ms >= 1 && ms <= MAX_DURATION_MS) return { value: ms }
  return fault('E_RANGE', 'must be between 1ms and 24 days')
}

const DURATION_TYPE = fault(
  'E_TYPE',
  'must be a duration',
  'a number of milliseconds, or text as 500ms, 5s, 3m',
)

export function integer(min: number, max: number) {
  return required(readInteger(min, max))
}

function readInteger(min: number, max: number): Reader<number> {
  return (value) => {
    if (!Number.isInteger(value)) return fault('E_TYPE', 'must be a whole number')
    const number = value as number
    return number >= min && number <= max
      ? { value: number }
      : fault('E_RANGE', `must be between ${min} and ${max}`)
  }
}

/** The port of a master, which may have been forgotten behind an IPv6 address. */
export const portOfMaster = required(
  readInteger(1, 65_535),
  fault('E_MISSING', 'is required', 'host:port, as in 10.0.0.1:6379 or "[::1]:6379"'),
)

/** Ordinary text. */
export const text = required(readText)

/** Text as the bytes that are sent over the wire. */
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

/** A number of bytes, or text such as `64kb`, `32mb`, `1gb`. */
export const memory = memoryFrom(1)

/** The same, no smaller than this many bytes. */
export function memoryFrom(leastBytes: number) {
  return required((value) => {
    const isSize = typeof value === 'number' || typeof value === 'string'
    const bytes = isSize ? parseBytes(`${value}`) : 0
    const hint = 'a number of bytes, or text as 64kb, 32mb, 1gb'
    if (bytes === undefined || bytes < 1) return fault('E_TYPE', 'must be a size', hint)
    if (bytes >= leastBytes) return { value: bytes }
    return fault('E_RANGE', `must be at least ${leastBytes / 1024 / 1024}mb`, hint)
  })
}

/**
 * An IP address in its canonical form, or a host name; whether names are allowed is checked later.
 */
export const host = required(readHost)
export const hostOrNone = required((value) => (value === '' ? { value: '' } : readHost(value)))

/** `user` lines, each as the words after the keyword. */
export const users = required((value) => {
  if (!Array.isArray(value)) return fault('E_TYPE', 'must be a list of users', USER_EXAMPLE)
  const lines = value.map((line) => (typeof line === 'string' ? splitArgs(utf8Bytes(line)) : []))
  const isSound = lines.every((words) => words !== undefined && words.length > 0)
  if (!isSound) return fault('E_VALUE', 'a user is a name and rules in one text', USER_EXAMPLE)
  return { value: lines as readonly (readonly string[])[] }
})

const USER_EXAMPLE = '"alice on >secret ~* &* +@all"'

/** New names of commands, by their original names. */
export const renamedCommands = required((value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return NOT_NAMES
  const pairs = Object.entries(value)
  if (!pairs.every(([, name]) => typeof name === 'string')) return NOT_NAMES
  const renamed: readonly RenamedCommand[] = pairs.map(([name, sentAs]) => [
    name.toLowerCase(),
    utf8Bytes(String(sentAs)),
  ])
  return { value: renamed }
})

const NOT_NAMES = fault('E_TYPE', 'must be a map of command names', 'CONFIG: "secret-config"')

/** What holds for hosts, by patterns of their addresses. */
export function hostRules(row: HostRulesOption) {
  const notRules = fault('E_TYPE', 'must be a map from addresses to words', row.example)
  return required((value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return notRules
    const pairs = Object.entries(value)
    if (!pairs.every(([, word]) => typeof word === 'string')) return notRules
    const rules = pairs.map(([pattern, word]): HostRule => [pattern, String(word)])
    const faults = rules.flatMap((rule) => ruleFault(row, rule) ?? [])
    return faults[0] === undefined
      ? { value: rules as readonly HostRule[] }
      : fault('E_VALUE', faults.join('; '), row.example)
  })
}

/** What clients are told of addresses: by network a map from members to the addresses they have there. */
export function clientAddresses(row: ClientAddressesOption) {
  const notTable = fault('E_TYPE', 'must be a map from networks to maps of addresses', row.example)
  return required((value) => {
    const networks = pairsOf(value)?.map(
      ([network, members]) => [network, pairsOf(members)] as const,
    )
    if (networks === undefined) return notTable
    const table: ClientAddress[] = []
    for (const [network, members] of networks) {
      if (members === undefined) return notTable
      if (members.length === 0)
        return fault('E_VALUE', `no member is named for ${network}`, AS_IT_IS)
      for (const [member, announced] of members) table.push([network, member, String(announced)])
    }
    const wrong = tableFault(table)
    return wrong === undefined
      ? { value: table as readonly ClientAddress[] }
      : fault('E_VALUE', wrong, row.example)
  })
}

const AS_IT_IS = 'to tell a network the addresses as they are, give one member its own'

function pairsOf(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.entries(value)
}

/** Texts as the bytes that are sent over the wire: one, or a list of them. */
export const byteList = required((value) => {
  const list = Array.isArray(value) ? value : [value]
  if (list.every((one) => typeof one === 'string')) {
    return { value: list.filter((one) => one !== '').map(utf8Bytes) as readonly string[] }
  }
  return fault('E_TYPE', 'must be text or a list of texts', 'put each in quotes')
})

/** Words, as a list or in one text. */
export const words = required((value) => {
  const list = typeof value === 'string' ? value.split(' ').filter((word) => word !== '') : value
  if (Array.isArray(list) && list.every((word) => typeof word === 'string')) {
    return { value: list as readonly string[] }
  }
  return fault('E_TYPE', 'must be a list of words')
})

/** An IP address in its canonical form, or an empty text. */
export const ipOrNone = required((value) => (value === '' ? { value: '' } : readIp(value)))

/** One address to bind to, or a list of them; see `Listen`. */
export const bind = required((value) => {
  const words = Array.isArray(value) ? value : [value]
  const wrong = words.find((word) => typeof word !== 'string' || !isBindAddress(word))
  if (wrong === undefined) return { value: words as readonly string[] }
  return fault(
    'E_VALUE',
    `${shown(wrong)} is no IP address`,
    addressHint(wrong, 'an address, *, or ::*'),
  )
})

/** Splits `10.0.0.1:6379` or `[::1]:6379`; anything else is left for the schema to judge. */
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

function readHost(value: unknown): { readonly value: string } | Fault {
  const known = typeof value === 'string' ? canonicalHost(value) : undefined
  if (known !== undefined) return { value: known }
  return fault(
    'E_VALUE',
    `${shown(value)} is neither an IP address nor a host name`,
    addressHint(value),
  )
}

function readIp(value: unknown): { readonly value: string } | Fault {
  const address = typeof value === 'string' ? canonicalIp(value) : undefined
  if (address !== undefined) return { value: address }
  return fault(
    'E_VALUE',
    `${shown(value)} is no IP address`,
    addressHint(value, 'a numeric IPv4 or IPv6 address'),
  )
}

/** A value inside a message. Lists and maps could be endless here: YAML allows cycles. */
function shown(value: unknown): string {
  return typeof value === 'object' ? 'this' : JSON.stringify(value)
}

function isBindAddress(word: string): boolean {
  const address = word.startsWith('-') ? word.slice(1) : word
  return address === '*' || address === '::*' || canonicalHost(address) !== undefined
}

function fault(code: ProblemCode, message: string, hint = ''): Fault {
  return { fault: code, message, hint }
}
