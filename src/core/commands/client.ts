/**
 * CLIENT: connections looked at, named and closed. What needs a data set or a socket of our own
 * (tracking, pausing, eviction) does not exist here.
 */
import { parseInt64 } from '../../base/decimal.ts'
import { bulk, error, integer, NULL, OK, type Reply } from '../../resp/reply.ts'
import type { Client } from '../client.ts'
import type { Turn } from '../state.ts'
import { killClients } from './client-kill.ts'
import { clientLine, clientType, parseClientType } from './client-list.ts'
import { isClientName, NAME_REFUSED } from './client-name.ts'
import { type Command, type CommandFlag, command, container, type Handler } from './command.ts'
import { SYNTAX_ERROR } from './errors.ts'

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

const FLAGS: readonly CommandFlag[] = ['noscript', 'loading', 'stale']
const ADMIN_FLAGS: readonly CommandFlag[] = ['admin', ...FLAGS]

function sub(
  [name, arity, since]: readonly [string, number, string],
  usage: string,
  summary: string,
  run: Handler,
  flags = FLAGS,
): Command {
  const full = `client|${name}`
  return command({ name: full, arity, group: 'connection', since, flags, usage, summary }, run)
}

export const CLIENT_COMMAND = container(
  {
    name: 'client',
    arity: -2,
    group: 'connection',
    since: '2.4.0',
    flags: [],
    usage: '',
    summary: 'Look at, name and close connections.',
  },
  [
    sub(['getname', 2, '2.6.9'], '', 'The name of this connection.', getName),
    sub(['id', 2, '5.0.0'], '', 'The number of this connection.', (_turn, client) =>
      integer(client.id),
    ),
    sub(['info', 2, '6.2.0'], '', 'Describe this connection.', (turn, client) =>
      lines(turn, [client]),
    ),
    sub(
      ['kill', -3, '2.4.0'],
      '<ip:port> | <ID|ADDR|LADDR|TYPE|USER|SKIPME> <value> [...]',
      'Close connections.',
      killClients,
      ADMIN_FLAGS,
    ),
    sub(
      ['list', -2, '2.4.0'],
      '[TYPE <NORMAL|MASTER|REPLICA|PUBSUB> | ID <id> [<id> ...]]',
      'Describe connections.',
      list,
      ADMIN_FLAGS,
    ),
    sub(
      ['reply', 3, '3.2.0'],
      '<ON|OFF|SKIP>',
      'Say whether this connection wants answers.',
      setReplies,
    ),
    sub(['setinfo', 4, '7.2.0'], '<LIB-NAME|LIB-VER> <value>', 'Name the client library.', setInfo),
    sub(['setname', 3, '2.6.9'], '<name>', 'Name this connection.', setName),
  ],
)
