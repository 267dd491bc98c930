/** MONITOR, SLOWLOG, COMMANDLOG and LATENCY: what the node does, and how long that takes. */
import { cString } from '../../../base/c-string.ts'
import { array, bulk, error, integer, OK, type Reply } from '../../../resp/reply.ts'
import { replyMap } from '../../../session/commands.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg, command, container, type Family, helpReply } from '../../catalogue/command.ts'
import type { CommandInfo } from '../../catalogue/command-info.ts'
import { type CommandTraits, ON_ALL_NODES, REPORT_OF_NODE } from '../../catalogue/command-traits.ts'
import type { CommandContext } from '../../context.ts'
import { BAD_SLOWLOG_COUNT, unknownSubcommandOrArity } from '../../errors.ts'
import { latencyAdvice, latencyGraph } from '../../watching/latency-text.ts'

const NO_MONITOR_INSIDE = error("ERR MONITOR isn't allowed for DENY BLOCKING client")

/** A client inside EXEC would be told of the rest of its own transaction. */
function monitor({ node, session }: CommandContext): Reply | undefined {
  return session.mayBlock ? node.monitors.add(session) : NO_MONITOR_INSIDE
}

// SLOWLOG

const DEFAULT_SHOWN = 10

function slowest({ node }: CommandContext, argv: readonly string[]): Reply {
  if (argv.length > 3) return unknownSubcommandOrArity('slowlog', argv[1])
  const count = argv.length === 3 ? parseInteger(argv[2]) : DEFAULT_SHOWN
  if (count === undefined || count < -1) return BAD_SLOWLOG_COUNT
  return node.commandLogs.slow.reply(count)
}

function slowLength({ node }: CommandContext): Reply {
  return integer(node.commandLogs.slow.length)
}

function clearSlowLog({ node }: CommandContext): Reply {
  node.commandLogs.slow.clear()
  return OK
}

function slowLogHelp(): Reply {
  return helpReply('SLOWLOG', [
    'GET [<count>]',
    '    The last slow commands: 10 of them, or <count>; -1 for all. Each with its id, when',
    '    it came, how many microseconds it took, its words, its client and the name of that.',
    'LEN',
    '    How many are kept.',
    'RESET',
    '    Forget them.',
  ])
}

// COMMANDLOG

const BAD_KIND = error('ERR type should be one of the following: slow, large-request, large-reply')

function logged({ node }: CommandContext, argv: readonly string[]): Reply {
  const count = parseInteger(argv[2])
  if (count === undefined || count < -1) return BAD_SLOWLOG_COUNT
  return node.commandLogs.ofKind(arg(argv, 3))?.reply(count) ?? BAD_KIND
}

function loggedLength({ node }: CommandContext, argv: readonly string[]): Reply {
  const log = node.commandLogs.ofKind(arg(argv, 2))
  return log === undefined ? BAD_KIND : integer(log.length)
}

function clearLog({ node }: CommandContext, argv: readonly string[]): Reply {
  const log = node.commandLogs.ofKind(arg(argv, 2))
  if (log === undefined) return BAD_KIND
  log.clear()
  return OK
}

function commandLogHelp(): Reply {
  return helpReply('COMMANDLOG', [
    'GET <count> <slow | large-request | large-reply>',
    '    The last <count> commands that took long, came as a large request or had a large reply;',
    '    -1 for all. Each with its id, when it came, the microseconds it took or the bytes it',
    '    had, its words, its client and the name of that.',
    'LEN <slow | large-request | large-reply>',
    '    How many are kept.',
    'RESET <slow | large-request | large-reply>',
    '    Forget them.',
  ])
}

// LATENCY

function latest({ node }: CommandContext): Reply {
  const rows = [...node.times.latency.series].map(([event, { samples, maxMs }]) => {
    const { atSeconds = 0, ms = 0 } = samples.at(-1) ?? {}
    return array([bulk(event), integer(atSeconds), integer(ms), integer(maxMs)])
  })
  return array(rows)
}

function history({ node }: CommandContext, argv: readonly string[]): Reply {
  const { samples = [] } = node.times.latency.series.get(arg(argv, 2)) ?? {}
  return array(samples.map(({ atSeconds, ms }) => array([integer(atSeconds), integer(ms)])))
}

