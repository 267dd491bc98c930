/**
 * CLIENT: looks at connections, names them and closes them. Subcommands about keys and memory
 * (tracking, pausing, eviction) are checked and answered as in Redis, and have no effect here.
 */
import { integer, OK, type Reply } from '../../resp/reply.ts'
import { getName, setInfo, setName, setNoEvict, setReplies } from '../../session/client.ts'
import { parsePause, parseUnblock } from '../../session/client-choice.ts'
import { asSent, type ShowWord } from '../../session/errors.ts'
import type { Client } from '../clients/client.ts'
import type { Turn } from '../state.ts'
import { info, kill, list } from './client-list.ts'
import { caching, describeTracking, redirection, track } from './client-tracking.ts'
import {
  type CommandFlag,
  command,
  container,
  type HelpEntry,
  type PortCommand,
  type PortHandler,
} from './command.ts'
import { wrongSubcommandArity } from './errors.ts'

/** For a subcommand that concerns only its own connection and is the same as on a data node. */
function own(
  run: (client: Client, argv: readonly string[], show: ShowWord) => Reply | undefined,
): PortHandler {
  return (_turn, client, argv) => run(client, argv, asSent)
}

/**
 * If a Sentinel paused its clients it would not answer its peers either, and they would hold it for
 * dead: we accept the command and pause no client.
 */
function pause(_turn: Turn, _client: Client, argv: readonly string[]): Reply {
  if (argv.length > 4) return wrongSubcommandArity('CLIENT', argv[1] ?? '')
  const request = parsePause(argv)
  return 'kind' in request ? request : OK
}

/** No command of a Sentinel blocks, so there is never a client to unblock. */
function unblock(_turn: Turn, _client: Client, argv: readonly string[]): Reply {
  if (argv.length > 4) return wrongSubcommandArity('CLIENT', argv[1] ?? '')
  const request = parseUnblock(argv)
  return 'kind' in request ? request : integer(0)
}

const FLAGS: readonly CommandFlag[] = ['noscript', 'loading', 'stale']
const ADMIN_FLAGS: readonly CommandFlag[] = ['admin', ...FLAGS]

type Name = readonly [name: string, arity: number, since: string]

function sub([name, arity, since]: Name, help: string | HelpText, run: PortHandler): PortCommand {
  return subcommand([name, arity, since], help, run, FLAGS)
}

function adminSub(
  [name, arity, since]: Name,
  help: string | HelpText,
  run: PortHandler,
): PortCommand {
  return subcommand([name, arity, since], help, run, ADMIN_FLAGS)
}

/** Usage and explanation; several pairs if the command has several forms. */
type HelpText = readonly (readonly [usage: string, ...explanation: string[]])[]

function subcommand(
  [name, arity, since]: Name,
  text: string | HelpText,
  run: PortHandler,
  flags: readonly CommandFlag[],
): PortCommand {
  const help = helpOf(name.toUpperCase(), text)
  const summary = help[0]?.explanation[0] ?? ''
  const tips = name === 'list' || name === 'info' ? ['nondeterministic_output'] : []
  const full = `client|${name}`
  return command(
    { name: full, arity, group: 'connection', since, flags, usage: '', summary, help, tips },
    run,
  )
}

function helpOf(name: string, text: string | HelpText): readonly HelpEntry[] {
  if (typeof text === 'string') return [{ usage: name, explanation: [text] }]
  return text.map(([usage, ...explanation]) => ({
    usage: `${name} ${usage}`.trimEnd(),
    explanation,
  }))
}

const KILL_HELP: HelpText = [
  ['<ip:port>', 'Close the connection that came from there.'],
  [
    '<option> <value> [<option> <value> [...]]',
    'Close the connections for which all of this holds:',
    '* ID <client-id>',
    '* ADDR <ip:port>, where it came from',
    '* LADDR <ip:port>, where it came to',
    '* TYPE (NORMAL|MASTER|REPLICA|PUBSUB)',
    '* USER <username>',
    '* SKIPME (YES|NO), spare this connection (default: yes)',
  ],
]

const LIST_HELP: HelpText = [
  [
    '[options ...]',
    'Describe connections, all of them or those that are asked for:',
    '* TYPE (NORMAL|MASTER|REPLICA|PUBSUB)',
    '* ID <client-id> [<client-id> ...]',
  ],
]

const TRACKING_HELP: HelpText = [
  [
    '(ON|OFF) [REDIRECT <id>] [BCAST] [PREFIX <prefix> [...]]',
    '     [OPTIN] [OPTOUT] [NOLOOP]',
    'Ask to be told when keys change. A Sentinel has none.',
  ],
]

/** In the order of HELP. */
export const CLIENT_COMMAND = container(
  {
    name: 'client',
    arity: -2,
    group: 'connection',
    since: '2.4.0',
    flags: [],
    categories: [],
    usage: '',
    summary: 'Look at, name and close connections.',
  },
  [
    sub(['caching', 3, '6.0.0'], [['(YES|NO)', 'Whether the next keys are cached.']], caching),
    sub(['getredir', 2, '6.0.0'], 'The connection that is told of changed keys.', redirection),
    sub(['getname', 2, '2.6.9'], 'The name of this connection.', own(getName)),
    sub(['id', 2, '5.0.0'], 'The number of this connection.', (_turn, client) =>
      integer(client.id),
    ),
    sub(['info', 2, '6.2.0'], 'Describe this connection.', info),
    adminSub(['kill', -3, '2.4.0'], KILL_HELP, kill),
    adminSub(['list', -2, '2.4.0'], LIST_HELP, list),
    adminSub(['unpause', 2, '6.2.0'], 'End a pause; a Sentinel never begins one.', () => OK),
    adminSub(
      ['pause', -3, '2.9.50'],
      [['<timeout> [WRITE|ALL]', 'Understood, but a Sentinel does not pause: peers rely on it.']],
      pause,
    ),
    sub(
      ['reply', 3, '3.2.0'],
      [['(ON|OFF|SKIP)', 'Whether this connection wants answers.']],
      own(setReplies),
    ),
    sub(['setname', 3, '2.6.9'], [['<name>', 'Name this connection.']], own(setName)),
    {
      ...sub(
        ['setinfo', 4, '7.2.0'],
        [['<LIB-NAME|LIB-VER> <value>', 'Name the client library.']],
        own(setInfo),
      ),
      isOurs: true,
    },
    adminSub(
      ['unblock', -3, '5.0.0'],
      [['<clientid> [TIMEOUT|ERROR]', 'Wake a connection whose command blocks; none does here.']],
      unblock,
    ),
    sub(['tracking', -3, '6.0.0'], TRACKING_HELP, track),
    sub(['trackinginfo', 2, '6.2.0'], 'What this connection asked to be told.', describeTracking),
    adminSub(
      ['no-evict', 3, '7.0.0'],
      [['(ON|OFF)', 'Keep this connection when memory is short.']],
      own(setNoEvict),
    ),
  ],
)
