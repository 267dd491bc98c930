/** Running the node: INFO, TIME, and diagnostics for which this node has little to report. */

import { cString } from '../../../base/c-string.ts'
import { array, bulks, error, integer, OK, type Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg, command, container, type Family, helpReply } from '../../catalogue/command.ts'
import {
  DANGEROUS,
  ON_ALL_NODES,
  REPORT_OF_NODE,
  REPORT_OF_SHARD,
  VARYING,
} from '../../catalogue/command-traits.ts'
import type { CommandContext } from '../../context.ts'
import { BAD_SLOWLOG_COUNT, unknownSubcommandOrArity } from '../../errors.ts'
import { infoText } from '../../info/info.ts'
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

function slowest(_context: CommandContext, argv: readonly string[]): Reply {
  if (argv.length > 3) return unknownSubcommandOrArity('slowlog', argv[1])
  const count = argv.length === 3 ? parseInteger(argv[2]) : 0
  return count === undefined || count < -1 ? BAD_SLOWLOG_COUNT : array([])
}

function nothingToReport(): Reply {
  return { kind: 'verbatim', format: 'txt', text: 'Nothing to report.\n' }
}

const ok = () => OK
const none = () => array([])
const zero = () => integer(0)
const noMap = (): Reply => ({ kind: 'map', entries: [] })

/** Time inside a command is not measured: the state machine has no clock of its own. */
const latency = container('latency', [
  command('doctor', 2, 'admin noscript loading stale', [], nothingToReport, REPORT_OF_NODE),
  command(
    'graph',
    3,
    'admin noscript loading stale',
    [],
    (_, argv) => error(`ERR No samples available for event '${cString(arg(argv, 2))}'`),
    REPORT_OF_NODE,
  ),
  command('help', 2, 'loading stale', [], () =>
    helpReply('LATENCY', ['LATEST', '    Always empty.', 'RESET', '    Always 0.']),
  ),
  command('histogram', -2, 'admin noscript loading stale', [], noMap, REPORT_OF_NODE),
  command('history', 3, 'admin noscript loading stale', [], none, REPORT_OF_NODE),
  command('latest', 2, 'admin noscript loading stale', [], none, REPORT_OF_NODE),
  command('reset', -2, 'admin noscript loading stale', [], zero, ON_ALL_NODES),
])

const slowlog = container('slowlog', [
  command('get', -2, 'admin loading stale', [], slowest, {
    tips: ['request_policy:all_nodes', 'nondeterministic_output'],
  }),
  command('help', 2, 'loading stale', [], () =>
    helpReply('SLOWLOG', ['GET [<count>]', '    Always empty.', 'LEN', '    Always 0.']),
  ),
  command('len', 2, 'admin loading stale', [], zero, {
    tips: ['request_policy:all_nodes', 'response_policy:agg_sum', 'nondeterministic_output'],
  }),
  command('reset', 2, 'admin loading stale', [], ok, ON_ALL_NODES),
])

export const adminFamily: Family = {
  group: 'server',
  category: undefined,
  commands: [
    command('info', -1, 'loading stale', [], info, { ...DANGEROUS, ...REPORT_OF_SHARD }),
    command('time', 1, 'loading stale fast', [], time, VARYING),
    command('debug', -2, 'admin noscript loading stale protected no_touch', [], debug),
    latency,
    lolwutCommand,
    memoryCommand,
    slowlog,
  ],
}
