/** LMOVE, RPOPLPUSH and LMPOP, and the arguments they share with the forms that wait. */
import { NULL, NULL_ARRAY, type Reply } from '../../../resp/reply.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { SYNTAX_ERROR, WRONG_TYPE } from '../../errors.ts'
import { type ListAction, performListAction, type Side } from '../../values/list-actions.ts'
import { parsePopArguments } from '../blocking-arguments.ts'

export function parseSide(word: string | undefined): Side | undefined {
  const side = word?.toUpperCase()
  return side === 'LEFT' || side === 'RIGHT' ? side : undefined
}

/** `destination from to`, from the words that say so. */
export function parseMove(argv: readonly string[]): ListAction | Reply {
  const from = parseSide(argv[3])
  const to = parseSide(argv[4])
  if (from === undefined || to === undefined) return SYNTAX_ERROR
  return { kind: 'move', from, to, destination: arg(argv, 2), effect: 'LMOVE' }
}

export function rPopLPushAction(argv: readonly string[]): ListAction {
  const destination = arg(argv, 2)
  return { kind: 'move', from: 'RIGHT', to: 'LEFT', destination, effect: 'RPOPLPUSH' }
}

export interface PopMany {
  readonly keys: readonly string[]
  readonly action: ListAction
}

/** `numkeys key … LEFT|RIGHT [COUNT n]`, from index `at` on. */
export function parsePopMany(argv: readonly string[], at: number): PopMany | Reply {
  const pop = parsePopArguments(argv, at, parseSide)
  if ('kind' in pop) return pop
  const { keys, side, count } = pop
  return { keys, action: { kind: 'popMany', side, count } }
}

/** Performs the action on the first list that exists; undefined: there is none. */
export function actOnFirst(
  context: CommandContext,
  keys: readonly string[],
  action: ListAction,
): Reply | undefined {
  for (const key of keys) {
    const list = context.db.value(key)
    if (list === undefined) continue
    return list.type === 'list' ? performListAction(context, key, list, action) : WRONG_TYPE
  }
  return undefined
}

export function lMove(context: CommandContext, argv: readonly string[]): Reply {
  const action = parseMove(argv)
  if (!isAction(action)) return action
  return actOnFirst(context, [arg(argv, 1)], action) ?? NULL
}

export function rPopLPush(context: CommandContext, argv: readonly string[]): Reply {
  return actOnFirst(context, [arg(argv, 1)], rPopLPushAction(argv)) ?? NULL
}

export function lMPop(context: CommandContext, argv: readonly string[]): Reply {
  const pop = parsePopMany(argv, 1)
  if ('kind' in pop) return pop
  return actOnFirst(context, pop.keys, pop.action) ?? NULL_ARRAY
}

export function isAction(parsed: ListAction | Reply): parsed is ListAction {
  return parsed.kind === 'move' || parsed.kind === 'pop' || parsed.kind === 'popMany'
}
