/** The options of SORT: `BY pattern LIMIT 0 10 GET pattern ASC ALPHA STORE key`. */
import { error, type Reply } from '../../../resp/reply.ts'
import { mayReadAnyKey } from '../../access/permission.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { type KeyRange, NOWHERE } from '../../catalogue/key-spec.ts'
import type { CommandContext } from '../../context.ts'
import { NOT_AN_INTEGER, SYNTAX_ERROR } from '../../errors.ts'

export interface SortOptions {
  isDescending: boolean
  /** Sort by bytes, not by number. */
  isAlpha: boolean
  /** The pattern that leads to an element's weight; undefined if the element is its own weight. */
  by: string | undefined
  /** BY without an asterisk: elements keep their order. */
  isUnsorted: boolean
  start: number
  /** Negative means all. */
  count: number
  readonly get: string[]
  store: string | undefined
}

/** `mayStore`: SORT_RO only reads. */
export function parseSortOptions(
  context: CommandContext,
  argv: readonly string[],
  mayStore: boolean,
): SortOptions | Reply {
  const options = defaultOptions()
  for (let at = 2; at < argv.length; at++) {
    const name = argv[at]?.toUpperCase() ?? ''
    const words = argv.slice(at + 1, at + 1 + (WORDS.get(name) ?? 0))
    if (name === 'STORE' && !mayStore) return SYNTAX_ERROR
    if (words.length !== WORDS.get(name)) return SYNTAX_ERROR
    const problem = setOption(context, argv, options, name, words)
    if (problem !== undefined) return problem
    at += words.length
  }
  return options
}

/** For COMMAND GETKEYS and ACL; the last STORE counts. */
export function storedKey(argv: readonly string[]): KeyRange {
  let found = NOWHERE
  for (let at = 2; at < argv.length; at++) {
    const name = argv[at]?.toUpperCase() ?? ''
    if (name === 'STORE' && at + 1 < argv.length) found = { first: at + 1, last: at + 1 }
    at += WORDS.get(name) ?? 0
  }
  return found
}

/** How many words each takes. */
const WORDS = new Map([
  ['ASC', 0],
  ['DESC', 0],
  ['ALPHA', 0],
  ['LIMIT', 2],
  ['STORE', 1],
  ['BY', 1],
  ['GET', 1],
])

function defaultOptions(): SortOptions {
  return {
    isDescending: false,
    isAlpha: false,
    by: undefined,
    isUnsorted: false,
    start: 0,
    count: -1,
    get: [],
    store: undefined,
  }
}

function setOption(
  context: CommandContext,
  argv: readonly string[],
  options: SortOptions,
  name: string,
  [first = '', second]: readonly string[],
): Reply | undefined {
  switch (name) {
    case 'ASC':
    case 'DESC':
      options.isDescending = name === 'DESC'
      return undefined
    case 'ALPHA':
      options.isAlpha = true
      return undefined
    case 'LIMIT':
      return setLimit(options, first, second)
    case 'STORE':
      options.store = first
      return undefined
    case 'BY':
      return setBy(context, argv, options, first)
    default:
      options.get.push(first)
      return mayReadAnyKey(context, argv) ? undefined : denied('GET')
  }
}

function setLimit(options: SortOptions, start: string, count: string | undefined) {
  const parsed = [parseInteger(start), parseInteger(count)] as const
  if (parsed[0] === undefined || parsed[1] === undefined) return NOT_AN_INTEGER
  options.start = Math.max(0, parsed[0])
  options.count = parsed[1]
  return undefined
}

/** Of several BY, one without an asterisk wins. */
function setBy(
  context: CommandContext,
  argv: readonly string[],
  options: SortOptions,
  pattern: string,
): Reply | undefined {
  options.by = pattern
  if (!pattern.includes('*')) options.isUnsorted = true
  else if (!mayReadAnyKey(context, argv)) return denied('BY')
  return undefined
}

/** Patterns reach keys that the ACL rules were not checked for. */
function denied(option: string): Reply {
  return error(`ERR ${option} option of SORT denied due to insufficient ACL permissions.`)
}
