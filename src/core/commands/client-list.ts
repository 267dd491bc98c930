/** How a connection is shown in CLIENT LIST and INFO, and the types it can be selected by. */
import type { Client } from '../client.ts'
import type { Turn } from '../state.ts'
import { subscriptionsOf } from '../subscriptions.ts'
import { isBroken, redirectOf } from './client-tracking.ts'

export type ClientType = 'normal' | 'master' | 'replica' | 'pubsub'

const CLIENT_TYPES: ReadonlyMap<string, ClientType> = new Map([
  ['normal', 'normal'],
  ['master', 'master'],
  ['replica', 'replica'],
  ['slave', 'replica'],
  ['pubsub', 'pubsub'],
])

export function parseClientType(text: string): ClientType | undefined {
  return CLIENT_TYPES.get(text.toLowerCase())
}

/** Nobody replicates from or to a Sentinel, so the other two types are understood but never met. */
export function clientType(client: Client): ClientType {
  return subscriptionsOf(client) > 0 ? 'pubsub' : 'normal'
}

/**
 * One line, ended by a line feed. All fields of Redis 7.2 in its order, because programs pick them by
 * position; those about sockets and buffers, which this machine does not have, are -1 and 0.
 */
export function clientLine(turn: Turn, client: Client): string {
  const fields: readonly (readonly [string, string | number])[] = [
    ['id', client.id],
    ['addr', client.address],
    ['laddr', client.localAddress],
    ['fd', -1],
    ['name', client.name],
    ['age', secondsSince(turn, client.openedAtMs)],
    ['idle', secondsSince(turn, client.lastActiveAtMs)],
    ['flags', flagsOf(turn, client)],
    ['db', 0],
    ['sub', client.channels.size],
    ['psub', client.patterns.size],
    ['ssub', 0],
    ['multi', -1],
    ['qbuf', client.decoder.pendingBytes],
    ...WITHOUT_MEANING.map((name) => [name, 0] as const),
    ['events', 'r'],
    ['cmd', client.lastCommand],
    ['user', client.account.name],
    ['redir', redirectOf(client)],
    ['resp', client.protocol],
    ['lib-name', client.libraryName],
    ['lib-ver', client.libraryVersion],
  ]
  return `${fields.map(([name, value]) => `${name}=${value}`).join(' ')}\n`
}

/** Letters for what is out of the ordinary, or N. */
function flagsOf(turn: Turn, client: Client): string {
  const { tracking } = client
  const flags: readonly (readonly [string, boolean])[] = [
    ['P', clientType(client) === 'pubsub'],
    ['t', tracking !== undefined],
    ['R', tracking !== undefined && isBroken(turn, tracking.redirect)],
    ['B', tracking?.mode === 'bcast'],
    ['e', client.isSpared],
  ]
  const letters = flags.filter(([, isSet]) => isSet).map(([letter]) => letter)
  return letters.join('') || 'N'
}

const WITHOUT_MEANING = [
  'qbuf-free',
  'argv-mem',
  'multi-mem',
  'rbs',
  'rbp',
  'obl',
  'oll',
  'omem',
  'tot-mem',
] as const

function secondsSince(turn: Turn, thenMs: number): number {
  return Math.floor((turn.now.monoMs - thenMs) / 1000)
}
