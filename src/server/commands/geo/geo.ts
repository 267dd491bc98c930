/** Positions on the earth, kept as scores of a sorted set. Searching among them: see geo-search.ts. */
import { array, bulk, NULL, NULL_ARRAY, type Reply } from '../../../resp/reply.ts'
import { arg, command, type Family } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { SYNTAX_ERROR, WRONG_TYPE } from '../../errors.ts'
import { distanceM } from '../../values/geo-distance.ts'
import { cellAt, cellBits, geohashText, MAX_STEP, positionOf } from '../../values/geo-hash.ts'
import { zAdd } from '../zsets/zset-add.ts'
import { distanceReply, parsePosition, parseUnit, positionReply } from './geo-arguments.ts'
import { geoSearchCommands } from './geo-search.ts'

const ADD_OPTIONS: ReadonlySet<string> = new Set(['NX', 'XX', 'CH'])

/** A ZADD with scores for positions; replicas get that ZADD. */
function geoAdd(context: CommandContext, argv: readonly string[]): Reply {
  let at = 2
  while (at < argv.length && ADD_OPTIONS.has(arg(argv, at).toUpperCase())) at++
  const options = argv.slice(2, at)
  const names = new Set(options.map((word) => word.toUpperCase()))
  if ((argv.length - at) % 3 !== 0 || (names.has('NX') && names.has('XX'))) return SYNTAX_ERROR
  const zadd = ['zadd', arg(argv, 1), ...options]
  for (; at < argv.length; at += 3) {
    const position = parsePosition(argv, at)
    if ('kind' in position) return position
    zadd.push(String(cellBits(cellAt(position, MAX_STEP))), arg(argv, at + 2))
  }
  return zAdd(context, zadd)
}

/** One answer for each member, computed from its score if it has one. */
function describing(missing: Reply, describe: (score: number) => Reply) {
  return ({ db }: CommandContext, argv: readonly string[]): Reply => {
    const zset = db.value(arg(argv, 1))
    if (zset !== undefined && zset.type !== 'zset') return WRONG_TYPE
    const scores = argv.slice(2).map((member) => zset?.set.score(member))
    return array(scores.map((score) => (score === undefined ? missing : describe(score))))
  }
}

const geoPos = describing(NULL_ARRAY, (score) => positionReply(positionOf(score)))
const geoHash = describing(NULL, (score) => bulk(geohashText(positionOf(score))))

function geoDist({ db }: CommandContext, argv: readonly string[]): Reply {
  if (argv.length > 5) return SYNTAX_ERROR
  const unitM = argv.length === 5 ? parseUnit(argv[4]) : 1
  if (typeof unitM !== 'number') return unitM
  const zset = db.value(arg(argv, 1))
  if (zset === undefined) return NULL
  if (zset.type !== 'zset') return WRONG_TYPE
  const [from, to] = [zset.set.score(arg(argv, 2)), zset.set.score(arg(argv, 3))]
  if (from === undefined || to === undefined) return NULL
  return distanceReply(distanceM(positionOf(from), positionOf(to)) / unitM)
}

const READ = ['1 RO access']

export const geoFamily: Family = {
  group: 'geo',
  category: '@geo',
  commands: [
    command('geoadd', -5, 'write denyoom', ['1 RW update'], geoAdd),
    command('geopos', -2, 'readonly', READ, geoPos),
    command('geohash', -2, 'readonly', READ, geoHash),
    command('geodist', -4, 'readonly', READ, geoDist),
    ...geoSearchCommands,
  ],
}
