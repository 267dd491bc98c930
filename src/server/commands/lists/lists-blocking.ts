/**
 * BLPOP and its kin: the plain command if there is something to take, else the client waits. Inside a
 * transaction, and in the master's stream, nothing waits.
 */
import { NULL, NULL_ARRAY, type Reply } from '../../../resp/reply.ts'
import { arg, command, type Family } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { type ListAction, performListAction, type Side } from '../../values/list-actions.ts'
import { parseTimeout } from '../blocking-arguments.ts'
import { actOnFirst, isAction, parseMove, parsePopMany, rPopLPushAction } from './lists-moving.ts'

function actOrWait(
  context: CommandContext,
  keys: readonly string[],
  action: ListAction,
  timeoutText: string | undefined,
): Reply | undefined {
  const timeoutMs = parseTimeout(timeoutText)
  if (typeof timeoutMs !== 'number') return timeoutMs
  const reply = actOnFirst(context, keys, action)
  if (reply !== undefined) return reply
  const { session, node, now } = context
  if (!session.mayBlock) return action.kind === 'move' ? NULL : NULL_ARRAY
  node.blocking.block(session, {
    deadlineMs: timeoutMs === 0 ? undefined : now.monoMs + timeoutMs,
    onTimeout: () => NULL_ARRAY,
    wait: {
      db: context.db.index,
      keys,
      type: 'list',
      serve: (scene, key) => {
        const list = scene.db.value(key)
        return list?.type === 'list' ? performListAction(scene, key, list, action) : undefined
      },
    },
  })
  return undefined
}

/** BLPOP, BRPOP. */
function popping(side: Side) {
  return (context: CommandContext, argv: readonly string[]): Reply | undefined =>
    actOrWait(context, argv.slice(1, -1), { kind: 'pop', side }, argv.at(-1))
}

function blMove(context: CommandContext, argv: readonly string[]): Reply | undefined {
  const action = parseMove(argv)
  return isAction(action) ? actOrWait(context, [arg(argv, 1)], action, argv[5]) : action
}

function bRPopLPush(context: CommandContext, argv: readonly string[]): Reply | undefined {
  return actOrWait(context, [arg(argv, 1)], rPopLPushAction(argv), argv[3])
}

function blMPop(context: CommandContext, argv: readonly string[]): Reply | undefined {
  const timeout = parseTimeout(argv[1])
  if (typeof timeout !== 'number') return timeout
  const pop = parsePopMany(argv, 2)
  return 'kind' in pop ? pop : actOrWait(context, pop.keys, pop.action, argv[1])
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
