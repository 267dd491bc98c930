/**
 * CLIENT: connections looked at, named and closed. What is about keys and memory (tracking, pausing,
 * eviction) is checked and answered as Redis does, and has no effect here.
 */
import { parseInt64 } from '../../base/decimal.ts'
import { bulk, error, integer, NULL, OK, type Reply } from '../../resp/reply.ts'
import type { Client } from '../client.ts'
import type { Turn } from '../state.ts'
import { killClients } from './client-kill.ts'
import { clientLine, clientType, parseClientType } from './client-list.ts'
import { isClientName, NAME_REFUSED } from './client-name.ts'
import { caching, redirection, track, trackingInfo } from './client-tracking.ts'
import {
  type Command,
  type CommandFlag,
  command,
  container,
  type Handler,
  type HelpEntry,
} from './command.ts'
import { NOT_AN_INTEGER, SYNTAX_ERROR, wrongSubcommandArity } from './errors.ts'

function getName(_turn: Turn, client: Client): Reply {
  return client.name === '' ? NULL : bulk(client.name)
}

function setName(_turn: Turn, client: Client, argv: readonly string[]): Reply {
  const [, , name = ''] = argv
  if (!isClientName(name)) return NAME_REFUSED
  client.name = name
  return OK
}

function setInfo(_turn: Turn, client: Client, argv: readonly string[]): Reply {
  const [, , typed = '', value = ''] = argv
  const attribute = typed.toLowerCase()
  if (attribute !== 'lib-name' && attribute !== 'lib-ver') {
    return error(`ERR Unrecognized option '${typed}'`)
  }
  if (!isClientName(value)) {
    return error(`ERR ${attribute} cannot contain spaces, newlines or special characters.`)
  }
  if (attribute === 'lib-name') client.libraryName = value
  else client.libraryVersion = value
  return OK
}

function list(turn: Turn, _client: Client, argv: readonly string[]): Reply {
  const [, , option, ...values] = argv
  const all = [...turn.state.clients.values()]
  if (option === undefined) return lines(turn, all)
  if (option.toLowerCase() === 'type' && values.length === 1) return listType(turn, all, values[0])
  if (option.toLowerCase() === 'id' && values.length > 0) return listIds(turn, values)
  return SYNTAX_ERROR
}

function listType(turn: Turn, all: readonly Client[], typed = ''): Reply {
  const type = parseClientType(typed)
  if (type === undefined) return error(`ERR Unknown client type '${typed}'`)
  return lines(
    turn,
    all.filter((one) => clientType(one) === type),
  )
}

/** In the order they were asked for; ids that are gone are left out. */
function listIds(turn: Turn, values: readonly string[]): Reply {
  const ids = values.map(parseInt64)
  if (ids.includes(undefined)) return error('ERR Invalid client ID')
  const found = ids.map((id) => turn.state.clients.get(Number(id)))
  return lines(
    turn,
    found.filter((one) => one !== undefined),
  )
}

function lines(turn: Turn, clients: readonly Client[]): Reply {
  const text = clients.map((one) => clientLine(turn, one)).join('')
  return { kind: 'verbatim', format: 'txt', text }
}

function setReplies(_turn: Turn, client: Client, argv: readonly string[]): Reply | undefined {
  const [, , mode = ''] = argv
  switch (mode.toLowerCase()) {
    case 'on':
      client.replies = 'on'
      return OK
    case 'off':
      client.replies = 'off'
      return undefined
    case 'skip':
      if (client.replies !== 'off') client.replies = 'skipNext'
      return undefined
    default:
      return SYNTAX_ERROR
  }
}

/**
 * A Sentinel that paused its clients would not answer its peers either, and they would take it for
 * dead: the command is understood, and nobody is paused.
 */
function pause(_turn: Turn, _client: Client, argv: readonly string[]): Reply {
  const [, , timeout = '', mode = 'all', ...rest] = argv
  if (rest.length > 0) return wrongSubcommandArity('CLIENT', argv[1] ?? '')
  if (!/^(all|write)$/i.test(mode)) return error('ERR CLIENT PAUSE mode must be WRITE or ALL')
  const ms = parseInt64(timeout)
  if (ms === undefined) return error('ERR timeout is not an integer or out of range')
  return ms < 0 ? error('ERR timeout is negative') : OK
}

/** No command of a Sentinel blocks, so there is never anybody to unblock. */
function unblock(_turn: Turn, _client: Client, argv: readonly string[]): Reply {
  const [, , id = '', reason = 'timeout', ...rest] = argv
  if (rest.length > 0) return wrongSubcommandArity('CLIENT', argv[1] ?? '')
  if (!/^(timeout|error)$/i.test(reason)) {
    return error('ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR')
  }
  return parseInt64(id) === undefined ? NOT_AN_INTEGER : integer(0)
}

function setSpared(_turn: Turn, client: Client, argv: readonly string[]): Reply {
  const word = argv[2]?.toLowerCase()
  if (word !== 'on' && word !== 'off') return SYNTAX_ERROR
  client.isSpared = word === 'on'
  return OK
}

const FLAGS: readonly CommandFlag[] = ['noscript', 'loading', 'stale']
const ADMIN_FLAGS: readonly CommandFlag[] = ['admin', ...FLAGS]

type Name = readonly [name: string, arity: number, since: string]

function sub([name, arity, since]: Name, help: string | HelpText, run: Handler): Command {
  return subcommand([name, arity, since], help, run, FLAGS)
}

function adminSub([name, arity, since]: Name, help: string | HelpText, run: Handler): Command {
  return subcommand([name, arity, since], help, run, ADMIN_FLAGS)
}

/** Usage and explanation, more than one pair where there are several forms. */
type HelpText = readonly (readonly [usage: string, ...explanation: string[]])[]

function subcommand(
  [name, arity, since]: Name,
  text: string | HelpText,
  run: Handler,
  flags: readonly CommandFlag[],
): Command {
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
    sub(['getname', 2, '2.6.9'], 'The name of this connection.', getName),
    sub(['id', 2, '5.0.0'], 'The number of this connection.', (_turn, client) =>
      integer(client.id),
    ),
    sub(['info', 2, '6.2.0'], 'Describe this connection.', (turn, client) => lines(turn, [client])),
    adminSub(['kill', -3, '2.4.0'], KILL_HELP, killClients),
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
      setReplies,
    ),
    sub(['setname', 3, '2.6.9'], [['<name>', 'Name this connection.']], setName),
    sub(
      ['setinfo', 4, '7.2.0'],
      [['<LIB-NAME|LIB-VER> <value>', 'Name the client library.']],
      setInfo,
    ),
    adminSub(
      ['unblock', -3, '5.0.0'],
      [['<clientid> [TIMEOUT|ERROR]', 'Wake a connection whose command blocks; none does here.']],
      unblock,
    ),
    sub(['tracking', -3, '6.0.0'], TRACKING_HELP, track),
    sub(['trackinginfo', 2, '6.2.0'], 'What this connection asked to be told.', trackingInfo),
    adminSub(
      ['no-evict', 3, '7.0.0'],
      [['(ON|OFF)', 'Keep this connection when memory is short.']],
      setSpared,
    ),
  ],
)