function reset({ node }: CommandContext, argv: readonly string[]): Reply {
  return integer(node.times.latency.reset(argv.slice(2)))
}

function graph({ node, now }: CommandContext, argv: readonly string[]): Reply {
  const event = arg(argv, 2)
  const series = node.times.latency.series.get(event)
  if (series === undefined) return error(`ERR No samples available for event '${cString(event)}'`)
  return text(latencyGraph(event, series, Math.floor(now.wallMs / 1000)))
}

function doctor({ node }: CommandContext): Reply {
  const threshold = node.settings.int('latency-monitor-threshold')
  return text(latencyAdvice(node.times.latency.series, threshold))
}

function text(lines: string): Reply {
  return { kind: 'verbatim', format: 'txt', text: lines }
}

/** Of all commands, or of those that are named; a container stands for its subcommands. */
function histogram({ node }: CommandContext, argv: readonly string[]): Reply {
  const named = argv.slice(2).flatMap((name) => node.table.findByName(name.toLowerCase()) ?? [])
  const chosen = argv.length === 2 ? [...node.table.everyCommand()] : named.flatMap(withInner)
  return replyMap(
    chosen.flatMap((each) => {
      const counts = countsOf(each)
      return counts === undefined ? [] : [[each.fullName, counts] as const]
    }),
  )
}

function withInner(one: CommandInfo): readonly CommandInfo[] {
  return one.subcommands === undefined ? [one] : [...one.subcommands.values()]
}

function countsOf({ latency }: CommandInfo): Reply | undefined {
  if (latency === undefined) return undefined
  const rows = latency
    .cumulative()
    .map(([micros, count]) => [integer(micros), integer(count)] as const)
  return replyMap([
    ['calls', integer(latency.total)],
    ['histogram_usec', { kind: 'map', entries: rows }],
  ])
}

function latencyHelp(): Reply {
  return helpReply('LATENCY', [
    'DOCTOR',
    '    What took long, in words.',
    'GRAPH <event>',
    '    The samples of an event as a picture.',
    'HISTOGRAM [<command> ...]',
    '    How many calls took at most so many microseconds.',
    'HISTORY <event>',
    '    When an event took long, and how many milliseconds.',
    'LATEST',
    '    The last sample of each event, and the longest.',
    'RESET [<event> ...]',
    '    Forget the samples.',
  ])
}

const ADMIN = 'admin noscript loading stale'
const HELP = 'loading stale'
const LOG_OF_NODE: CommandTraits = { tips: ['request_policy:all_nodes', 'nondeterministic_output'] }
const LENGTH_OF_LOG: CommandTraits = {
  tips: ['request_policy:all_nodes', 'response_policy:agg_sum', 'nondeterministic_output'],
}

export const watchingFamily: Family = {
  group: 'server',
  category: undefined,
  commands: [
    command('monitor', 1, ADMIN, [], monitor),
    container('slowlog', [
      command('get', -2, 'admin loading stale', [], slowest, LOG_OF_NODE),
      command('help', 2, HELP, [], slowLogHelp),
      command('len', 2, 'admin loading stale', [], slowLength, LENGTH_OF_LOG),
      command('reset', 2, 'admin loading stale', [], clearSlowLog, ON_ALL_NODES),
    ]),
    container('commandlog', [
      command('get', 4, 'admin loading stale', [], logged, LOG_OF_NODE),
      command('help', 2, HELP, [], commandLogHelp),
      command('len', 3, 'admin loading stale', [], loggedLength, LENGTH_OF_LOG),
      command('reset', 3, 'admin loading stale', [], clearLog, ON_ALL_NODES),
    ]),
    container('latency', [
      command('doctor', 2, ADMIN, [], doctor, REPORT_OF_NODE),
      command('graph', 3, ADMIN, [], graph, REPORT_OF_NODE),
      command('help', 2, HELP, [], latencyHelp),
      command('histogram', -2, ADMIN, [], histogram, REPORT_OF_NODE),
      command('history', 3, ADMIN, [], history, REPORT_OF_NODE),
      command('latest', 2, ADMIN, [], latest, REPORT_OF_NODE),
      command('reset', -2, ADMIN, [], reset, ON_ALL_NODES),
    ]),
  ],
}
