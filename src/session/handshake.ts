/**
 * AUTH and HELLO: how a connection begins. A connection belongs to the user `default`, whose
 * password is [requirepass], until it logs in as another; it need not log in if `default` has no
 * password. And PING, which keeps a connection alive.
 */
import type { AclLog } from '../acl/log.ts'
import { login } from '../acl/login.ts'
import { DEFAULT_USER, type Users } from '../acl/users.ts'
import { parseInt64 } from '../base/decimal.ts'
import {
  array,
  bulk,
  error,
  integer,
  OK,
  type Protocol,
  type Reply,
  simple,
} from '../resp/reply.ts'
import { BAD_CLIENT_NAME, isClientName, type SessionClient } from './client.ts'
import {
  HELLO_NEEDS_AUTH,
  NO_PASSWORD_SET,
  type ShowWord,
  SYNTAX_ERROR,
  WRONG_PASS,
  wrongArity,
} from './errors.ts'

/** The users with their passwords, and how ACL LOG notes a refusal. */
export interface LoginContext {
  readonly users: Users
  readonly log: AclLog
  readonly context: 'toplevel' | 'multi'
  /** The client as a line of CLIENT LIST. */
  readonly clientInfo: string
  /** Monotonic. */
  readonly nowMs: number
}

export function auth(client: SessionClient, argv: readonly string[], at: LoginContext): Reply {
  const [, first = '', second, ...rest] = argv
  if (rest.length > 0) return SYNTAX_ERROR
  if (second !== undefined) return authenticate(client, [first, second], argv, at) ?? OK
  if (at.users.default.user.hasNoPassword) return NO_PASSWORD_SET
  return authenticate(client, [DEFAULT_USER, first], argv, at) ?? OK
}

type Credentials = readonly [user: string, password: string]

/**
 * Undefined: the client is logged in. A refusal leaves the connection unchanged, and an entry in
 * ACL LOG.
 */
function authenticate(
  client: SessionClient,
  [username, password]: Credentials,
  [object = '']: readonly string[],
  { users, log, context, clientInfo, nowMs }: LoginContext,
): Reply | undefined {
  const account = login(users, username, password)
  if (account === undefined) {
    log.add({ reason: 'auth', context, object, username, clientInfo }, nowMs)
    return WRONG_PASS
  }
  client.account = account
  client.decoder.isAuthenticated = true
  return undefined
}

/** What HELLO says about the server. */
export interface ServerFacts {
  readonly version: string
  readonly mode: 'standalone' | 'sentinel'
  /** A Sentinel has no role. */
  readonly role: 'master' | 'replica' | undefined
  /** [availability-zone] Told if it is not empty, as Valkey does. */
  readonly zone?: string
}

/** Changes nothing unless everything that was asked for can be changed. */
export function hello(
  client: SessionClient,
  argv: readonly string[],
  at: LoginContext,
  facts: ServerFacts,
  show: ShowWord,
): Reply {
  const protocol = argv[1] === undefined ? client.protocol : parseInt64(argv[1])
  if (protocol === undefined) {
    return error('ERR Protocol version is not an integer or out of range')
  }
  if (protocol !== 2 && protocol !== 3) return error('NOPROTO unsupported protocol version')
  const options = parseHelloOptions(argv, show)
  if ('kind' in options) return options
  const { credentials, name } = options
  if (credentials !== undefined) {
    const refusal = authenticate(client, credentials, argv, at)
    if (refusal !== undefined) return refusal
  }
  if (!client.decoder.isAuthenticated) return HELLO_NEEDS_AUTH
  if (name !== undefined) client.name = name
  client.protocol = protocol
  return greeting(client.id, protocol, facts)
}

interface HelloOptions {
  readonly credentials: Credentials | undefined
  readonly name: string | undefined
}

function parseHelloOptions(argv: readonly string[], show: ShowWord): HelloOptions | Reply {
  let credentials: Credentials | undefined
  let name: string | undefined
  for (let at = 2; at < argv.length; ) {
    const [option = '', first, second] = argv.slice(at, at + 3)
    const word = option.toLowerCase()
    if (word === 'auth' && first !== undefined && second !== undefined) {
      credentials = [first, second]
      at += 3
    } else if (word === 'setname' && first !== undefined) {
      if (!isClientName(first)) return BAD_CLIENT_NAME
      name = first
      at += 2
    } else {
      return error(`ERR Syntax error in HELLO option '${show(option)}'`)
    }
  }
  return { credentials, name }
}

function greeting(id: number, protocol: Protocol, facts: ServerFacts): Reply {
  const { version, mode, role, zone = '' } = facts
  const roleEntry = role === undefined ? [] : [[bulk('role'), bulk(role)] as const]
  const zoneEntry = zone === '' ? [] : [[bulk('availability_zone'), bulk(zone)] as const]
  return {
    kind: 'map',
    entries: [
      [bulk('server'), bulk('redis')],
      [bulk('version'), bulk(version)],
      [bulk('proto'), integer(protocol)],
      [bulk('id'), integer(id)],
      [bulk('mode'), bulk(mode)],
      ...roleEntry,
      [bulk('modules'), array([])],
      ...zoneEntry,
    ],
  }
}

const PONG = simple('PONG')

/** With RESP2 subscriptions a reply would look like an event, so PING is answered as one. */
export function ping(argv: readonly string[], isListener: boolean): Reply {
  const message = argv[1]
  if (argv.length > 2) return wrongArity('ping')
  if (isListener) return array([bulk('pong'), bulk(message ?? '')])
  return message === undefined ? PONG : bulk(message)
}
