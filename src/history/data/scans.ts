/**
 * SCAN, HSCAN, SSCAN and ZSCAN. A scan takes several requests, and its client changes what it scans meanwhile.
 * Every page shows what is there at that moment, and perhaps not for the first time. What was there from the
 * first page to the last has been shown when the scan is over.
 */
import type { Rng } from '../../base/rng.ts'
import { type CommandRow, type CommandRows, only, onValue, unchanged } from './command-row.ts'
import {
  type CarriedOut,
  type HeldValue,
  type Holdings,
  lifeOf,
  selectedOf,
  type ValueType,
} from './holdings.ts'
import { livesIn } from './keyspace.ts'
import type { Told } from './told.ts'
import { KEYS_OF } from './vocabulary.ts'

type Argv = readonly string[]

export interface ScanPage {
  /** `0` when the scan is over. */
  readonly cursor: string
  /** With their values or scores, if the command shows them. */
  readonly items: readonly Told[]
}

export function scanPageOf(told: Told | undefined): ScanPage | undefined {
  if (!Array.isArray(told) || told.length !== 2) return undefined
  const [cursor, items] = told as readonly Told[]
  return typeof cursor === 'string' && Array.isArray(items) ? { cursor, items } : undefined
}

/** They are drawn page by page, see `beginScan`. */
const PAGE: Pick<CommandRow, 'kind' | 'weight' | 'draw'> = {
  kind: 'read',
  weight: 0,
  draw: () => [],
}

export const SCANS: CommandRows = {
  SCAN: {
    ...PAGE,
    keys: () => [],
    apply: ({ holdings, at }) => {
      const { alive, either } = livesIn(holdings, at)
      const there = new Set<Told>([...alive, ...either])
      return only(
        holdings,
        (told) => scanPageOf(told)?.items.every((key) => there.has(key)) ?? false,
      )
    },
  },
  HSCAN: {
    ...PAGE,
    apply: onValue('hash', (value) => unchanged(value, showsPairsOf(value?.fields ?? new Map()))),
  },
  SSCAN: {
    ...PAGE,
    apply: onValue('set', (value) => {
      const there: ReadonlySet<Told> = value?.members ?? new Set()
      return unchanged(
        value,
        (told) => scanPageOf(told)?.items.every((member) => there.has(member)) ?? false,
      )
    }),
  },
  ZSCAN: {
    ...PAGE,
    apply: onValue('zset', (value) => {
      const scores = [...(value?.scores ?? [])].map(
        ([member, score]) => [member, `${score}`] as const,
      )
      return unchanged(value, showsPairsOf(new Map(scores)))
    }),
  },
}

function showsPairsOf(pairs: ReadonlyMap<string, string>): (told: Told) => boolean {
  return (told) => {
    const items = scanPageOf(told)?.items
    return (
      items?.every((item, at) => at % 2 === 1 || pairs.get(`${item}`) === items[at + 1]) ?? false
    )
  }
}

const TYPES: Readonly<Record<string, ValueType>> = { HSCAN: 'hash', SSCAN: 'set', ZSCAN: 'zset' }

/** The names of what a page shows: keys, fields or members. */
export function namesIn([command = '']: Argv, { items }: ScanPage): readonly Told[] {
  const hasPairs = command === 'HSCAN' || command === 'ZSCAN'
  return hasPairs ? items.filter((_, at) => at % 2 === 0) : items
}

/** The names of everything that is there for a scan and still alive at this time, with the earliest time of its death. */
export function scannedIn(
  holdings: Holdings,
  [command = '', key = '']: Argv,
  at: CarriedOut,
): ReadonlyMap<string, number> {
  const database = selectedOf(holdings)
  const isAlive = (name: string): boolean => lifeOf(database.get(name), at) === 'alive'
  const diesAtMs = (name: string): number =>
    database.get(name)?.dies?.fromMs ?? Number.POSITIVE_INFINITY
  if (command === 'SCAN') {
    return new Map([...database.keys()].filter(isAlive).map((name) => [name, diesAtMs(name)]))
  }
  const value = isAlive(key) ? database.get(key)?.value : undefined
  if (value === undefined || value.type !== TYPES[command]) return new Map()
  return new Map([...elementsOf(value)].map((name) => [name, diesAtMs(key)]))
}

function elementsOf(value: HeldValue): Iterable<string> {
  if (value.type === 'hash') return value.fields.keys()
  if (value.type === 'zset') return value.scores.keys()
  return value.type === 'set' ? value.members : []
}

/** A scan as its client draws it: the words before the cursor, and how much it asks for at a time. */
export interface DrawnScan {
  readonly words: Argv
  readonly count: number
  /** What adds many elements, or takes half of them away; it changes nothing of a scan of the keys. */
  readonly change: ((rng: Rng, unique: number) => Argv) | undefined
}

export function drawScan(rng: Rng): DrawnScan {
  const command = rng.pick(['SCAN', 'HSCAN', 'SSCAN', 'ZSCAN'] as const)
  if (command === 'SCAN') return { words: [command], count: rng.pick([1, 2, 5]), change: undefined }
  const { family, more, fewer } = CROWDS[command]
  const key = rng.pick(KEYS_OF[family])
  return {
    words: [command, key],
    count: rng.pick([10, 30, 60]),
    change: (own, unique) => {
      const from = own.below(2)
      // More than the compact encodings take; of those, every second one.
      if (own.chance(2, 3)) return more(key, numbersFrom(from * CROWD, 1), unique)
      return fewer(key, numbersFrom(from, 2))
    },
  }
}

const CROWD = 150

function numbersFrom(first: number, step: number): readonly number[] {
  return Array.from({ length: CROWD }, (_, at) => first + at * step)
}

const CROWDS = {
  HSCAN: {
    family: 'hash',
    more: (key: string, numbers: readonly number[], unique: number): Argv => {
      return ['HSET', key, ...numbers.flatMap((at) => [`f${at}`, `${unique}-${at}`])]
    },
    fewer: (key: string, numbers: readonly number[]): Argv => {
      return ['HDEL', key, ...numbers.map((at) => `f${at}`)]
    },
  },
  SSCAN: {
    family: 'set',
    more: (key: string, numbers: readonly number[]): Argv => {
      return ['SADD', key, ...numbers.map((at) => `w${at}`)]
    },
    fewer: (key: string, numbers: readonly number[]): Argv => {
      return ['SREM', key, ...numbers.map((at) => `w${at}`)]
    },
  },
  ZSCAN: {
    family: 'zset',
    more: (key: string, numbers: readonly number[]): Argv => {
      return ['ZADD', key, ...numbers.flatMap((at) => [`${at / 2}`, `w${at}`])]
    },
    fewer: (key: string, numbers: readonly number[]): Argv => {
      return ['ZREM', key, ...numbers.map((at) => `w${at}`)]
    },
  },
} as const
