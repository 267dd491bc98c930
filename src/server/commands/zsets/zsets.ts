/**
 * Sorted sets: commands on single members, and the table of the family. The longer commands are in the
 * files beside this one.
 */
import { doubleText } from '../../../base/double-text.ts'
import type { Rng } from '../../../base/rng.ts'
import { array, bulk, integer, NULL, NULL_ARRAY, type Reply } from '../../../resp/reply.ts'
import { arg, command, type Family } from '../../catalogue/command.ts'
import { VARYING } from '../../catalogue/command-traits.ts'
import type { CommandContext } from '../../context.ts'
import { INVALID_CURSOR, OUT_OF_RANGE, SYNTAX_ERROR, WRONG_TYPE, wrongArity } from '../../errors.ts'
import { isCursor, type Scannable } from '../../keyspace/scan.ts'
import { encodingOf } from '../../values/encoding.ts'
import { shuffledStart } from '../../values/sampler.ts'
import type { Scored, SortedSet } from '../../values/sorted-set.ts'
import { scanElements, scanReply } from '../keys/scanning.ts'
import { isTooMany, parseDraws } from '../random-draws.ts'
import { zAdd, zIncrBy } from './zset-add.ts'
import { zsetAlgebraCommands } from './zset-algebra.ts'
import {
  zCount,
  zLexCount,
  zRemRangeByLex,
  zRemRangeByRank,
  zRemRangeByScore,
} from './zset-bounded.ts'
import { double, membersReply, pairsReply, readingZset, removeMembers } from './zset-members.ts'
import { zMPop, zPop } from './zset-popping.ts'
import {
  zRange,
  zRangeByLex,
  zRangeByScore,
  zRangeStore,
  zRevRange,
  zRevRangeByLex,
  zRevRangeByScore,
} from './zset-ranges.ts'

const ZERO = integer(0)

const MAX_PACKED_INTEGER = 2 ** 62

const zCard = readingZset(ZERO, ({ size }) => integer(size))
const zScore = readingZset(NULL, (set, argv) => scoreReply(set, arg(argv, 2)))
const zRank = ranking('zrank', (_size, rank) => rank)
const zRevRank = ranking('zrevrank', (size, rank) => size - 1 - rank)

/** WITHSCORE is of Redis 7.2; other words are answered as 7.0 does, which knows none. */
function ranking(name: string, place: (size: number, rank: number) => number) {
  return (context: CommandContext, argv: readonly string[]): Reply => {
    const hasScore = argv.length === 4 && arg(argv, 3).toUpperCase() === 'WITHSCORE'
    if (argv.length > 3 && !hasScore) return wrongArity(name)
    return readingZset(hasScore ? NULL_ARRAY : NULL, (set, [, , member = '']) => {
      const rank = set.rank(member)
      if (rank === undefined) return hasScore ? NULL_ARRAY : NULL
      const shown = integer(place(set.size, rank))
      return hasScore ? array([shown, scoreReply(set, member)]) : shown
    })(context, argv)
  }
}

function zMScore({ db }: CommandContext, argv: readonly string[]): Reply {
  const zset = db.value(arg(argv, 1))
  if (zset !== undefined && zset.type !== 'zset') return WRONG_TYPE
  return array(argv.slice(2).map((member) => scoreReply(zset?.set, member)))
}

function scoreReply(set: SortedSet | undefined, member: string): Reply {
  const score = set?.score(member)
  return score === undefined ? NULL : double(score)
}

function zRem(context: CommandContext, argv: readonly string[]): Reply {
  const key = arg(argv, 1)
  const zset = context.db.value(key)
  if (zset === undefined) return ZERO
  if (zset.type !== 'zset') return WRONG_TYPE
  const present = new Set(argv.slice(2).filter((member) => zset.set.has(member)))
  if (present.size === 0) return ZERO
  removeMembers(context, key, zset, [...present])
  context.propagate(undefined, present.size)
  return integer(present.size)
}

/**
 * A small set comes in order, as from Redis; a scan over several pages visits members in no order that matters.
 */
function zScan(context: CommandContext, argv: readonly string[]): Reply {
  if (!isCursor(arg(argv, 2))) return INVALID_CURSOR
  const zset = context.db.value(arg(argv, 1))
  if (zset === undefined) return scanReply('0', [])
  if (zset.type !== 'zset') return WRONG_TYPE
  const { set } = zset
  const isPacked = encodingOf(zset, context.node.settings) === 'listpack'
  const page = scanElements(context, argv, isPacked ? inOrder(set) : set, isPacked)
  if ('kind' in page) return page
  const text = isPacked ? packedText : doubleText
  const pairs = page.keys.flatMap((member) => [member, text(set.score(member) ?? 0)])
  return scanReply(page.cursor, pairs)
}

