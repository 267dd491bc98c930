/**
 * AUTH and HELLO: how a connection begins. It is the user `default`, whose password is [requirepass],
 * until it says otherwise; where he has none, without a word.
 */
import { login } from '../../acl/login.ts'
import { DEFAULT_USER } from '../../acl/users.ts'
import { parseInt64 } from '../../base/decimal.ts'
import { array, bulk, error, integer, OK, type Reply } from '../../resp/reply.ts'
import type { Client } from '../client.ts'
import { REDIS_VERSION } from '../report/server-info.ts'
import type { Turn } from '../state.ts'
import { isClientName, NAME_REFUSED } from './client-name.ts'
import { command } from './command.ts'
import { SYNTAX_ERROR } from './errors.ts'
import { note } from './permission.ts'

const WRONG_PASSWORD = error('WRONGPASS invalid username-password pair or user is disabled.')

const NO_PASSWORD_SET = error(
  'ERR AUTH <password> called without any password configured for the default user. ' +
    'Are you sure your configuration is correct?',
)

const HELLO_UNAUTHENTICATED = error(
  'NOAUTH HELLO must be called with the client already authenticated, otherwise the ' +
    'HELLO AUTH <user> <pass> option can be used to authenticate the client and select the RESP ' +
    'protocol version at the same time',
)

function auth(turn: Turn, client: Client, argv: readonly string[]): Reply {
  const [, first = '', second, ...rest] = argv
  if (rest.length > 0) return SYNTAX_ERROR
  const as = (user: string, password: string) => authenticate(turn, client, user, password, argv)
  if (second !== undefined) return as(first, second) ?? OK
  if (turn.state.access.users.default.user.hasNoPassword) return NO_PASSWORD_SET
  return as(DEFAULT_USER, first) ?? OK
}

/** Undefined: welcome. A refusal leaves the connection as it was. */
function authenticate(
  turn: Turn,
  client: Client,
  user: string,
  password: string,
  [command = '']: readonly string[],
): Reply | undefined {
  const account = login(turn.state.access.users, user, password)
  if (account === undefined) {
    note(turn, client, 'auth', command, user)
    return WRONG_PASSWORD
  }
  client.account = account
  client.isAuthenticated = true
  client.decoder.isAuthenticated = true
  return undefined
}

interface HelloOptions {
  readonly credentials: { readonly user: string; readonly password: string } | undefined
  readonly name: string | undefined
}

/** Nothing is changed unless everything that was asked for can be. */
function hello(turn: Turn, client: Client, argv: readonly string[]): Reply {
  const [, version, ...words] = argv
  const protocol = version === undefined ? client.protocol : parseInt64(version)
  if (protocol === undefined) {
    return error('ERR Protocol version is not an integer or out of range')
  }
  if (protocol !== 2 && protocol !== 3) return error('NOPROTO unsupported protocol version')
  const options = parseHelloOptions(words)
  if ('kind' in options) return options
  const refusal = admit(turn, client, options, argv)
  if (refusal !== undefined) return refusal
  if (options.name !== undefined) client.name = options.name
  client.protocol = protocol
  return greeting(client)
}

function parseHelloOptions(words: readonly string[]): HelloOptions | Reply {
  let options: HelloOptions = { credentials: undefined, name: undefined }
  for (let at = 0; at < words.length; ) {
    const [option = '', first, second] = words.slice(at, at + 3)
    if (option.toLowerCase() === 'auth' && first !== undefined && second !== undefined) {
      options = { ...options, credentials: { user: first, password: second } }
      at += 3
    } else if (option.toLowerCase() === 'setname' && first !== undefined) {
      if (!isClientName(first)) return NAME_REFUSED
      options = { ...options, name: first }
      at += 2
    } else {
      return error(`ERR Syntax error in HELLO option '${option}'`)
    }
  }
  return options
}

function admit(
  turn: Turn,
  client: Client,
  { credentials }: HelloOptions,
  argv: readonly string[],
): Reply | undefined {
  if (credentials === undefined) return client.isAuthenticated ? undefined : HELLO_UNAUTHENTICATED
  return authenticate(turn, client, credentials.user, credentials.password, argv)
}

/** Unlike a data node's, this map has no role. */
function greeting(client: Client): Reply {
  return {
    kind: 'map',
    entries: [
      [bulk('server'), bulk('redis')],
      [bulk('version'), bulk(REDIS_VERSION)],
      [bulk('proto'), integer(client.protocol)],
      [bulk('id'), integer(client.id)],
      [bulk('mode'), bulk('sentinel')],
      [bulk('modules'), array([])],
    ],
  }
}

const FLAGS = ['noscript', 'loading', 'stale', 'fast', 'no_auth', 'allow_busy'] as const

export const HANDSHAKE_COMMANDS = [
  command(
    {
      name: 'auth',
      arity: -2,
      group: 'connection',
      since: '1.0.0',
      flags: FLAGS,
      usage: '[<user>] <password>',
      summary: 'Say who you are, with a password.',
    },
    auth,
  ),
  command(
    {
      name: 'hello',
      arity: -1,
      group: 'connection',
      since: '6.0.0',
      flags: FLAGS,
      usage: '[<version> [AUTH <user> <password>] [SETNAME <name>]]',
      summary: 'Choose the protocol version and introduce yourself.',
    },
    hello,
  ),
]
