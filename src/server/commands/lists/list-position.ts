/** LPOS: where an element is. */
import { array, integer, NULL, type Reply } from '../../../resp/reply.ts'
import { parseExact } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import {
  NEGATIVE_COUNT,
  NEGATIVE_MAXLEN,
  NOT_AN_INTEGER,
  RANK_ZERO,
  SYNTAX_ERROR,
  WRONG_TYPE,
} from '../../errors.ts'
import type { Deque } from '../../values/deque.ts'

interface Search {
  /** 1 begins with the first match, 2 with the second; negative counts from the end. */
  rank: number
  /** How many matches; 0 for all; undefined for one, not as an array. */
  count: number | undefined
  /** How many elements to look at; 0 for all. */
  maxLength: number
}

export function lPos({ db }: CommandContext, argv: readonly string[]): Reply {
  const search = parseSearch(argv)
  if ('kind' in search) return search
  const list = db.value(arg(argv, 1))
  if (list === undefined) return search.count === undefined ? NULL : array([])
  if (list.type !== 'list') return WRONG_TYPE
  const places = find(list.items, arg(argv, 2), search)
  if (search.count !== undefined) return array(places.map(integer))
  return places[0] === undefined ? NULL : integer(places[0])
}

function find(items: Deque, wanted: string, { rank, count = 1, maxLength }: Search): number[] {
  const places: number[] = []
  let matchesToSkip = Math.abs(rank) - 1
  const steps = maxLength === 0 ? items.length : Math.min(maxLength, items.length)
  for (let step = 0; step < steps; step++) {
    const place = rank > 0 ? step : items.length - 1 - step
    if (items.at(place) !== wanted || matchesToSkip-- > 0) continue
    places.push(place)
    if (places.length === count) break
  }
  return places
}

function parseSearch(argv: readonly string[]): Search | Reply {
  const search: Search = { rank: 1, count: undefined, maxLength: 0 }
  for (let at = 3; at < argv.length; at += 2) {
    if (at + 1 >= argv.length) return SYNTAX_ERROR
    const problem = setOption(search, arg(argv, at).toUpperCase(), parseRank(arg(argv, at + 1)))
    if (problem !== undefined) return problem
  }
  return search
}

/** The one number that cannot be negated counts as 0. */
function parseRank(text: string): number | undefined {
  const value = parseExact(text)
  if (value === -(2n ** 63n)) return -1
  return value === undefined ? undefined : Number(value)
}

function setOption(search: Search, option: string, value: number | undefined): Reply | undefined {
  switch (option) {
    case 'RANK':
      if (value === undefined) return NOT_AN_INTEGER
      if (value === 0) return RANK_ZERO
      search.rank = value
      return undefined
    case 'COUNT':
      if (value === undefined || value < 0) return NEGATIVE_COUNT
      search.count = value
      return undefined
    case 'MAXLEN':
      if (value === undefined || value < 0) return NEGATIVE_MAXLEN
      search.maxLength = value
      return undefined
    default:
      return SYNTAX_ERROR
  }
}
