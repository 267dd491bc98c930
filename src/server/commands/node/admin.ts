/** Running the node: INFO, TIME, DEBUG, MEMORY. */
import { bulks, type Reply } from '../../../resp/reply.ts'
import { command, type Family } from '../../catalogue/command.ts'
import { DANGEROUS, REPORT_OF_SHARD, VARYING } from '../../catalogue/command-traits.ts'
import type { CommandContext } from '../../context.ts'
import { infoText } from '../../info/info.ts'
import { debug } from './debug.ts'
import { memoryCommand } from './memory.ts'

function info(context: CommandContext, argv: readonly string[]): Reply {
  return { kind: 'verbatim', format: 'txt', text: infoText(context, argv.slice(1)) }
}

function time({ now }: CommandContext): Reply {
  const seconds = Math.floor(now.wallMs / 1000)
  return bulks([String(seconds), String((now.wallMs - seconds * 1000) * 1000)])
}

export const adminFamily: Family = {
  group: 'server',
  category: undefined,
  commands: [
    command('info', -1, 'loading stale', [], info, { ...DANGEROUS, ...REPORT_OF_SHARD }),
    command('time', 1, 'loading stale fast', [], time, VARYING),
    command('debug', -2, 'admin noscript loading stale protected no_touch', [], debug),
    memoryCommand,
  ],
}
