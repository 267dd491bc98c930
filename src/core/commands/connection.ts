/** PING and QUIT: is somebody there, and good-bye. */
import { array, bulk, OK, type Reply, simple } from '../../resp/reply.ts'
import type { Client } from '../client.ts'
import type { Turn } from '../state.ts'
import { isListenerOnly } from '../subscriptions.ts'
import { command } from './command.ts'
import { wrongArity } from './errors.ts'

function ping(_turn: Turn, client: Client, argv: readonly string[]): Reply {
  const [, message, ...rest] = argv
  if (rest.length > 0) return wrongArity('ping')
  if (isListenerOnly(client)) return array([bulk('pong'), bulk(message ?? '')])
  return message === undefined ? simple('PONG') : bulk(message)
}

/** C Sentinel does not know QUIT and leaves the connection open; clients that send it want it closed. */
function quit(_turn: Turn, client: Client): Reply {
  client.isLeaving = true
  return OK
}

export const CONNECTION_COMMANDS = [
  command(
    {
      name: 'ping',
      arity: -1,
      group: 'connection',
      since: '1.0.0',
      flags: ['fast'],
      tips: ['request_policy:all_shards', 'response_policy:all_succeeded'],
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
      flags: ['noscript', 'loading', 'stale', 'fast', 'no_auth', 'allow_busy'],
      usage: '',
      summary: 'Close the connection.',
    },
    quit,
  ),
]
