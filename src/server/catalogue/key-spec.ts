/**
 * Where a command's keys are among its arguments, in one short notation that COMMAND's older triple
 * (first, last, step) and its key specifications both follow from:
 *
 *     '1 RO access'            the argument 1
 *     '1..-1 RM delete'        arguments 1 to the last
 *     '1..-1/2 OW update'      every second one of them
 *     '2# RW access delete'    argument 2 says how many keys follow it
 *     '? RO access'            no argument: SORT builds names out of what it sorts
 *     '?STORE OW update'       the word after STORE, as SORT reads its options
 *     'STORE@6 OW update'      the word after STORE, which is looked for from argument 6 on
 *     'STREAMS@4..-1 RO'       the first half of all words after STREAMS, as XREAD reads its options
 */
import { assert } from '../../base/assert.ts'
import { parseInteger } from '../arguments/numbers.ts'

export interface KeySpec {
  /** Index of the first key, or of the number of keys. */
  readonly begin: number
  /** Index of the last key; negative: from the end of the arguments. Not used when counted. */
  readonly end: number
  readonly step: number
  readonly isCounted: boolean
  /** Set when no index says where the keys are: `?`, `?STORE`. */
  readonly unknown?: string | undefined
  /**
   * The key follows the first such word, in either case, from index `begin` on. It may be missing. If
   * `end` is negative, keys are all that follows, except that the second half are no keys.
   */
  readonly keyword?: string | undefined
  readonly flags: readonly string[]
}

export function parseKeySpec(text: string): KeySpec {
  if (text.startsWith('?')) return unknownSpec(text)
  if (text.includes('@')) return keywordSpec(text)
  const match = /^(\d+)(?:\.\.(-?\d+))?(?:\/(\d+))?(#?) ?(.*)$/.exec(text)
  assert(match !== null, `a key specification reads like '1..-1/2 RO': ${text}`)
  const [, begin = '', end = begin, step = '1', counted, flags = ''] = match
  return {
    begin: Number(begin),
    end: Number(end),
    step: Number(step),
    isCounted: counted === '#',
    flags: flags.split(' '),
  }
}

function unknownSpec(text: string): KeySpec {
  const [unknown = '?', ...flags] = text.split(' ')
  return { begin: 0, end: 0, step: 1, isCounted: false, unknown, flags }
}

function keywordSpec(text: string): KeySpec {
  const [place = '', ...flags] = text.split(' ')
  const [keyword = '', indexes = ''] = place.split('@')
  const [begin, end = '0'] = indexes.split('..')
  const [first, last] = [Number(begin), Number(end)]
  return { begin: first, end: last, step: 1, isCounted: false, keyword, flags }
}

interface LegacyRange {
  readonly first: number
  readonly last: number
  readonly step: number
  readonly isMovable: boolean
}

/** The triple of older clients, which covers all specifications that are no counts. */
export function legacyRange(specs: readonly KeySpec[]): LegacyRange {
  const plain = specs.filter(isPlain)
  const isMovable = plain.length < specs.length
  const first = plain[0]
  const last = plain.at(-1)
  if (first === undefined || last === undefined) return { first: 0, last: 0, step: 0, isMovable }
  return { first: first.begin, last: last.end, step: first.step, isMovable }
}

function isPlain({ isCounted, unknown, keyword }: KeySpec): boolean {
  return !isCounted && unknown === undefined && keyword === undefined
}

/** The keys of a complete command; undefined: its arguments do not say where they are. */
export function keysOf(
  specs: readonly KeySpec[],
  argv: readonly string[],
): readonly string[] | undefined {
  return keyPlaces(specs, argv)?.map(({ at }) => argv[at] as string)
}

export interface KeyPlace {
  /** Index of the argument that is a key. */
  readonly at: number
  /** Those of its specification. */
  readonly flags: readonly string[]
}

/** Where the keys of a complete command are; undefined: its arguments do not say. */
export function keyPlaces(
  specs: readonly KeySpec[],
  argv: readonly string[],
): readonly KeyPlace[] | undefined {
  const places: KeyPlace[] = []
  for (const spec of specs) {
    const range = rangeOf(spec, argv)
    if (range === undefined) return undefined
    for (let at = range.first; at <= range.last; at += spec.step) {
      places.push({ at, flags: spec.flags })
    }
  }
  return places
}

interface Range {
  readonly first: number
  readonly last: number
}

const NOWHERE: Range = { first: 0, last: -1 }

/** Undefined: the arguments do not say. */
function rangeOf(spec: KeySpec, argv: readonly string[]): Range | undefined {
  if (spec.unknown !== undefined) return spec.unknown === '?STORE' ? storeRange(argv) : NOWHERE
  if (spec.keyword !== undefined && spec.end < 0) return halfAfter(spec.keyword, argv)
  if (spec.keyword !== undefined) return rangeAfter(spec.keyword, spec.begin, argv)
  return spec.isCounted ? countedRange(spec, argv) : fixedRange(spec, argv)
}

/** How many words SORT's options take after themselves. */
const SORT_OPTION_WORDS = new Map([
  ['limit', 2],
  ['get', 1],
  ['by', 1],
])

/** The last STORE counts. */
function storeRange(argv: readonly string[]): Range {
  let found = NOWHERE
  for (let at = 2; at < argv.length; at++) {
    const word = argv[at]?.toLowerCase() ?? ''
    if (word === 'store' && at + 1 < argv.length) found = { first: at + 1, last: at + 1 }
    at += SORT_OPTION_WORDS.get(word) ?? (word === 'store' ? 1 : 0)
  }
  return found
}

function rangeAfter(keyword: string, from: number, argv: readonly string[]): Range {
  const at = argv.findIndex((word, index) => index >= from && word.toUpperCase() === keyword)
  return at < 0 || at + 1 >= argv.length ? NOWHERE : { first: at + 1, last: at + 1 }
}

/** How many words XREAD's options have. A group may be called like one, so they are not searched but read. */
const READ_OPTION_WORDS = new Map([
  ['block', 2],
  ['count', 2],
  ['group', 3],
  ['noack', 1],
])

function halfAfter(keyword: string, argv: readonly string[]): Range | undefined {
  let at = 1
  for (;;) {
    const words = READ_OPTION_WORDS.get(argv[at]?.toLowerCase() ?? '')
    if (words === undefined) break
    at += words
  }
  if (argv[at]?.toUpperCase() !== keyword) return undefined
  const count = Math.floor((argv.length - at - 1) / 2)
  return count === 0 ? undefined : { first: at + 1, last: at + count }
}

function fixedRange(spec: KeySpec, argv: readonly string[]): Range | undefined {
  const last = spec.end < 0 ? argv.length + spec.end : spec.end
  return last < argv.length ? { first: spec.begin, last } : undefined
}

function countedRange(spec: KeySpec, argv: readonly string[]): Range | undefined {
  const count = parseInteger(argv[spec.begin])
  if (count === undefined || count < 1) return undefined
  const last = spec.begin + count
  return last < argv.length ? { first: spec.begin + 1, last } : undefined
}
