/**
 * BLPOP and similar: the ordinary command if there is something to take, otherwise the client
 * waits.
 */
import { NULL, type Reply } from '../../../resp/reply.ts'
import { arg, command, type Family } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import type { ListEnd } from '../../values/list-actions.ts'
import { popOrWait } from '../blocking-pop.ts'
import { isAction, listTaking, parseMove, parsePopMany, rPopLPushAction } from './lists-moving.ts'

/** BLPOP, BRPOP. */
function popping(side: ListEnd) {
  return (context: CommandContext, argv: readonly string[]): Reply | undefined =>
    popOrWait(context, listTaking(argv.slice(1, -1), { kind: 'pop', side }), argv.at(-1))
}

function blMove(context: CommandContext, argv: readonly string[]): Reply | undefined {
  const action = parseMove(argv)
  if (!isAction(action)) return action
  return popOrWait(context, listTaking([arg(argv, 1)], action), argv[5], NULL)
}

function bRPopLPush(context: CommandContext, argv: readonly string[]): Reply | undefined {
  return popOrWait(context, listTaking([arg(argv, 1)], rPopLPushAction(argv)), argv[3], NULL)
}

function blMPop(context: CommandContext, argv: readonly string[]): Reply | undefined {
  const pop = parsePopMany(argv, 2)
  return 'kind' in pop ? pop : popOrWait(context, listTaking(pop.keys, pop.action), argv[1])
}

const WAITS = 'write denyoom noscript blocking'
const MOVED = ['1 RW access delete', '2 RW insert']
const TAKEN = ['1..-2 RW access delete']

export const blockingListFamily: Family = {
  group: 'list',
  category: '@list',
  commands: [
    command('blpop', -3, 'write noscript blocking', TAKEN, popping('LEFT')),
    command('brpop', -3, 'write noscript blocking', TAKEN, popping('RIGHT')),
    command('blmove', 6, WAITS, MOVED, blMove),
    command('brpoplpush', 4, WAITS, MOVED, bRPopLPush),
    command('blmpop', -5, 'write blocking', ['2# RW access delete'], blMPop),
  ],
}
