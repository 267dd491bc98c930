/** INFO, ROLE and SHUTDOWN: what this process is, and how to end it. */
import { array, bulk, bulks, error, type Reply } from '../../resp/reply.ts'
import type { Client } from '../clients/client.ts'
import { infoText } from '../report/server-info.ts'
import type { Turn } from '../state.ts'
import { emit, log } from '../turn.ts'
import { command } from './command.ts'
import { SYNTAX_ERROR } from './errors.ts'

/** A plain bulk string in RESP3 too; a data node would send a verbatim string. */
function info(turn: Turn, _client: Client, [, ...sections]: readonly string[]): Reply {
  return bulk(infoText(turn, sections))
}

function role(turn: Turn): Reply {
  return array([bulk('sentinel'), bulks([...turn.state.groups.keys()])])
}

/**
 * There is no data set, so SAVE and NOSAVE make no difference; our own state is on disk already.
 */
function shutdown(turn: Turn, client: Client, argv: readonly string[]): Reply | undefined {
  const words = argv.slice(1).map((word) => word.toLowerCase())
  if (words.includes('abort')) {
    return words.length > 1 ? SYNTAX_ERROR : error('ERR No shutdown in progress.')
  }
  if (!words.every((word) => SHUTDOWN_WORDS.includes(word))) return SYNTAX_ERROR
  if (words.includes('save') && words.includes('nosave')) return SYNTAX_ERROR
  log(turn, 'warning', `client ${client.address} asked for a shutdown`)
  turn.state.stopping = true
  emit(turn, { kind: 'exit', status: 0 })
  return undefined
}

const SHUTDOWN_WORDS: readonly string[] = ['nosave', 'save', 'now', 'force']

export const SERVER_COMMANDS = [
  command(
    {
      name: 'info',
      arity: -1,
      group: 'server',
      since: '1.0.0',
      flags: ['loading', 'stale'],
      categories: ['dangerous'],
      tips: ['nondeterministic_output', 'request_policy:all_shards', 'response_policy:special'],
      usage: '[<section> ...]',
      summary: 'Describe this Sentinel and the groups it watches.',
    },
    info,
  ),
  command(
    {
      name: 'role',
      arity: 1,
      group: 'server',
      since: '2.8.12',
      flags: ['noscript', 'loading', 'stale', 'fast'],
      categories: ['admin', 'dangerous'],
      usage: '',
      summary: 'Say that this is a Sentinel, and of which groups.',
    },
    role,
  ),
  command(
    {
      name: 'shutdown',
      arity: -1,
      group: 'server',
      since: '1.0.0',
      flags: ['admin', 'noscript', 'loading', 'stale', 'no_multi', 'allow_busy'],
      usage: '[NOSAVE|SAVE] [NOW] [FORCE] [ABORT]',
      summary: 'End this process.',
    },
    shutdown,
  ),
]
