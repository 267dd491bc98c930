/** PING, AUTH, HELLO and the other commands that are about the connection itself. */
import { cString } from '../../../base/c-string.ts'
import { bulk, error, OK, type Reply, simple } from '../../../resp/reply.ts'
import * as handshake from '../../../session/handshake.ts'
import { isInt32, parseInteger } from '../../arguments/numbers.ts'
import { arg, command, type Family } from '../../catalogue/command.ts'
import { allBut, ON_ALL_SHARDS } from '../../catalogue/command-traits.ts'
import type { CommandContext } from '../../context.ts'
import { DB_OUT_OF_RANGE, NOT_AN_INT32, NOT_AN_INTEGER } from '../../errors.ts'
import { clientLine } from '../../sessions/client-line.ts'
import { REDIS_VERSION } from '../../version.ts'
import { clusterOnly } from './cluster.ts'

function ping({ session }: CommandContext, argv: readonly string[]): Reply {
  return handshake.ping(argv, session.isSubscribed && session.protocol === 2)
}

function echo(_: CommandContext, argv: readonly string[]): Reply {
  return bulk(arg(argv, 1))
}

function auth(context: CommandContext, argv: readonly string[]): Reply {
  return handshake.auth(context.session, argv, loginContext(context))
}

function hello(context: CommandContext, argv: readonly string[]): Reply {
  const role = context.node.replication.isReplica() ? 'replica' : 'master'
  const zone = context.node.settings.text('availability-zone')
  const facts = { version: REDIS_VERSION, mode: 'standalone', role, zone } as const
  return handshake.hello(context.session, argv, loginContext(context), facts, cString)
}

function loginContext({ node, session, now }: CommandContext): handshake.LoginContext {
  const { users, log } = node.access
  const context = session.transaction === undefined ? 'toplevel' : 'multi'
  return {
    users,
    log,
    context,
    clientInfo: clientLine(node, session, now.monoMs),
    nowMs: now.monoMs,
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

/** Puts the connection back into the state in which it was accepted. */
function reset({ node, session }: CommandContext): Reply {
  if (session.kind === 'replica' || session.kind === 'master') {
    return error('ERR can only reset normal connections')
  }
  session.endTransaction()
  node.tracking.stop(session)
  node.monitors.remove(session)
  node.pubsub.unsubscribeAll(session)
  session.protocol = 2
  session.db = 0
  session.name = ''
  // As in Redis, a skipped reply is this one's: a client that pipelines SKIP and RESET waits for none.
  if (session.replyMode !== 'skip') session.replyMode = 'on'
  session.noEvict = false
  session.noTouch = false
  session.takesRedirects = false
  session.readsReplica = false
  session.account = node.access.users.default
  session.isAuthenticated = !node.access.users.requiresAuth
  return simple('RESET')
}

/** READONLY and READWRITE: only for a server in cluster mode, or a client that takes redirects. */
function readsReplica(isOn: boolean) {
  return ({ session }: CommandContext): Reply => {
    if (!session.takesRedirects) return clusterOnly()
    session.readsReplica = isOn
    return OK
  }
}

/** Behind AUTH. */
function credentialsOfHello(argv: readonly string[]): number[] {
  const at = argv.findIndex((word) => word.toLowerCase() === 'auth')
  return at < 0 ? [] : [at + 1, at + 2]
}

const ANY_STATE = 'noscript loading stale fast'

export const connectionFamily: Family = {
  group: 'connection',
  category: '@connection',
  commands: [
    command('ping', -1, 'fast subscribed needs_disk', [], ping, ON_ALL_SHARDS),
    command('echo', 2, 'loading stale fast', [], echo),
    command('auth', -2, `${ANY_STATE} no_auth allow_busy`, [], auth, { secrets: allBut(1) }),
    command('hello', -1, `${ANY_STATE} no_auth allow_busy`, [], hello, {
      secrets: credentialsOfHello,
    }),
    command('select', 2, 'loading stale fast frame', [], select),
    command('quit', -1, `${ANY_STATE} no_auth allow_busy not_queued subscribed`, [], quit),
    command('reset', 1, `${ANY_STATE} no_auth allow_busy not_queued subscribed`, [], reset),
    command('asking', 1, 'fast', [], clusterOnly, { group: 'cluster' }),
    command('readonly', 1, 'loading stale fast', [], readsReplica(true), { group: 'cluster' }),
    command('readwrite', 1, 'loading stale fast', [], readsReplica(false), { group: 'cluster' }),
  ],
}
