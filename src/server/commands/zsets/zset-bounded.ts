/** Counting and removing the elements between two ranks, scores or members. */
import { integer, type Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { NOT_AN_INTEGER, WRONG_TYPE } from '../../errors.ts'
import type { ToldEffect } from '../../sessions/effect-context.ts'
import type { KeyspaceEvent } from '../../sessions/keyspace-event.ts'
import type { RankRange, SortedSet } from '../../values/sorted-set.ts'
import {
  membersBetween,
  ranksBetween,
  type Selection,
  scoresBetween,
} from '../../values/zset-bounds.ts'
import { removeRanks } from './zset-members.ts'
import { BAD_MEMBER_RANGE, BAD_SCORE_RANGE, hasSeveralScores } from './zset-ranges.ts'

const ZERO = integer(0)

type Parse = (first: string, second: string) => Selection | Reply

const byRank: Parse = (first, second) => {
  const [start, stop] = [parseInteger(first), parseInteger(second)]
  if (start === undefined || stop === undefined) return NOT_AN_INTEGER
  return ranksBetween(start, stop, false)
}
const byScore: Parse = (min, max) => scoresBetween(min, max) ?? BAD_SCORE_RANGE
const byLex: Parse = (min, max) => membersBetween(min, max) ?? BAD_MEMBER_RANGE

function counting(parse: Parse) {
  return ({ db }: CommandContext, argv: readonly string[]): Reply => {
    const select = parse(arg(argv, 2), arg(argv, 3))
    if (typeof select !== 'function') return select
    const zset = db.value(arg(argv, 1))
    if (zset === undefined) return ZERO
    if (zset.type !== 'zset') return WRONG_TYPE
    const { from, to } = select(zset.set)
    return integer(to - from)
  }
}

export const zCount = counting(byScore)
export const zLexCount = counting(byLex)

type Told = (key: string, set: SortedSet, range: RankRange) => ToldEffect | undefined

/** `told`: what replicas are told instead of the command; undefined: the command. */
function removing(parse: Parse, event: KeyspaceEvent, told: Told = () => undefined) {
  return (context: CommandContext, argv: readonly string[]): Reply => {
    const select = parse(arg(argv, 2), arg(argv, 3))
    if (typeof select !== 'function') return select
    const key = arg(argv, 1)
    const zset = context.db.value(key)
    if (zset === undefined) return ZERO
    if (zset.type !== 'zset') return WRONG_TYPE
    const range = select(zset.set)
    if (range.from >= range.to) return ZERO
    const effect = told(key, zset.set, range)
    removeRanks(context, key, zset, range, event)
    context.propagate(effect, range.to - range.from)
    return integer(range.to - range.from)
  }
}

export const zRemRangeByRank = removing(byRank, 'zremrangebyrank')
export const zRemRangeByScore = removing(byScore, 'zremrangebyscore')
export const zRemRangeByLex = removing(byLex, 'zremrangebylex', namedIfMixed)

function namedIfMixed(key: string, set: SortedSet, range: RankRange): ToldEffect | undefined {
  return hasSeveralScores(set) ? ['ZREM', key, ...set.members(range)] : undefined
}
