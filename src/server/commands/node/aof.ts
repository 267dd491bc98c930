/** BGREWRITEAOF. persistence/aof-schedule.ts says when the append-only file is rewritten. */
import { error, type Reply, simple } from '../../../resp/reply.ts'
import { command, type Family } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import type { RewriteAnswer } from '../../persistence/aof.ts'

const ANSWERS: Readonly<Record<RewriteAnswer, Reply>> = {
  started: simple('Background append only file rewriting started'),
  scheduled: simple('Background append only file rewriting scheduled'),
  running: error('ERR Background append only file rewriting already in progress'),
}

function bgrewriteaof({ node, session }: CommandContext): Reply {
  const isInTransaction = !session.mayBlock
  return ANSWERS[node.persistence.aof.orderRewrite(isInTransaction)]
}

export const aofFamily: Family = {
  group: 'server',
  category: undefined,
  commands: [command('bgrewriteaof', 1, 'admin noscript no_async_loading', [], bgrewriteaof)],
}
