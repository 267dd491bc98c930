/**
 * Where a command's keys are among its arguments, in one short notation that COMMAND's older triple
 * (first, last, step) and its key specifications both follow from:
 *
 *     '1 RO access'            the argument 1
 *     '1..-1 RM delete'        arguments 1 to the last
 *     '1..-1/2 OW update'      every second one of them
 *     '2# RW access delete'    argument 2 says how many keys follow it
 *     '1/2# OW update'         argument 1 says how many follow it, each before a value
 *     '? RO access'            no argument: SORT makes names from what it sorts
 *     'STORE@6 OW update'      the word after STORE, which is looked for from argument 6 on
 *     'STREAMS@4..-1 RO'       the first half of all words after STREAMS; finding them takes `foundBy`
 *
 * `foundBy` is for keys among options, where an argument may equal the keyword: the command itself
 * says where its keys are, and the text is what COMMAND shows.
 */
import { assert } from '../../base/assert.ts'
import { parseInteger } from '../arguments/numbers.ts'

/** Indexes of the first key and of the last. */
export interface KeyRange {
  readonly first: number
  readonly last: number
}

/** Undefined: the arguments do not say. */
export type KeyFinder = (argv: readonly string[]) => KeyRange | undefined

/** A key specification as a family writes it down. */
export type KeyNote = string | { readonly text: string; readonly find: KeyFinder }

/** `find` decides where the keys are, `text` is what COMMAND shows. */
export function foundBy(find: KeyFinder, text: string): KeyNote {
  return { text, find }
}

export interface KeySpec {
  /** Index of the first key, or of the number of keys. */
  readonly begin: number
  /** Index of the last key; negative: from the end of the arguments. Not used when counted. */
  readonly end: number
  readonly step: number
  readonly isCounted: boolean
  /** No index says where the keys are. */
  readonly isUnknown: boolean
  /**
   * The key follows the first occurrence of this word, in either case, from index `begin` on. The
   * word may be missing. If `end` is negative, the keys are the first half of what follows.
   */
  readonly keyword?: string | undefined
  readonly flags: readonly string[]
  readonly find?: KeyFinder | undefined
}

export function parseKeySpec(note: KeyNote): KeySpec {
  return typeof note === 'string' ? parseText(note) : { ...parseText(note.text), find: note.find }
}

function parseText(text: string): KeySpec {
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
    isUnknown: false,
    flags: flags.split(' '),
  }
}

function unknownSpec(text: string): KeySpec {
  const [, ...flags] = text.split(' ')
  return { begin: 0, end: 0, step: 1, isCounted: false, isUnknown: true, flags }
}

function keywordSpec(text: string): KeySpec {
  const [place = '', ...flags] = text.split(' ')
  const [keyword = '', indexes = ''] = place.split('@')
  const [begin, end = '0'] = indexes.split('..')
  const [first, last] = [Number(begin), Number(end)]
  return { begin: first, end: last, step: 1, isCounted: false, isUnknown: false, keyword, flags }
}

interface LegacyRange {
  readonly first: number
  readonly last: number
  readonly step: number
  readonly isMovable: boolean
}

/** The triple for older clients, which covers all specifications without a count. */
export function legacyRange(specs: readonly KeySpec[]): LegacyRange {
  const plain = specs.filter(isPlain)
  const isMovable = plain.length < specs.length
  const first = plain[0]
  const last = plain.at(-1)
  if (first === undefined || last === undefined) return { first: 0, last: 0, step: 0, isMovable }
  return { first: first.begin, last: last.end, step: first.step, isMovable }
}

function isPlain({ isCounted, isUnknown, keyword }: KeySpec): boolean {
  return !isCounted && !isUnknown && keyword === undefined
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
  /** The flags of its specification. */
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

export const NOWHERE: KeyRange = { first: 0, last: -1 }

/** Undefined: the arguments do not say. */
function rangeOf(spec: KeySpec, argv: readonly string[]): KeyRange | undefined {
  if (spec.find !== undefined) return spec.find(argv)
  if (spec.isUnknown) return NOWHERE
  if (spec.keyword !== undefined) return rangeAfter(spec.keyword, spec.begin, argv)
  return spec.isCounted ? countedRange(spec, argv) : fixedRange(spec, argv)
}

function rangeAfter(keyword: string, from: number, argv: readonly string[]): KeyRange {
  const at = argv.findIndex((word, index) => index >= from && word.toUpperCase() === keyword)
  return at < 0 || at + 1 >= argv.length ? NOWHERE : { first: at + 1, last: at + 1 }
}

function fixedRange(spec: KeySpec, argv: readonly string[]): KeyRange | undefined {
  const last = spec.end < 0 ? argv.length + spec.end : spec.end
  return last < argv.length ? { first: spec.begin, last } : undefined
}

function countedRange(spec: KeySpec, argv: readonly string[]): KeyRange | undefined {
  const count = parseInteger(argv[spec.begin])
  if (count === undefined || count < 1) return undefined
  const last = spec.begin + 1 + (count - 1) * spec.step
  return last < argv.length ? { first: spec.begin + 1, last } : undefined
}