/** Redis keeps whole scores as integers there, and shows them as such. */
function packedText(score: number): string {
  const isWhole = Number.isInteger(score) && Math.abs(score) <= MAX_PACKED_INTEGER
  return isWhole ? String(BigInt(score)) : doubleText(score)
}

function inOrder(set: SortedSet): Scannable {
  return {
    size: set.size,
    has: (member) => set.has(member),
    *keys() {
      for (const [member] of set) yield member
    },
  }
}

const READ = ['1 RO access']
const ADDED = 'write denyoom fast'
const LOOK = 'readonly fast'
const DELETED = ['1 RW delete']
const TAKEN = ['1 RW access delete']

export const zsetFamily: Family = {
  group: 'sorted-set',
  category: '@sortedset',
  commands: [
    command('zadd', -4, ADDED, ['1 RW update'], zAdd),
    command('zincrby', 4, ADDED, ['1 RW access update'], zIncrBy),
    command('zrem', -3, 'write fast', DELETED, zRem),
    command('zcard', 2, LOOK, ['1 RO'], zCard),
    command('zscore', 3, LOOK, READ, zScore),
    command('zmscore', -3, LOOK, READ, zMScore),
    command('zrank', -3, LOOK, READ, zRank),
    command('zrevrank', -3, LOOK, READ, zRevRank),
    command('zcount', 4, LOOK, READ, zCount),
    command('zlexcount', 4, LOOK, READ, zLexCount),
    command('zrange', -4, 'readonly', READ, zRange),
    command('zrangestore', -5, 'write denyoom', ['1 OW update', '2 RO access'], zRangeStore),
    command('zrevrange', -4, 'readonly', READ, zRevRange),
    command('zrangebyscore', -4, 'readonly', READ, zRangeByScore),
    command('zrevrangebyscore', -4, 'readonly', READ, zRevRangeByScore),
    command('zrangebylex', -4, 'readonly', READ, zRangeByLex),
    command('zrevrangebylex', -4, 'readonly', READ, zRevRangeByLex),
    command('zremrangebyrank', 4, 'write', DELETED, zRemRangeByRank),
    command('zremrangebyscore', 4, 'write', DELETED, zRemRangeByScore),
    command('zremrangebylex', 4, 'write', DELETED, zRemRangeByLex),
    command('zrandmember', -2, 'readonly', READ, zRandMember, VARYING),
    command('zpopmin', -2, 'write fast', TAKEN, zPop('MIN')),
    command('zpopmax', -2, 'write fast', TAKEN, zPop('MAX')),
    command('zmpop', -4, 'write', ['1# RW access delete'], zMPop),
    command('zscan', -3, 'readonly', READ, zScan, VARYING),
    ...zsetAlgebraCommands,
  ],
}

// ZRANDMEMBER: one member, several different ones, or (with a negative count) several with repeats.

function zRandMember(context: CommandContext, argv: readonly string[]): Reply {
  const { db, node } = context
  if (argv.length === 2) {
    const zset = db.value(arg(argv, 1))
    if (zset === undefined) return NULL
    return zset.type === 'zset' ? bulk(drawOne(zset.set, node.rng)[0]) : WRONG_TYPE
  }
  const count = parseDraws(argv[2])
  if (typeof count !== 'number') return count
  const withScores = argv[3]?.toUpperCase() === 'WITHSCORES'
  if (argv.length > 4 || (argv.length === 4 && !withScores)) return SYNTAX_ERROR
  if (isTooMany(count, withScores)) return OUT_OF_RANGE
  const zset = db.value(arg(argv, 1))
  if (zset === undefined) return array([])
  if (zset.type !== 'zset') return WRONG_TYPE
  const drawn = draw(zset.set, count, node.rng)
  return withScores ? pairsReply(context, drawn) : membersReply(drawn)
}

/** If all are drawn they come in Redis' order, the highest score first. */
function draw(set: SortedSet, count: number, rng: Rng): Iterable<Scored> {
  if (count >= set.size) return set.descending({ from: 0, to: set.size })
  if (count >= 0) return distinctRanks(set.size, count, rng).map((rank) => set.at(rank))
  return Array.from({ length: -count }, () => drawOne(set, rng))
}

function drawOne(set: SortedSet, rng: Rng): Scored {
  return set.at(rng.below(set.size))
}

/** In random order. */
function distinctRanks(size: number, count: number, rng: Rng): number[] {
  // Few out of many: drawing again is cheaper than listing all.
  if (count * 4 < size) {
    const drawn = new Set<number>()
    while (drawn.size < count) drawn.add(rng.below(size))
    return [...drawn]
  }
  const ranks = Array.from({ length: size }, (_, rank) => rank)
  return shuffledStart(ranks, count, rng)
}
