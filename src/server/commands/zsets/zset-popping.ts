/**
 * ZPOPMIN, ZPOPMAX and ZMPOP: taking elements off either end. The blocking forms take them in the
 * same way, see zset-blocking.ts.
 */
import { array, bulk, list, NULL_ARRAY, type Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { MUST_BE_POSITIVE, SYNTAX_ERROR, WRONG_TYPE } from '../../errors.ts'
import type { EffectContext } from '../../sessions/effect-context.ts'
import type { Scored } from '../../values/sorted-set.ts'
import type { ZsetValue } from '../../values/value.ts'
import { type BlockingPop, popFirst } from '../blocking-pop.ts'
import { parsePopArguments } from '../pop-arguments.ts'
import { double, flatPairsReply, pairReply, pairsReply, removeRanks } from './zset-members.ts'

export type End = 'MIN' | 'MAX'

export type PopAction =
  /** BZPOPMIN, BZPOPMAX: replies with the key, the member and its score. */
  | { readonly kind: 'one'; readonly end: End }
  /** ZMPOP, BZMPOP: replies with the key and up to `count` pairs. */
  | { readonly kind: 'many'; readonly end: End; readonly count: number }

export function zPop(end: End) {
  return (context: CommandContext, argv: readonly string[]): Reply => {
    if (argv.length > 3) return SYNTAX_ERROR
    const count = argv.length === 3 ? parseInteger(argv[2]) : 1
    if (count === undefined || count < 0) return MUST_BE_POSITIVE
    const key = arg(argv, 1)
    const zset = context.db.value(key)
    if (zset === undefined) return array([])
    if (zset.type !== 'zset') return WRONG_TYPE
    if (count === 0) return array([])
    const taken = takeElements(context, key, zset, end, count)
    context.propagate(undefined, taken.length)
    return argv.length === 3 ? pairsReply(context, taken) : flatPairsReply(taken)
  }
}

export function zMPop(context: CommandContext, argv: readonly string[]): Reply {
  const pop = parsePopMany(argv, 1)
  if ('kind' in pop) return pop
  return popFirst(context, zsetTaking(pop.keys, pop.action)) ?? NULL_ARRAY
}

export interface ZsetPopMany {
  readonly keys: readonly string[]
  readonly action: PopAction
}

/** `numkeys key … MIN|MAX [COUNT n]`, from index `at` on. */
export function parsePopMany(argv: readonly string[], at: number): ZsetPopMany | Reply {
  const pop = parsePopArguments(argv, at, parseEnd)
  if ('kind' in pop) return pop
  const { keys, side, count } = pop
  return { keys, action: { kind: 'many', end: side, count } }
}

function parseEnd(word: string | undefined): End | undefined {
  const end = word?.toUpperCase()
  return end === 'MIN' || end === 'MAX' ? end : undefined
}

/** The action, on the first of the sorted sets that exists. */
export function zsetTaking(keys: readonly string[], action: PopAction): BlockingPop<'zset'> {
  return { keys, type: 'zset', take: (scene, key, zset) => performPop(scene, key, zset, action) }
}

/** From a non-empty set; replicas get the number of elements that were really taken. */
function performPop(scene: EffectContext, key: string, zset: ZsetValue, action: PopAction): Reply {
  const command = `ZPOP${action.end}`
  const taken = takeElements(scene, key, zset, action.end, action.kind === 'one' ? 1 : action.count)
  if (action.kind === 'many') {
    scene.propagate([command, key, String(taken.length)], taken.length)
    return array([bulk(key), list(taken, pairReply)])
  }
  const [member, score] = taken[0] as Scored
  scene.propagate([command, key])
  return array([bulk(key), bulk(member), double(score)])
}

function takeElements(
  scene: EffectContext,
  key: string,
  zset: ZsetValue,
  end: End,
  count: number,
): Scored[] {
  const { set } = zset
  const taking = Math.min(count, set.size)
  const range = end === 'MIN' ? { from: 0, to: taking } : { from: set.size - taking, to: set.size }
  const taken = [...(end === 'MIN' ? set.ascending(range) : set.descending(range))]
  removeRanks(scene, key, zset, range, end === 'MIN' ? 'zpopmin' : 'zpopmax')
  return taken
}
