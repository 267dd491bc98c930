/**
 * SENTINEL MONITOR: a new group. The checks come in C Sentinel's order, so that the same mistake
 * gets the same text.
 */
import { canonicalIp } from '../../base/ip.ts'
import { utf8Text } from '../../base/utf8.ts'
import { error, OK, type Reply } from '../../resp/reply.ts'
import type { Client } from '../clients/client.ts'
import {
  DEFAULT_GROUP,
  type GroupConfig,
  MANY_GROUPS_HINT,
  MAX_GROUPS,
  TOO_MANY_GROUPS,
} from '../config.ts'
import { consult } from '../external-queries.ts'
import { addGroup } from '../groups.ts'
import { learnAddress, usableHost } from '../names/names.ts'
import { save } from '../persistence/save.ts'
import type { Turn } from '../state.ts'
import { parseInteger, refuseControlCharacters } from './sentinel-arguments.ts'
import { sentinelCommand } from './sentinel-command.ts'

/** Undefined: the host is a name that is still being resolved. C Sentinel blocks meanwhile. */
function monitor(turn: Turn, client: Client, argv: readonly string[]): Reply | undefined {
  const [, , name = '', hostText = '', portText = '', quorumText = ''] = argv
  const quorum = parseInteger(quorumText)
  const port = parseInteger(portText)
  const refusal = refuseNumbers(argv, port, quorum)
  if (refusal !== undefined || quorum === undefined || port === undefined) return refusal
  const host = reachableHost(turn, client, hostText)
  if (host === undefined) return client.isWaiting ? undefined : INVALID_HOST
  return add(turn, { ...newGroup(turn), name, host, port, quorum })
}

function refuseNumbers(
  argv: readonly string[],
  port: number | undefined,
  quorum: number | undefined,
): Reply | undefined {
  const refusal = refuseControlCharacters(argv, 'SENTINEL MONITOR')
  if (refusal !== undefined) return refusal
  if (quorum === undefined) return error('ERR Invalid quorum')
  if (port === undefined) return error('ERR Invalid port')
  return quorum < 1 ? error('ERR Quorum must be 1 or greater.') : undefined
}

/**
 * An operator who names a host that does not exist gets an error. A file may name one, because it
 * may be read before DNS is up.
 */
function reachableHost(turn: Turn, client: Client, text: string): string | undefined {
  const host = usableHost(turn.state, text)
  if (host === undefined || canonicalIp(host) !== undefined) return host
  const answer = consult(turn, client, { kind: 'resolve', host })
  if (answer?.kind !== 'resolve') return undefined
  learnAddress(turn, host, answer.address)
  return host
}

function add(turn: Turn, config: GroupConfig): Reply {
  const { name, port } = config
  // C Sentinel accepts port 0, a master that can never be reached. It is a mistake, so we refuse
  // it.
  if (port < 1 || port > 65_535) return error('ERR Invalid port number.')
  if (!isGroupName(name)) return error('ERR Invalid master name: blanks and commas are not allowed')
  if (turn.state.groups.has(name)) return error('ERR Duplicate master name.')
  if (turn.state.groups.size >= MAX_GROUPS) return TOO_MANY
  addGroup(turn, config, undefined)
  save(turn)
  return OK
}

/** With the present defaults, which SENTINEL DEBUG can change. */
function newGroup(turn: Turn) {
  const { defaultDetection, periods } = turn.state.config
  const { defaultDownAfterMs, defaultFailoverTimeoutMs } = periods
  return {
    ...DEFAULT_GROUP,
    detection: defaultDetection,
    downAfterMs: defaultDownAfterMs,
    failoverTimeoutMs: defaultFailoverTimeoutMs,
  }
}

/**
 * Hellos separate their tokens by commas, events and configuration files by blanks. Looked for in the text: of the
 * UTF-8 of `à`, the second byte would be a blank by itself.
 */
function isGroupName(name: string): boolean {
  return /^[^\s,]+$/.test(utf8Text(name))
}

const TOO_MANY = error(`ERR ${TOO_MANY_GROUPS}: ${MANY_GROUPS_HINT}`)
const INVALID_HOST = error('ERR Invalid IP address or hostname specified')

export const MONITOR = sentinelCommand(
  {
    name: 'monitor',
    arity: 6,
    usage: '<name> <ip> <port> <quorum>',
    summary: 'Watch a master under this name.',
  },
  monitor,
)
