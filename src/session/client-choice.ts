/**
 * Which clients CLIENT LIST and CLIENT KILL select, and what CLIENT PAUSE and UNBLOCK ask for: the
 * words of the request, parsed or refused. The program decides what to do about it.
 */
import type { Account, Users } from '../acl/users.ts'
import { parseInt64 } from '../base/decimal.ts'
import { error, integer, OK, type Reply } from '../resp/reply.ts'
import type { SessionClient } from './client.ts'
import { type ClientType, parseClientType } from './client-line.ts'
import {
  NOT_AN_INTEGER,
  type ShowWord,
  SYNTAX_ERROR,
  TIMEOUT_NEGATIVE,
  TIMEOUT_NOT_AN_INTEGER,
} from './errors.ts'

/** Which clients are listed; by `nothing`: all of them. */
export type ListChoice =
  | { readonly by: 'nothing' }
  | { readonly by: 'type'; readonly type: ClientType }
  /** In the order of the request. */
  | { readonly by: 'id'; readonly ids: readonly number[] }

/** CLIENT LIST */
export function parseList(argv: readonly string[], show: ShowWord): ListChoice | Reply {
  const [, , option, ...values] = argv
  if (option === undefined) return { by: 'nothing' }
  const [first = ''] = values
  if (option.toLowerCase() === 'type' && values.length === 1) {
    const type = parseClientType(first)
    return type === undefined ? unknownType(show(first)) : { by: 'type', type }
  }
  if (option.toLowerCase() !== 'id' || values.length === 0) return SYNTAX_ERROR
  const ids = values.map(parseInt64)
  if (ids.includes(undefined)) return error('ERR Invalid client ID')
  return { by: 'id', ids: ids.map(Number) }
}

export type KillFilter =
  | { readonly name: 'id'; readonly id: number }
  | { readonly name: 'addr' | 'laddr'; readonly address: string }
  | { readonly name: 'type'; readonly type: ClientType }
  | { readonly name: 'user'; readonly account: Account }
  /** Connected for at least so long; since Redis 7.4. */
  | { readonly name: 'maxage'; readonly seconds: number }

export interface KillRequest {
  /** One of each kind at most. */
  readonly filters: readonly KillFilter[]
  /** The caller is left alone. */
  readonly skipsMe: boolean
}

/**
 * CLIENT KILL: the old form with an address, which may close the caller, or filters and their
 * values.
 */
export function parseKill(
  argv: readonly string[],
  users: Users,
  show: ShowWord,
): KillRequest | Reply {
  const [, , ...words] = argv
  if (words.length === 1) {
    return { filters: [{ name: 'addr', address: words[0] ?? '' }], skipsMe: false }
  }
  // Of several of one kind the last one counts, as with Redis.
  const filters = new Map<KillFilter['name'], KillFilter>()
  let skipsMe = true
  for (let at = 0; at < words.length; at += 2) {
    const [name = '', value] = words.slice(at, at + 2)
    if (value === undefined) return SYNTAX_ERROR
    if (name.toLowerCase() === 'skipme') {
      if (!/^(yes|no)$/i.test(value)) return SYNTAX_ERROR
      skipsMe = value.toLowerCase() === 'yes'
    } else {
      const filter = parseFilter(name.toLowerCase(), value, users, show)
      if ('kind' in filter) return filter
      filters.set(filter.name, filter)
    }
  }
  return { filters: [...filters.values()], skipsMe }
}

function parseFilter(
  name: string,
  value: string,
  users: Users,
  show: ShowWord,
): KillFilter | Reply {
  switch (name) {
    case 'id': {
      const id = parseInt64(value)
      if (id === undefined || id <= 0) return error('ERR client-id should be greater than 0')
      return { name, id: Number(id) }
    }
    case 'addr':
    case 'laddr':
      return { name, address: value }
    case 'type': {
      const type = parseClientType(value)
      return type === undefined ? unknownType(show(value)) : { name, type }
    }
    case 'user': {
      const account = users.get(value)
      return account === undefined ? error(`ERR No such user '${value}'`) : { name, account }
    }
    case 'maxage': {
      const seconds = parseInt64(value)
      if (seconds === undefined) return error('ERR maxage is not an integer or out of range')
      if (seconds <= 0) return error('ERR maxage should be greater than 0')
      return { name, seconds: Number(seconds) }
    }
    default:
      return SYNTAX_ERROR
  }
}

/** `type` is the client's own type. */
export function passesFilter(
  filter: KillFilter,
  client: SessionClient,
  type: ClientType,
  nowMs: number,
): boolean {
  switch (filter.name) {
    case 'id':
      return client.id === filter.id
    case 'addr':
      return client.address === filter.address
    case 'laddr':
      return client.localAddress === filter.address
    case 'type':
      return type === filter.type
    case 'user':
      return client.account === filter.account
    case 'maxage':
      return nowMs - client.connectedAtMs >= filter.seconds * 1_000
  }
}

/** The answer to CLIENT KILL; in the old form it has no number. */
export function killReply(argv: readonly string[], killed: number): Reply {
  if (argv.length > 3) return integer(killed)
  return killed > 0 ? OK : error('ERR No such client')
}

function unknownType(shown: string): Reply {
  return error(`ERR Unknown client type '${shown}'`)
}

export interface PauseRequest {
  readonly durationMs: number
  readonly scope: 'all' | 'writes'
}

/** CLIENT PAUSE with three words or four. */
export function parsePause(argv: readonly string[]): PauseRequest | Reply {
  const [, , timeout = '', mode = 'all'] = argv
  if (!/^(all|write)$/i.test(mode)) return error('ERR CLIENT PAUSE mode must be WRITE or ALL')
  const durationMs = parseInt64(timeout)
  if (durationMs === undefined) return TIMEOUT_NOT_AN_INTEGER
  if (durationMs < 0) return TIMEOUT_NEGATIVE
  const scope = mode.toLowerCase() === 'all' ? 'all' : 'writes'
  return { durationMs: Number(durationMs), scope }
}

export interface UnblockRequest {
  readonly id: number
  readonly reason: 'timeout' | 'error'
}

/** CLIENT UNBLOCK with three words or four. */
export function parseUnblock(argv: readonly string[]): UnblockRequest | Reply {
  const [, , typed = '', reason = 'timeout'] = argv
  if (!/^(timeout|error)$/i.test(reason)) {
    return error('ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR')
  }
  const id = parseInt64(typed)
  if (id === undefined) return NOT_AN_INTEGER
  return { id: Number(id), reason: reason.toLowerCase() === 'error' ? 'error' : 'timeout' }
}
