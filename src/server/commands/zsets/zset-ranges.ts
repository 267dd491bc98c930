/**
 * ZRANGE, ZRANGESTORE and the older commands that are special cases of them: which elements, in which
 * direction, and how many.
 */
import { array, bulks, error, integer, type Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { NOT_AN_INTEGER, SYNTAX_ERROR, WRONG_TYPE } from '../../errors.ts'
import type { ToldEffect } from '../../sessions/effect-context.ts'
import { sortedSetOf } from '../../values/large.ts'
import type { RankRange, Scored, SortedSet } from '../../values/sorted-set.ts'
import {
  membersBetween,
  ranksBetween,
  type Selection,
  scoresBetween,
} from '../../values/zset-bounds.ts'
import { pairsReply, storeZset } from './zset-members.ts'

export const BAD_SCORE_RANGE = error('ERR min or max is not a float')
export const BAD_MEMBER_RANGE = error('ERR min or max not valid string range item')
const LIMIT_OF_RANKS = error(
  'ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX',
)
const SCORES_BY_LEX = error('ERR syntax error, WITHSCORES not supported in combination with BYLEX')

export type RangeBy = 'rank' | 'score' | 'lex'

/** What the command itself fixes. Undefined if an option may say it. */
interface Form {
  readonly by: RangeBy | undefined
  readonly isReverse: boolean | undefined
  /** Index of the first bound of the range. */
  readonly boundsAt: number
  readonly stores: boolean
}

interface Options {
  by: RangeBy | undefined
  isReverse: boolean | undefined
  withScores: boolean
  /** How many elements to skip; negative for all. */
  offset: number
  /** How many elements to return; negative for all. */
  limit: number
}

interface Range {
  readonly select: Selection
  readonly options: Options
}

function ranging(by: RangeBy | undefined, isReverse: boolean | undefined) {
  const form: Form = { by, isReverse, boundsAt: 2, stores: false }
  return (context: CommandContext, argv: readonly string[]): Reply => {
    const range = parseRange(argv, form)
    if ('kind' in range) return range
    const zset = context.db.value(arg(argv, 1))
    if (zset === undefined) return array([])
    if (zset.type !== 'zset') return WRONG_TYPE
    if (range.options.withScores) return pairsReply(context, elementsIn(zset.set, range))
    return bulks(membersIn(zset.set, range))
  }
}

export const zRange = ranging(undefined, undefined)
export const zRevRange = ranging('rank', true)
export const zRangeByScore = ranging('score', false)
export const zRevRangeByScore = ranging('score', true)
export const zRangeByLex = ranging('lex', false)
export const zRevRangeByLex = ranging('lex', true)

const STORING: Form = { by: undefined, isReverse: undefined, boundsAt: 3, stores: true }

export function zRangeStore(context: CommandContext, argv: readonly string[]): Reply {
  const range = parseRange(argv, STORING)
  if ('kind' in range) return range
  const zset = context.db.source(arg(argv, 2))
  if (zset !== undefined && zset.type !== 'zset') return WRONG_TYPE
  const effect = zset === undefined ? undefined : ranksIfMixed(argv, zset.set, range)
  const elements = zset === undefined ? [] : elementsIn(zset.set, range)
  const result = sortedSetOf(elements, context.db.entries.hash)
  storeZset(context, arg(argv, 1), result, 'zrangestore', 1, effect)
  return integer(result.size)
}

/** What replicas are told instead of BYLEX, if each server could find other members; ranks are the same on all. */
function ranksIfMixed(
  [name = '', target = '', source = '']: readonly string[],
  set: SortedSet,
  { select, options }: Range,
): ToldEffect | undefined {
  if (options.by !== 'lex' || !hasSeveralScores(set)) return undefined
  const { from, to } = limited(select(set), options)
  return [name, target, source, ...(from < to ? [String(from), String(to - 1)] : ['1', '0'])]
}

/** Then its members are in no order of their names: what lies between two names depends on how a server stores the set. */
export function hasSeveralScores(set: SortedSet): boolean {
  return set.at(0)[1] !== set.at(set.size - 1)[1]
}

function membersIn(set: SortedSet, { select, options }: Range): readonly string[] {
  const members = set.members(limited(select(set), options))
  return options.isReverse === true ? members.reverse() : members
}

function elementsIn(set: SortedSet, { select, options }: Range): Iterable<Scored> {
  const selected = select(set)
  return options.isReverse === true
    ? set.descending(limited(selected, options))
    : set.ascending(limited(selected, options))
}

/** The part that LIMIT leaves, counted from the end at which reading begins. */
function limited({ from, to }: RankRange, { offset, limit, isReverse }: Options): RankRange {
  const passed = offset < 0 ? to - from : Math.min(offset, to - from)
  const left = to - from - passed
  const count = limit < 0 ? left : Math.min(limit, left)
  if (isReverse === true) return { from: to - passed - count, to: to - passed }
  return { from: from + passed, to: from + passed + count }
}

function parseRange(argv: readonly string[], form: Form): Range | Reply {
  const options = parseOptions(argv, form)
  if ('kind' in options) return options
  const { by = 'rank', isReverse = false, withScores } = options
  if (by === 'rank') {
    if (options.limit !== -1) return LIMIT_OF_RANKS
    options.offset = 0
  }
  if (withScores && by === 'lex') return SCORES_BY_LEX
  const [first, second] = [arg(argv, form.boundsAt), arg(argv, form.boundsAt + 1)]
  const select = isReverse
    ? parseSelection(by, second, first, true)
    : parseSelection(by, first, second, false)
  return typeof select === 'function' ? { select, options } : select
}

/** Ranks are given in the direction of counting, even from the other end. */
function parseSelection(
  by: RangeBy,
  min: string,
  max: string,
  isReverse: boolean,
): Selection | Reply {
  switch (by) {
    case 'rank': {
      const [start, stop] = (isReverse ? [max, min] : [min, max]).map(parseInteger)
      if (start === undefined || stop === undefined) return NOT_AN_INTEGER
      return ranksBetween(start, stop, isReverse)
    }
    case 'score':
      return scoresBetween(min, max) ?? BAD_SCORE_RANGE
    case 'lex':
      return membersBetween(min, max) ?? BAD_MEMBER_RANGE
  }
}

function parseOptions(argv: readonly string[], { by, isReverse, boundsAt, stores }: Form) {
  const options: Options = { by, isReverse, withScores: false, offset: 0, limit: -1 }
  for (let at = boundsAt + 2; at < argv.length; at++) {
    const word = arg(argv, at).toUpperCase()
    if (word === 'LIMIT' && at + 2 < argv.length) {
      const [offset, limit] = [parseInteger(argv[at + 1]), parseInteger(argv[at + 2])]
      if (offset === undefined || limit === undefined) return NOT_AN_INTEGER
      Object.assign(options, { offset, limit })
      at += 2
    } else if (word === 'WITHSCORES' && !stores) {
      options.withScores = true
    } else if (word === 'REV' && options.isReverse === undefined) {
      options.isReverse = true
    } else if ((word === 'BYLEX' || word === 'BYSCORE') && options.by === undefined) {
      options.by = word === 'BYLEX' ? 'lex' : 'score'
    } else {
      return SYNTAX_ERROR
    }
  }
  return options
}
