/** LMOVE, RPOPLPUSH and LMPOP, and the arguments they share with the blocking forms. */
import { NULL, NULL_ARRAY, type Reply } from '../../../resp/reply.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { SYNTAX_ERROR } from '../../errors.ts'
import { type ListAction, type ListEnd, performListAction } from '../../values/list-actions.ts'
import { type BlockingPop, popFirst } from '../blocking-pop.ts'
import { parsePopArguments } from '../pop-arguments.ts'

function parseSide(word: string | undefined): ListEnd | undefined {
  const side = word?.toUpperCase()
  return side === 'LEFT' || side === 'RIGHT' ? side : undefined
}

/** Parses `destination LEFT|RIGHT LEFT|RIGHT`. */
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

export interface ListPopMany {
  readonly keys: readonly string[]
  readonly action: ListAction
}

/** `numkeys key … LEFT|RIGHT [COUNT n]`, from index `at` on. */
export function parsePopMany(argv: readonly string[], at: number): ListPopMany | Reply {
  const pop = parsePopArguments(argv, at, parseSide)
  if ('kind' in pop) return pop
  const { keys, side, count } = pop
  return { keys, action: { kind: 'popMany', side, count } }
}

/** The action, on the first of the lists that exists. */
export function listTaking(keys: readonly string[], action: ListAction): BlockingPop<'list'> {
  return {
    keys,
    type: 'list',
    take: (scene, key, list, hasWaited) => performListAction(scene, key, list, action, hasWaited),
  }
}

export function lMove(context: CommandContext, argv: readonly string[]): Reply {
  const action = parseMove(argv)
  if (!isAction(action)) return action
  return popFirst(context, listTaking([arg(argv, 1)], action)) ?? NULL
}

export function rPopLPush(context: CommandContext, argv: readonly string[]): Reply {
  return popFirst(context, listTaking([arg(argv, 1)], rPopLPushAction(argv))) ?? NULL
}

export function lMPop(context: CommandContext, argv: readonly string[]): Reply {
  const pop = parsePopMany(argv, 1)
  if ('kind' in pop) return pop
  return popFirst(context, listTaking(pop.keys, pop.action)) ?? NULL_ARRAY
}

export function isAction(parsed: ListAction | Reply): parsed is ListAction {
  return parsed.kind === 'move' || parsed.kind === 'pop' || parsed.kind === 'popMany'
}
