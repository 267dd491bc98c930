/**
 * SORT and SORT_RO: the elements of a list, a set or a sorted set in order, or the values that their
 * patterns lead to.
 */
import { bulks, error, integer, type Reply } from '../../../resp/reply.ts'
import { arg, command, type Family } from '../../catalogue/command.ts'
import { DANGEROUS } from '../../catalogue/command-traits.ts'
import { foundBy } from '../../catalogue/key-spec.ts'
import type { CommandContext } from '../../context.ts'
import { WRONG_TYPE } from '../../errors.ts'
import type { Settings } from '../../settings/settings.ts'
import { Deque } from '../../values/deque.ts'
import { encodingOf } from '../../values/encoding.ts'
import type { Value } from '../../values/value.ts'
import { storeResult } from '../store-result.ts'
import { parseSortOptions, type SortOptions, storedKey } from './sort-options.ts'
import { sorted } from './sort-order.ts'
import { patternLookup } from './sort-patterns.ts'

const NOT_NUMBERS = error("ERR One or more scores can't be converted into double")

function sort(mayStore: boolean) {
  return (context: CommandContext, argv: readonly string[]): Reply => {
    const options = parseSortOptions(context, argv, mayStore)
    if ('kind' in options) return options
    const value = context.db.source(arg(argv, 1))
    const elements = elementsOf(value, options, context.node.settings)
    if (elements === undefined) return WRONG_TYPE
    const ordered = inOrder(context, value, elements, options)
    if (ordered === undefined) return NOT_NUMBERS
    const found = outputOf(context, windowOf(ordered, options), options)
    return options.store === undefined ? bulks(found) : store(context, options.store, found)
  }
}

/** In their present order; undefined for another type. */
function elementsOf(
  value: Value | undefined,
  { isUnsorted, isDescending }: SortOptions,
  settings: Settings,
): string[] | undefined {
  const isReversed = isUnsorted && isDescending
  switch (value?.type) {
    case undefined:
      return []
    case 'list':
      return isReversed ? [...value.items].reverse() : [...value.items]
    case 'zset': {
      const members = Array.from(value.set, ([member]) => member)
      return isReversed ? members.reverse() : members
    }
    case 'set': {
      const members = [...value.members]
      // Redis keeps small sets of integers in order.
      const isOrdered = encodingOf(value, settings) === 'intset'
      return isOrdered ? members.sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)) : members
    }
    default:
      return undefined
  }
}

/** Undefined if a value that must be a number is not. */
function inOrder(
  { db }: CommandContext,
  value: Value | undefined,
  elements: readonly string[],
  options: SortOptions,
): readonly string[] | undefined {
  if (!options.isUnsorted) {
    const weightOf = options.by === undefined ? undefined : patternLookup(db, options.by)
    return sorted(elements, options, weightOf)
  }
  // A set has no order of its own, and replicas must store what we store.
  if (value?.type === 'set' && options.store !== undefined) {
    return sorted(elements, { ...options, isAlpha: true }, undefined)
  }
  return elements
}

function windowOf(elements: readonly string[], { start, count }: SortOptions): readonly string[] {
  return count < 0 ? elements.slice(start) : elements.slice(start, start + count)
}

function outputOf(
  { db }: CommandContext,
  elements: readonly string[],
  { get }: SortOptions,
): readonly (string | undefined)[] {
  if (get.length === 0) return elements
  const lookups = get.map((pattern) => patternLookup(db, pattern))
  return elements.flatMap((element) => lookups.map((lookup) => lookup(element)))
}

function store(
  context: CommandContext,
  key: string,
  found: readonly (string | undefined)[],
): Reply {
  const items = new Deque(found.map((one) => one ?? ''))
  storeResult(context, key, found.length > 0 ? { type: 'list', items } : undefined, 'sortstore')
  return integer(found.length)
}

const KEY = '1 RO access'
/** Patterns name keys that are only known from the elements. */
const PATTERNS = '? RO access'
const KEYS = [KEY, PATTERNS, foundBy(storedKey, '? OW update')]

export const sortFamily: Family = {
  group: 'generic',
  category: '@set @sortedset @list',
  commands: [
    command('sort', -2, 'write denyoom', KEYS, sort(true), DANGEROUS),
    command('sort_ro', -2, 'readonly', [KEY, PATTERNS], sort(false), DANGEROUS),
  ],
}
