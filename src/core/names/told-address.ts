/**
 * [client-addresses] Which address of a member a client of a Sentinel is told, see base/network-addresses.ts. What the
 * Sentinel says to its peers and to data nodes, and all that it decides by, stays with the addresses inside.
 */

import { type Address, hostAndPort } from '../../base/ip.ts'
import {
  ADDRESSES_DIRECTIVE,
  addressFor,
  type ClientAddress,
  networkOf,
  parseEndpoint,
  tableText,
} from '../../base/network-addresses.ts'
import type { Client } from '../clients/client.ts'
import {
  commandLink,
  type DataInstance,
  dataInstancesOf,
  type Group,
  instancesOf,
  type State,
  type Turn,
} from '../state.ts'
import { send } from '../turn.ts'
import { hostIdentity, sameAddress, sameHost, shownHost } from './names.ts'

/** The address of an instance as somebody is told it. */
export type AddressTold = (address: Address) => Address

/** As peers, data nodes, scripts and the log are told addresses. */
export function toldInside(state: State): AddressTold {
  return ({ host, port }) => ({ host: shownHost(state, host), port })
}

export function toldTo(state: State, client: Client, group: Group | undefined): AddressTold {
  const inside = toldInside(state)
  const table = group?.config.clientAddresses ?? []
  const host = hostOf(client.address)
  if (networkOf(table, host) === undefined) return inside
  return (address) => {
    const told = addressFor(table, host, (named) => sameAddress(state, named, address))
    return told ?? inside(address)
  }
}

function isMember(state: State, member: string, address: Address): boolean {
  const named = parseEndpoint(member)
  return named !== undefined && sameAddress(state, named, address)
}

/** `address` is `host:port`, or the path of a Unix socket. */
function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '')
}

/** The members in the table that this Sentinel knows nothing of: slips of the pen, or not there yet. */
export function unknownMembers(state: State, group: Group): readonly string[] {
  const members = [...new Set(group.config.clientAddresses.map(([, member]) => member))]
  return members.filter((member) => !isKnownMember(state, group, member))
}

export function isKnownMember(state: State, group: Group, member: string): boolean {
  const known = instancesOf(group)
  return (
    [...known].some((one) => isMember(state, member, one)) || isThisSentinel(state, group, member)
  )
}

/** By its ports and by the addresses from which it speaks to the group. */
function isThisSentinel(state: State, group: Group, member: string): boolean {
  const named = parseEndpoint(member)
  if (named === undefined) return false
  const { announceIp, announcePort, port, tlsPort } = state.config
  if (![announcePort, port, tlsPort].includes(named.port)) return false
  const own = [...instancesOf(group)].flatMap(({ link }) => link.command?.localHost ?? [])
  return [announceIp, ...own].some((host) => host !== '' && sameHost(state, host, named.host))
}

/**
 * Handoffs and redirections of our data nodes name members too, so each of our Sentinels gives them its table: once on
 * each connection, and when the table changes. Sentinels whose tables differ do not overrule each other for ever.
 */
export function tellAddresses(turn: Turn, instance: DataInstance): void {
  const { addressesTold, group, infoText } = instance
  const connection = commandLink(instance)
  if (connection === undefined) return
  const text = tableText(tableFor(turn.state, group))
  const told = addressesTold?.on === connection.id ? addressesTold.text : ''
  if (text === told || !isOurs(infoText)) return
  instance.addressesTold = { on: connection.id, text }
  const purpose = { kind: 'clientAddresses', group: group.config.name } as const
  send(turn, connection, purpose, ['CONFIG', 'SET', ADDRESSES_DIRECTIVE, text])
}

/** Redis' own servers make no handoffs, and do not know the directive. */
function isOurs(infoText: string): boolean {
  return /^server_name:vedette\r?$/m.test(infoText)
}

/** Data nodes resolve no names: they get a member under every name by which they may be told of it. */
function tableFor(state: State, group: Group): readonly ClientAddress[] {
  return group.config.clientAddresses.flatMap(([network, member, announced]) =>
    namesOf(state, group, member).map((name) => [network, name, announced] as const),
  )
}

function namesOf(state: State, group: Group, member: string): readonly string[] {
  const known = dataInstancesOf(group).find((one) => isMember(state, member, one))
  if (known === undefined) return [member]
  const hosts = [known.host, shownHost(state, known.host), hostIdentity(state, known.host)]
  const names = hosts.map((host) => hostAndPort(host, known.port))
  return [...new Set([member, ...names])].filter((name) => parseEndpoint(name) !== undefined)
}
