/** Running the node: INFO, TIME, and the diagnostics this node has little to say to. */

import { cString } from '../../../base/c-string.ts'
import { array, bulk, bulks, error, integer, NULL, OK, type Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg, command, container, type Family, helpReply } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import {
  BAD_SLOWLOG_COUNT,
  NOT_AN_INTEGER,
  SYNTAX_ERROR,
  unknownSubcommandOrArity,
} from '../../errors.ts'
import { infoText } from '../../info/info.ts'
import { valueBytes } from '../../values/value-size.ts'
import { debug } from './debug.ts'

function info(context: CommandContext, argv: readonly string[]): Reply {
  return { kind: 'verbatim', format: 'txt', text: infoText(context, argv.slice(1)) }
}

function time({ now }: CommandContext): Reply {
  const seconds = Math.floor(now.wallMs / 1000)
  return bulks([String(seconds), String((now.wallMs - seconds * 1000) * 1000)])
}

function memoryUsage(context: CommandContext, argv: readonly string[]): Reply {
  // How many elements to look at; here all are counted.
  for (let at = 3; at < argv.length; at += 2) {
    const isSamples = arg(argv, at).toUpperCase() === 'SAMPLES' && at + 1 < argv.length
    if (!isSamples) return SYNTAX_ERROR
    const samples = parseInteger(argv[at + 1])
    if (samples === undefined) return NOT_AN_INTEGER
    if (samples < 0) return SYNTAX_ERROR
  }
  const key = arg(argv, 2)
  const value = context.db.value(key)
  return value === undefined ? NULL : integer(key.length + valueBytes(value))
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

/** Time inside a command is not measured: the machine has no clock of its own. */
const latency = container('latency', [
  command('doctor', 2, 'admin noscript loading stale', [], nothingToReport),
  command('graph', 3, 'admin noscript loading stale', [], (_, argv) =>
    error(`ERR No samples available for event '${cString(arg(argv, 2))}'`),
  ),
  command('help', 2, 'loading stale', [], () =>
    helpReply('LATENCY', ['LATEST', '    Always empty.', 'RESET', '    Always 0.']),
  ),
  command('histogram', -2, 'admin noscript loading stale', [], noMap),
  command('history', 3, 'admin noscript loading stale', [], none),
  command('latest', 2, 'admin noscript loading stale', [], none),
  command('reset', -2, 'admin noscript loading stale', [], zero),
])

const memory = container('memory', [
  command('doctor', 2, '', [], nothingToReport),
  command('help', 2, 'loading stale', [], () =>
    helpReply('MEMORY', ['USAGE <key> [SAMPLES <n>]', '    Bytes of a key and its value.']),
  ),
  command('malloc-stats', 2, '', [], () => bulk('Not available.')),
  command('purge', 2, '', [], ok),
  command('stats', 2, '', [], noMap),
  command('usage', -3, 'readonly', ['2 RO'], memoryUsage),
])

const slowlog = container('slowlog', [
  command('get', -2, 'admin loading stale', [], slowest),
  command('help', 2, 'loading stale', [], () =>
    helpReply('SLOWLOG', ['GET [<count>]', '    Always empty.', 'LEN', '    Always 0.']),
  ),
  command('len', 2, 'admin loading stale', [], zero),
  command('reset', 2, 'admin loading stale', [], ok),
])

export const adminFamily: Family = {
  group: 'server',
  category: undefined,
  commands: [
    command('info', -1, 'loading stale', [], info),
    command('time', 1, 'loading stale fast', [], time),
    command('debug', -2, 'admin noscript loading stale', [], debug),
    latency,
    memory,
    slowlog,
  ],
}
