/** SENTINEL MONITOR: a new group, checked in C Sentinel's order so that the same mistake gets the same text. */
import { canonicalIp } from '../../base/ip.ts'
import { error, OK, type Reply } from '../../resp/reply.ts'
import type { Client } from '../client.ts'
import { DEFAULT_GROUP, type GroupConfig } from '../config.ts'
import { addGroup } from '../groups.ts'
import { save } from '../save.ts'
import type { Turn } from '../state.ts'
import { parseInteger, refuseControlCharacters } from './sentinel-arguments.ts'
import { sentinelCommand } from './sentinel-command.ts'

function monitor(turn: Turn, _client: Client, argv: readonly string[]): Reply {
  const config = parseGroup(argv)
  if ('kind' in config) return config
  if (turn.state.groups.has(config.name)) return error('ERR Duplicate master name.')
  addGroup(turn, config, undefined)
  save(turn)
  return OK
}

function parseGroup(argv: readonly string[]): GroupConfig | Reply {
  const refusal = refuseControlCharacters(argv, 'SENTINEL MONITOR')
  if (refusal !== undefined) return refusal
  const [, , name = '', hostText = '', portText = '', quorumText = ''] = argv
  const quorum = parseInteger(quorumText)
  const port = parseInteger(portText)
  if (quorum === undefined) return error('ERR Invalid quorum')
  if (port === undefined) return error('ERR Invalid port')
  if (quorum < 1) return error('ERR Quorum must be 1 or greater.')
  const host = canonicalIp(hostText)
  if (host === undefined) return error('ERR Invalid IP address or hostname specified')
  // C Sentinel takes port 0, a master that can never be reached. It is a mistake, so we say so.
  if (port < 1 || port > 65_535) return error('ERR Invalid port number.')
  if (!isGroupName(name)) return error('ERR Invalid master name: blanks and commas are not allowed')
  return { ...DEFAULT_GROUP, name, host, port, quorum }
}

/** Hellos separate their tokens by commas, events and configuration files by blanks. */
function isGroupName(name: string): boolean {
  return /^[^\s,]+$/.test(name)
}

export const MONITOR = sentinelCommand(
  {
    name: 'monitor',
    arity: 6,
    usage: '<name> <ip> <port> <quorum>',
    summary: 'Watch a master under this name.',
  },
  monitor,
)
