/** Running the node: INFO, TIME, DEBUG, MEMORY, BGREWRITEAOF. */
import { bulks, error, type Reply, simple } from '../../../resp/reply.ts'
import { command, type Family } from '../../catalogue/command.ts'
import { DANGEROUS, REPORT_OF_SHARD, VARYING } from '../../catalogue/command-traits.ts'
import type { CommandContext } from '../../context.ts'
import { infoText } from '../../info/info.ts'
import type { RewriteAnswer } from '../../persistence/aof.ts'
import { debug } from './debug.ts'
import { lolwutCommand } from './lolwut.ts'
import { memoryCommand } from './memory.ts'

function info(context: CommandContext, argv: readonly string[]): Reply {
  return { kind: 'verbatim', format: 'txt', text: infoText(context, argv.slice(1)) }
}

function time({ now }: CommandContext): Reply {
  const seconds = Math.floor(now.wallMs / 1000)
  return bulks([String(seconds), String((now.wallMs - seconds * 1000) * 1000)])
}

const REWRITE_ANSWERS: Readonly<Record<RewriteAnswer, Reply>> = {
  started: simple('Background append only file rewriting started'),
  scheduled: simple('Background append only file rewriting scheduled'),
  running: error('ERR Background append only file rewriting already in progress'),
}

/** persistence/aof-schedule.ts says when the append-only file is rewritten without an order. */
function bgrewriteaof({ node, session }: CommandContext): Reply {
  const isInTransaction = !session.mayBlock
  return REWRITE_ANSWERS[node.persistence.aof.orderRewrite(isInTransaction)]
}

export const adminFamily: Family = {
  group: 'server',
  category: undefined,
  commands: [
    command('info', -1, 'loading stale', [], info, { ...DANGEROUS, ...REPORT_OF_SHARD }),
    command('time', 1, 'loading stale fast', [], time, VARYING),
    command('debug', -2, 'admin noscript loading stale protected no_touch', [], debug),
    command('bgrewriteaof', 1, 'admin noscript no_async_loading', [], bgrewriteaof),
    lolwutCommand,
    memoryCommand,
  ],
}
