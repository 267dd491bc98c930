/** CLIENT KILL: the old form with an address, and the new one with filters that must all hold. */
import { parseInt64 } from '../../base/decimal.ts'
import { error, integer, OK, type Reply } from '../../resp/reply.ts'
import type { Client } from '../client.ts'
import { hangUp } from '../client-output.ts'
import type { Turn } from '../state.ts'
import { clientType, parseClientType } from './client-list.ts'
import { SYNTAX_ERROR } from './errors.ts'

type Filter = (candidate: Client) => boolean

/** `argv` is `CLIENT KILL address` or `CLIENT KILL filter value …`. */
export function killClients(turn: Turn, client: Client, argv: readonly string[]): Reply {
  const [, , address = '', ...rest] = argv
  if (rest.length === 0) return killByAddress(turn, client, address)
  const filters = parseFilters(turn, client, argv.slice(2))
  if (!Array.isArray(filters)) return filters
  const victims = clientsOf(turn).filter((one) => filters.every((holds) => holds(one)))
  for (const victim of victims) kill(turn, client, victim)
  return integer(victims.length)
}

/** This form may hit the connection it came on. */
function killByAddress(turn: Turn, client: Client, address: string): Reply {
  const victim = clientsOf(turn).find((one) => one.address === address)
  if (victim === undefined) return error('ERR No such client')
  kill(turn, client, victim)
  return OK
}

function clientsOf(turn: Turn): readonly Client[] {
  return [...turn.state.clients.values()]
}

/** Whoever kills itself still gets its answer. */
function kill(turn: Turn, client: Client, victim: Client): void {
  if (victim === client) client.isLeaving = true
  else hangUp(turn, victim)
}

function parseFilters(turn: Turn, client: Client, words: readonly string[]): Filter[] | Reply {
  const isOther: Filter = (one) => one !== client
  const filters: Filter[] = []
  let skipsMe = true
  for (let at = 0; at < words.length; at += 2) {
    const [name = '', value] = words.slice(at, at + 2)
    if (value === undefined) return SYNTAX_ERROR
    if (name.toLowerCase() === 'skipme') {
      if (!/^(yes|no)$/i.test(value)) return SYNTAX_ERROR
      skipsMe = value.toLowerCase() === 'yes'
    } else {
      const filter = parseFilter(turn, name.toLowerCase(), value)
      if (typeof filter !== 'function') return filter
      filters.push(filter)
    }
  }
  return skipsMe ? [...filters, isOther] : filters
}

function parseFilter(turn: Turn, name: string, value: string): Filter | Reply {
  switch (name) {
    case 'id':
      return idFilter(value)
    case 'addr':
      return (one) => one.address === value
    case 'laddr':
      return (one) => one.localAddress === value
    case 'type':
      return typeFilter(value)
    case 'user':
      return userFilter(turn, value)
    default:
      return SYNTAX_ERROR
  }
}

function userFilter({ state }: Turn, value: string): Filter | Reply {
  const account = state.access.users.get(value)
  if (account === undefined) return error(`ERR No such user '${value}'`)
  return (one) => one.account === account
}

function idFilter(value: string): Filter | Reply {
  const id = parseInt64(value)
  if (id === undefined || id <= 0) return error('ERR client-id should be greater than 0')
  return (one) => one.id === id
}

function typeFilter(value: string): Filter | Reply {
  const type = parseClientType(value)
  if (type === undefined) return error(`ERR Unknown client type '${value}'`)
  return (one) => clientType(one) === type
}
