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
    const window = windowInPlace(value, options) ?? windowSorted(context, value, options)
    if ('kind' in window) return window
    const found = outputOf(context, window, options)
    return options.store === undefined ? bulks(found) : store(context, options.store, found)
  }
}

/** A list and a sorted set have an order: without sorting, only what is asked for is taken; undefined: has to be sorted. */
function windowInPlace(
  value: Value | undefined,
  { isUnsorted, isDescending, start, count }: SortOptions,
): readonly string[] | undefined {
  if (!isUnsorted || (value?.type !== 'list' && value?.type !== 'zset')) return undefined
  const size = value.type === 'list' ? value.items.length : value.set.size
  const first = Math.min(start, size)
  const end = count < 0 ? size : Math.min(size, first + count)
  const from = isDescending ? size - end : first
  const to = isDescending ? size - first : end
  if (from === to) return []
  const items =
    value.type === 'list' ? value.items.slice(from, to - 1) : value.set.members({ from, to })
  return isDescending ? items.reverse() : items
}

/** Or the reply that says why it cannot be sorted. */
function windowSorted(
  context: CommandContext,
  value: Value | undefined,
  options: SortOptions,
): readonly string[] | Reply {
  const elements = elementsOf(value, context.node.settings)
  if (elements === undefined) return WRONG_TYPE
  const ordered = inOrder(context, value, elements, options)
  return ordered === undefined ? NOT_NUMBERS : windowOf(ordered, options)
}

/** In their present order; undefined for another type. */
function elementsOf(value: Value | undefined, settings: Settings): string[] | undefined {
  switch (value?.type) {
    case undefined:
      return []
    case 'list':
      return value.items.slice(0, value.items.length - 1)
    case 'zset':
      return value.set.members({ from: 0, to: value.set.size })
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
  { db, session }: CommandContext,
  value: Value | undefined,
  elements: readonly string[],
  options: SortOptions,
): readonly string[] | undefined {
  if (!options.isUnsorted) {
    const weightOf = options.by === undefined ? undefined : patternLookup(db, options.by)
    return sorted(elements, options, weightOf)
  }
  // A set has no order of its own, and replicas must store what we store. A script may rely on the order, too.
  if (value?.type === 'set' && (options.store !== undefined || session.isScript)) {
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
  const { length } = found
  const items = new Deque(found.map((one) => one ?? ''))
  storeResult(context, key, length > 0 ? { type: 'list', items } : undefined, 'sortstore', length)
  return integer(length)
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
