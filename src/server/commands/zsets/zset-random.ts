/** ZRANDMEMBER: one member, several different ones, or (with a negative count) several with repeats. */
import type { Rng } from '../../../base/rng.ts'
import { array, bulk, NULL, type Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { NOT_AN_INTEGER, OUT_OF_RANGE, SYNTAX_ERROR, WRONG_TYPE } from '../../errors.ts'
import { shuffledStart } from '../../values/sampler.ts'
import type { Scored, SortedSet } from '../../values/sorted-set.ts'
import { MAX_REPEATED_DRAWS } from '../random-draws.ts'
import { membersReply, pairsReply } from './zset-members.ts'

/** Twice as many would be no 64-bit integer. */
const MAX_PAIRS = 2 ** 62

export function zRandMember(context: CommandContext, argv: readonly string[]): Reply {
  const { db, node } = context
  if (argv.length === 2) {
    const zset = db.value(arg(argv, 1))
    if (zset === undefined) return NULL
    return zset.type === 'zset' ? bulk(drawOne(zset.set, node.rng)[0]) : WRONG_TYPE
  }
  const count = parseInteger(argv[2])
  if (count === undefined) return NOT_AN_INTEGER
  const withScores = argv[3]?.toUpperCase() === 'WITHSCORES'
  if (argv.length > 4 || (argv.length === 4 && !withScores)) return SYNTAX_ERROR
  if (count < -MAX_REPEATED_DRAWS || (withScores && count > MAX_PAIRS)) return OUT_OF_RANGE
  const zset = db.value(arg(argv, 1))
  if (zset === undefined) return array([])
  if (zset.type !== 'zset') return WRONG_TYPE
  const drawn = draw(zset.set, count, node.rng)
  return withScores ? pairsReply(context, drawn) : membersReply(drawn)
}

/** All of them come in Redis' order, the highest score first. */
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
