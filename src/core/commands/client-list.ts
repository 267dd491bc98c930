/**
 * CLIENT LIST, INFO and KILL: how a connection is shown, and which connections a filter selects.
 */
import type { Reply } from '../../resp/reply.ts'
import {
  killReply,
  type ListChoice,
  parseKill,
  parseList,
  passesFilter,
} from '../../session/client-choice.ts'
import { type ClientType, clientFlags, lineOf } from '../../session/client-line.ts'
import { asSent } from '../../session/errors.ts'
import { subscriptionsOf } from '../../session/subscriptions.ts'
import { redirectOf } from '../../session/tracking.ts'
import type { Client } from '../clients/client.ts'
import { hangUp } from '../clients/client-output.ts'
import type { Turn } from '../state.ts'
import { isBroken } from './client-tracking.ts'

export function list(turn: Turn, _client: Client, argv: readonly string[]): Reply {
  const choice = parseList(argv, asSent)
  return 'kind' in choice ? choice : lines(turn, chosen(turn, choice))
}

function chosen({ state }: Turn, choice: ListChoice): readonly Client[] {
  const { clients } = state
  switch (choice.by) {
    case 'nothing':
      return [...clients.values()]
    case 'type':
      return [...clients.values()].filter((one) => clientType(one) === choice.type)
    case 'id':
      return choice.ids.flatMap((id) => clients.get(id) ?? [])
  }
}

export function info(turn: Turn, client: Client): Reply {
  return lines(turn, [client])
}

function lines(turn: Turn, clients: readonly Client[]): Reply {
  const text = clients.map((one) => `${clientLine(turn, one)}\n`).join('')
  return { kind: 'verbatim', format: 'txt', text }
}

/** A client that kills itself still gets its answer. */
export function kill(turn: Turn, client: Client, argv: readonly string[]): Reply {
  const { clients, access } = turn.state
  const request = parseKill(argv, access.users, asSent)
  if ('kind' in request) return request
  const victims = [...clients.values()].filter(
    (one) =>
      !(request.skipsMe && one === client) &&
      request.filters.every((filter) =>
        passesFilter(filter, one, clientType(one), turn.now.monoMs),
      ),
  )
  for (const victim of victims) {
    if (victim === client) client.isLeaving = true
    else hangUp(turn, victim)
  }
  return killReply(argv, victims.length)
}

/**
 * No process replicates from or to a Sentinel, so filters for the other two types match no client.
 */
function clientType(client: Client): ClientType {
  return subscriptionsOf(client) > 0 ? 'pubsub' : 'normal'
}

/**
 * A connection as CLIENT LIST shows it; a Sentinel has no databases, transactions or long replies.
 */
export function clientLine(turn: Turn, client: Client): string {
  const { tracking } = client
  const flags = clientFlags({
    P: clientType(client) === 'pubsub',
    t: tracking !== undefined,
    R: tracking !== undefined && isBroken(turn, tracking.redirect),
    B: tracking?.mode === 'bcast',
    e: client.noEvict,
  })
  return lineOf(client, turn.now.monoMs, {
    flags,
    fd: -1,
    db: 0,
    ssub: 0,
    multi: -1,
    qbuf: client.decoder.pendingBytes,
    obl: 0,
    oll: 0,
    argvMem: 0,
    multiMem: 0,
    omem: 0,
    totMem: 0,
    redir: redirectOf(client),
  })
}
