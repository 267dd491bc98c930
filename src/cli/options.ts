/** Parses the values of command-line options; commander prints the errors thrown here and exits. */
import { InvalidArgumentError } from 'commander'
import { say } from './report.ts'

export interface SeedRange {
  readonly first: number
  readonly last: number
}

export function count(text: string): number {
  return wholeNumber(text, 0, 100)
}

/** For `vedette up`: with more replicas or Sentinels, their ports would reach into the next kind's. */
export function demoReplicas(text: string): number {
  return wholeNumber(text, 0, 99)
}

export function demoSentinels(text: string): number {
  return wholeNumber(text, 0, 50)
}

export function port(text: string): number {
  return wholeNumber(text, 1, 65_535)
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 }

/** Milliseconds from `500ms`, `1.5s` or `2m`. A number alone is refused: `--timeout 30` was meant as seconds. */
export function duration(text: string): number {
  const ms = millisecondsOf(text)
  if (ms >= 1) return ms
  const wanted = Number.isNaN(ms) ? 'a time with its unit' : 'a time of 1ms or more'
  throw new InvalidArgumentError(`expected ${wanted}, such as 500ms or 30s`)
}

/** The same where none at all is a choice, too. */
export function durationOrNone(text: string): number {
  const ms = millisecondsOf(text)
  if (ms >= 0) return ms
  throw new InvalidArgumentError('expected a time with its unit, such as 500ms, 1s or 0s')
}

/** NaN: it is no time. */
function millisecondsOf(text: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text) ?? []
  return Math.round(Number(amount) * (UNIT_MS[unit] ?? Number.NaN))
}

/** `30m`, `90s`, `2h`, as whole seconds, up to a day: as long as a pause may last. */
export function pauseSeconds(text: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(s|m|h)$/.exec(text) ?? []
  const seconds = Math.round(Number(amount) * ({ s: 1, m: 60, h: 3_600 }[unit] ?? Number.NaN))
  if (seconds >= 1 && seconds <= 86_400) return seconds
  throw new InvalidArgumentError('expected a time from 1s to 24h, such as 30m, 90s or 2h')
}

/** Any text but none: an unset variable of a script would be a seed that nobody has chosen. */
export function seed(text: string): string {
  if (text !== '') return text
  throw new InvalidArgumentError('expected a number or a word, such as 7')
}

/** `100` for the seeds 1..100, or `5..9`, both included. */
export function seeds(text: string): { readonly first: number; readonly last: number } {
  if (isCount(text)) return { first: 1, last: wholeNumber(text, 1, SEEDS_MAX) }
  const match = /^(\d{1,15})\.\.(\d{1,15})$/.exec(text)
  const first = Number(match?.[1])
  const last = Number(match?.[2])
  if (last - first >= 0 && last - first < SEEDS_MAX) return { first, last }
  throw new InvalidArgumentError('expected a range of at most a million seeds, such as 1..100')
}

/** The same, or `1..` for all seeds from there on. */
export function openSeeds(text: string): {
  readonly first: number
  readonly last: number | undefined
} {
  const open = /^(\d{1,15})\.\.$/.exec(text)
  return open === null ? seeds(text) : { first: Number(open[1]), last: undefined }
}

/** With a note, where a single number could be meant as one seed. */
export function noted<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    const range = parse(text)
    if (isCount(text) && text !== '1')
      say(`note: --seeds ${text} plays the seeds 1 to ${text}; --seeds ${text}..${text} plays one`)
    return range
  }
}

function isCount(text: string): boolean {
  return /^\d+$/.test(text)
}

/** An option that may be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

/** `10.0.0.1`, `10.0.0.1:26380`, `[::1]:26379`; an option that may be given several times. */
export function addresses(value: string, before: readonly string[] = []): readonly string[] {
  const match = /^(\[[^\]]+\]|[^:[\]]+)(?::(\d+))?$/.exec(value)
  const port = Number(match?.[2] ?? SENTINEL_PORT)
  if (match?.[1] !== undefined && port >= 1 && port <= 65_535) {
    return [...before, `${match[1]}:${port}`]
  }
  throw new InvalidArgumentError('expected an address, such as 10.0.0.1:26379 or [::1]:26379')
}

const SENTINEL_PORT = 26_379

/** `10.0.0.1:6379`, `[::1]:6379`: the port is required, because a server has no usual one here. */
export function server(value: string): string {
  const match = /^(\[[^\]]+\]|[^:[\]]+):(\d+)$/.exec(value)
  const number = Number(match?.[2])
  if (number >= 1 && number <= 65_535) return value
  throw new InvalidArgumentError(
    'expected an address with its port, such as 10.0.0.1:6379 or [::1]:6379',
  )
}

/** Operations a second. */
export function rate(text: string): number {
  return wholeNumber(text, 1, 1_000)
}

/** `5`, `0.5`. */
export function minutes(text: string): number {
  const value = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && value > 0 && value <= MINUTES_MAX) return value
  throw new InvalidArgumentError('expected a number of minutes, such as 5 or 0.5')
}

/** `down-after=3s`; an option that may be given several times. */
export function changedSetting(
  value: string,
  before: readonly (readonly [string, string])[] = [],
): readonly (readonly [string, string])[] {
  const [, name = '', to = ''] = /^([a-z][a-z-]*)=(\S+)$/.exec(value) ?? []
  if (name !== '') return [...before, [name, to]]
  throw new InvalidArgumentError('an option and its value are wanted: down-after=3s')
}

/** A moment of the calendar, in milliseconds since 1970. */
export function moment(text: string): number {
  const atMs = Date.parse(text)
  if (/^\d{4}-\d{2}-\d{2}T/.test(text) && Number.isFinite(atMs)) return atMs
  throw new InvalidArgumentError('expected a moment, such as 2026-11-20T03:12:44Z')
}

export function workers(text: string): number {
  return wholeNumber(text, 1, 256)
}

/** Of a long life: a year at most. */
export function days(text: string): number {
  return wholeNumber(text, 1, 366)
}

/** A week. */
const MINUTES_MAX = 7 * 24 * 60
const SEEDS_MAX = 1_000_000

function wholeNumber(text: string, min: number, max: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= min && value <= max) return value
  throw new InvalidArgumentError(`expected a whole number from ${min} to ${max}`)
}
