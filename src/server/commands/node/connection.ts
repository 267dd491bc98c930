/** PING, AUTH, HELLO and the other commands that are about the connection itself. */
import { login } from '../../../acl/login.ts'
import { DEFAULT_USER } from '../../../acl/users.ts'
import { bulk, error, integer, OK, type Reply, simple } from '../../../resp/reply.ts'
import { note } from '../../access/permission.ts'
import { isInt32, parseInteger } from '../../arguments/numbers.ts'
import { arg, command, type Family } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import {
  BAD_CLIENT_NAME,
  BAD_PROTOCOL_VERSION,
  badHelloOption,
  DB_OUT_OF_RANGE,
  HELLO_NEEDS_AUTH,
  NO_PASSWORD_SET,
  NO_PROTO,
  NOT_AN_INT32,
  NOT_AN_INTEGER,
  SYNTAX_ERROR,
  WRONG_PASS,
  wrongArity,
} from '../../errors.ts'
import { REDIS_VERSION } from '../../version.ts'
import { isClientName } from './client-words.ts'

const PONG = simple('PONG')

function ping({ session }: CommandContext, argv: readonly string[]): Reply {
  if (argv.length > 2) return wrongArity('ping')
  if (session.isSubscribed && session.protocol === 2) {
    return { kind: 'array', items: [bulk('pong'), bulk(argv[1] ?? '')] }
  }
  return argv.length === 1 ? PONG : bulk(arg(argv, 1))
}

function echo(_: CommandContext, argv: readonly string[]): Reply {
  return bulk(arg(argv, 1))
}

function auth(context: CommandContext, argv: readonly string[]): Reply {
  if (argv.length > 3) return SYNTAX_ERROR
  const { users } = context.node.access
  if (argv.length === 2 && users.default.user.hasNoPassword) return NO_PASSWORD_SET
  const user = argv.length === 2 ? DEFAULT_USER : arg(argv, 1)
  return authenticate(context, user, arg(argv, argv.length - 1), argv) ? OK : WRONG_PASS
}

/** A refusal leaves the connection as it was, and an entry in ACL LOG. */
function authenticate(
  { node, session }: CommandContext,
  user: string,
  password: string,
  argv: readonly string[],
): boolean {
  const account = login(node.access.users, user, password)
  if (account === undefined) {
    const context = session.transaction === undefined ? 'toplevel' : 'multi'
    note(node, session, { reason: 'auth', context, object: arg(argv, 0), username: user })
    return false
  }
  session.account = account
  session.isAuthenticated = true
  return true
}

function hello(context: CommandContext, argv: readonly string[]): Reply {
  const { session } = context
  const version = argv.length > 1 ? parseInteger(argv[1]) : session.protocol
  if (version === undefined) return BAD_PROTOCOL_VERSION
  if (version !== 2 && version !== 3) return NO_PROTO
  const options = parseHelloOptions(argv)
  if ('kind' in options) return options
  const { credentials, name } = options
  if (credentials !== undefined && !authenticate(context, ...credentials, argv)) return WRONG_PASS
  if (!session.isAuthenticated) return HELLO_NEEDS_AUTH
  if (name !== undefined) session.name = name
  session.protocol = version
  return serverFacts(context)
}

interface HelloOptions {
  readonly credentials: readonly [user: string, password: string] | undefined
  readonly name: string | undefined
}

function parseHelloOptions(argv: readonly string[]): HelloOptions | Reply {
  let credentials: readonly [string, string] | undefined
  let name: string | undefined
  for (let at = 2; at < argv.length; at++) {
    const option = argv[at]?.toUpperCase()
    const left = argv.length - 1 - at
    if (option === 'AUTH' && left >= 2) {
      credentials = [arg(argv, at + 1), arg(argv, at + 2)]
      at += 2
    } else if (option === 'SETNAME' && left >= 1) {
      name = arg(argv, at + 1)
      if (!isClientName(name)) return BAD_CLIENT_NAME
      at++
    } else {
      return badHelloOption(argv[at])
    }
  }
  return { credentials, name }
}

function serverFacts({ node, session }: CommandContext): Reply {
  return {
    kind: 'map',
    entries: [
      [bulk('server'), bulk('redis')],
      [bulk('version'), bulk(REDIS_VERSION)],
      [bulk('proto'), integer(session.protocol)],
      [bulk('id'), integer(session.id)],
      [bulk('mode'), bulk('standalone')],
      [bulk('role'), bulk(node.replication.isReplica() ? 'replica' : 'master')],
      [bulk('modules'), { kind: 'array', items: [] }],
    ],
  }
}

function select({ node, session }: CommandContext, argv: readonly string[]): Reply {
  const index = parseInteger(argv[1])
  if (index === undefined) return NOT_AN_INTEGER
  if (!isInt32(index)) return NOT_AN_INT32
  if (index < 0 || index >= node.keyspace.dbs.length) return DB_OUT_OF_RANGE
  session.db = index
  return OK
}

function quit({ node, session }: CommandContext): Reply {
  node.sessions.closeAfterReply(session)
  return OK
}

/** The connection becomes as it was when it was accepted. */
function reset({ node, session }: CommandContext): Reply {
  if (session.kind === 'replica' || session.kind === 'master') {
    return error('ERR can only reset normal connections')
  }
  session.endTransaction()
  node.pubsub.unsubscribeAll(session)
  session.protocol = 2
  session.db = 0
  session.name = ''
  session.replyMode = 'on'
  session.noEvict = false
  session.noTouch = false
  session.account = node.access.users.default
  session.isAuthenticated = !node.access.users.requiresAuth
  return simple('RESET')
}

/** Only a cluster knows these. */
function clusterOnly(): Reply {
  return error('ERR This instance has cluster support disabled')
}

const ANY_STATE = 'noscript loading stale fast'

export const connectionFamily: Family = {
  group: 'connection',
  category: '@connection',
  commands: [
    command('ping', -1, 'fast', [], ping),
    command('echo', 2, 'loading stale fast', [], echo),
    command('auth', -2, `${ANY_STATE} no_auth allow_busy`, [], auth),
    command('hello', -1, `${ANY_STATE} no_auth allow_busy`, [], hello),
    command('select', 2, 'loading stale fast', [], select),
    command('quit', -1, `${ANY_STATE} no_auth allow_busy`, [], quit),
    command('reset', 1, `${ANY_STATE} no_auth allow_busy`, [], reset),
    command('asking', 1, 'fast', [], clusterOnly),
    command('readonly', 1, 'loading stale fast', [], clusterOnly),
    command('readwrite', 1, 'loading stale fast', [], clusterOnly),
  ],
}
