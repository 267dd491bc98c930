/**
 * A client in CLIENT LIST, CLIENT INFO and ACL LOG, and the types by which requests select clients.
 */
import type { SessionClient } from './client.ts'

export type ClientType = 'normal' | 'master' | 'replica' | 'pubsub'

/** Understands the type names of Redis and Valkey; undefined: there is no such type. */
export function parseClientType(word: string): ClientType | undefined {
  switch (word.toLowerCase()) {
    case 'normal':
      return 'normal'
    case 'master':
    case 'primary':
      return 'master'
    case 'replica':
    case 'slave':
      return 'replica'
    case 'pubsub':
      return 'pubsub'
    default:
      return undefined
  }
}

/** A letter for each unusual state, in Redis' order. */
const FLAGS = ['O', 'S', 'M', 'P', 'x', 'b', 't', 'R', 'B', 'd', 'c', 'U', 'e'] as const

/** The letters of the states that hold, or N if none does. */
export function clientFlags(holds: Partial<Record<(typeof FLAGS)[number], boolean>>): string {
  return FLAGS.filter((letter) => holds[letter] === true).join('') || 'N'
}

/** What a line shows besides the fields of a `SessionClient`, each under Redis' name. */
export interface ClientLineExtras {
  /** See `clientFlags`. */
  readonly flags: string
  /** Neither program knows its file descriptors; readers only expect a number. */
  readonly fd: number
  readonly db: number
  readonly ssub: number
  readonly multi: number
  /** Input that is not dealt with yet. */
  readonly qbuf: number
  readonly obl: number
  /** How many blocks of output wait. */
  readonly oll: number
  /** Of a command that waits, and of those that MULTI has queued. */
  readonly argvMem: number
  readonly multiMem: number
  /** Output that the connection has not taken yet. */
  readonly omem: number
  readonly totMem: number
  readonly redir: number
}

/**
 * All fields of Redis 7.2 in its order, because programs pick them by position; fields about
 * buffers that neither program has are 0. `nowMs` is monotonic.
 */
export function lineOf(client: SessionClient, nowMs: number, extras: ClientLineExtras): string {
  const fields: readonly (readonly [name: string, value: string | number])[] = [
    ['id', client.id],
    ['addr', client.address],
    ['laddr', client.localAddress],
    ['fd', extras.fd],
    ['name', client.name],
    ['age', wholeSeconds(nowMs - client.connectedAtMs)],
    ['idle', wholeSeconds(nowMs - client.lastInputAtMs)],
    ['flags', extras.flags],
    ['db', extras.db],
    ['sub', client.channels.size],
    ['psub', client.patterns.size],
    ['ssub', extras.ssub],
    ['multi', extras.multi],
    ['qbuf', extras.qbuf],
    ['qbuf-free', 0],
    ['argv-mem', extras.argvMem],
    ['multi-mem', extras.multiMem],
    ['rbs', 0],
    ['rbp', 0],
    ['obl', extras.obl],
    ['oll', extras.oll],
    ['omem', extras.omem],
    ['tot-mem', extras.totMem],
    ['events', 'r'],
    ['cmd', client.lastCommand],
    ['user', client.account?.name ?? '(superuser)'],
    ['redir', extras.redir],
    ['resp', client.protocol],
    ['lib-name', client.libraryName],
    ['lib-ver', client.libraryVersion],
  ]
  return fields.map(([name, value]) => `${name}=${value}`).join(' ')
}

function wholeSeconds(durationMs: number): number {
  return Math.floor(durationMs / 1000)
}
