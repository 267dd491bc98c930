/**
 * BZPOPMIN, BZPOPMAX and BZMPOP: the plain command if there is something to take, else the client waits.
 * Inside a transaction, and in the master's stream, nothing waits.
 */
import { NULL_ARRAY, type Reply } from '../../../resp/reply.ts'
import { command, type Family } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { parseTimeout } from '../blocking-arguments.ts'
import { type End, type PopAction, parsePopMany, performPop, popFirst } from './zset-popping.ts'

/** `timeoutMs`: 0 is for ever. */
function popOrWait(
  context: CommandContext,
  keys: readonly string[],
  action: PopAction,
  timeoutMs: number,
): Reply | undefined {
  const reply = popFirst(context, keys, action)
  if (reply !== undefined) return reply
  const { session, node, now } = context
  if (!session.mayBlock) return NULL_ARRAY
  node.blocking.block(session, {
    deadlineMs: timeoutMs === 0 ? undefined : now.monoMs + timeoutMs,
    onTimeout: () => NULL_ARRAY,
    wait: {
      db: context.db.index,
      keys,
      type: 'zset',
      serve: (scene, key) => {
        const zset = scene.db.value(key)
        return zset?.type === 'zset' ? performPop(scene, key, zset, action) : undefined
      },
    },
  })
  return undefined
}

function bzPop(end: End) {
  return (context: CommandContext, argv: readonly string[]): Reply | undefined => {
    const timeoutMs = parseTimeout(argv.at(-1))
    if (typeof timeoutMs !== 'number') return timeoutMs
    return popOrWait(context, argv.slice(1, -1), { kind: 'one', end }, timeoutMs)
  }
}

function bzMPop(context: CommandContext, argv: readonly string[]): Reply | undefined {
  const timeoutMs = parseTimeout(argv[1])
  if (typeof timeoutMs !== 'number') return timeoutMs
  const pop = parsePopMany(argv, 2)
  return 'kind' in pop ? pop : popOrWait(context, pop.keys, pop.action, timeoutMs)
}

const WAITS = 'write noscript blocking fast'
const TAKEN = ['1..-2 RW access delete']

export const blockingZsetFamily: Family = {
  group: 'sorted-set',
  category: '@sortedset',
  commands: [
    command('bzpopmin', -3, WAITS, TAKEN, bzPop('MIN')),
    command('bzpopmax', -3, WAITS, TAKEN, bzPop('MAX')),
    command('bzmpop', -5, 'write blocking', ['2# RW access delete'], bzMPop),
  ],
}
