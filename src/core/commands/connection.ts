/** PING, AUTH, HELLO and QUIT: how a connection begins, is kept, and ends. */
import { OK, type Reply } from '../../resp/reply.ts'
import { asSent } from '../../session/errors.ts'
import * as handshake from '../../session/handshake.ts'
import type { Client } from '../clients/client.ts'
import { isListenerOnly } from '../clients/subscriptions.ts'
import { REDIS_VERSION } from '../report/server-info.ts'
import type { Turn } from '../state.ts'
import { clientLine } from './client-list.ts'
import { command } from './command.ts'

function ping(_turn: Turn, client: Client, argv: readonly string[]): Reply {
  return handshake.ping(argv, isListenerOnly(client))
}

function auth(turn: Turn, client: Client, argv: readonly string[]): Reply {
  return handshake.auth(client, argv, loginContext(turn, client))
}

const FACTS = { version: REDIS_VERSION, mode: 'sentinel', role: undefined } as const

function hello(turn: Turn, client: Client, argv: readonly string[]): Reply {
  return handshake.hello(client, argv, loginContext(turn, client), FACTS, asSent)
}

function loginContext(turn: Turn, client: Client): handshake.LoginContext {
  const { users, log } = turn.state.access
  const nowMs = turn.now.monoMs
  return { users, log, context: 'toplevel', clientInfo: clientLine(turn, client), nowMs }
}

/**
 * C Sentinel does not know QUIT and leaves the connection open; clients that send it want it
 * closed.
 */
function quit(_turn: Turn, client: Client): Reply {
  client.isLeaving = true
  return OK
}

const FLAGS = ['noscript', 'loading', 'stale', 'fast', 'no_auth', 'allow_busy'] as const

export const CONNECTION_COMMANDS = [
  command(
    {
      name: 'ping',
      arity: -1,
      group: 'connection',
      since: '1.0.0',
      flags: ['fast'],
      tips: ['request_policy:all_shards', 'response_policy:all_succeeded'],
      isForListeners: true,
      usage: '[<message>]',
      summary: 'Answer PONG, or the message.',
    },
    ping,
  ),
  command(
    {
      name: 'quit',
      arity: -1,
      group: 'connection',
      since: '1.0.0',
      flags: FLAGS,
      isForListeners: true,
      isOurs: true,
      usage: '',
      summary: 'Close the connection.',
    },
    quit,
  ),
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
