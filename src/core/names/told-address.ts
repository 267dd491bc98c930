/**
 * [client-addresses] Which address of a member a client is told, by the network that the client comes from: outside of
 * a NAT or of a container network a member is reached at another address than inside. What the Sentinel says to its
 * peers and to data nodes, and all that it decides by, stays with the addresses inside.
 *
 * A client comes from one network: the listed networks do not overlap, except that 0.0.0.0/0 stands for all clients that
 * come from no other of them. Clients on the Sentinel's own machine count as inside, unless their network is listed.
 */
import { type Address, isIpv4, isLoopback } from '../../base/ip.ts'
import type { Client } from '../clients/client.ts'
import type { ClientAddress } from '../group-option-kinds.ts'
import { type Group, instancesOf, type State } from '../state.ts'
import { isHostName, sameAddress, sameHost, shownHost } from './names.ts'

/** The address of an instance as somebody is told it. */
export type AddressTold = (address: Address) => Address

/** As peers, data nodes, scripts and the log are told addresses. */
export function toldInside(state: State): AddressTold {
  return ({ host, port }) => ({ host: shownHost(state, host), port })
}

export function toldTo(state: State, client: Client, group: Group | undefined): AddressTold {
  const inside = toldInside(state)
  const table = group?.config.clientAddresses ?? []
  const network = table.length === 0 ? undefined : networkOf(table, hostOf(client.address))
  if (network === undefined) return inside
  const entries = table.filter(([own]) => own === network)
  return (address) => {
    const entry = entries.find(([, member]) => isMember(state, member, address))
    return entry === undefined ? inside(address) : (parseEndpoint(entry[2]) ?? inside(address))
  }
}

function isMember(state: State, member: string, address: Address): boolean {
  const named = parseEndpoint(member)
  return named !== undefined && sameAddress(state, named, address)
}

/** `address` is `host:port`, or the path of a Unix socket. */
function hostOf(address: string): string {
  const host = address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '')
  return host.replace(/^::ffff:(?=[\d.]+$)/i, '')
}

const ALL_OTHERS = '0.0.0.0/0'

/** The listed network that the host belongs to; undefined: none. */
export function networkOf(table: readonly ClientAddress[], host: string): string | undefined {
  if (!isIpv4(host)) return undefined
  const networks = new Set(table.map(([network]) => network))
  for (const network of networks) {
    if (network !== ALL_OTHERS && contains(parseNetwork(network), numberOf(host))) return network
  }
  return networks.has(ALL_OTHERS) && !isLoopback(host) ? ALL_OTHERS : undefined
}

interface Network {
  readonly base: number
  readonly bits: number
}

function parseNetwork(text: string): Network | undefined {
  const [, base = '', length = ''] = /^([\d.]+)\/(\d{1,2})$/.exec(text) ?? []
  const bits = Number(length)
  return isIpv4(base) && length !== '' && bits <= 32 ? { base: numberOf(base), bits } : undefined
}

function contains(network: Network | undefined, address: number): boolean {
  return (
    network !== undefined &&
    prefixOf(network.base, network.bits) === prefixOf(address, network.bits)
  )
}

/** Numbers and no bit operators, which would make a negative one of 128.0.0.0. */
function prefixOf(address: number, bits: number): number {
  return Math.floor(address / 2 ** (32 - bits))
}

function numberOf(ip: string): number {
  return ip.split('.').reduce((number, octet) => number * 256 + Number(octet), 0)
}

function textOf({ base, bits }: Network): string {
  const first = prefixOf(base, bits) * 2 ** (32 - bits)
  const octets = [24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256)
  return `${octets.join('.')}/${bits}`
}

function parseEndpoint(text: string): Address | undefined {
  const [, host = '', port = ''] = /^([^\s:,=]+):(\d{1,5})$/.exec(text) ?? []
  const number = Number(port)
  const isHost = isIpv4(host) || (isHostName(host) && !/^[\d.]+$/.test(host))
  return isHost && number >= 1 && number <= 65_535 ? { host, port: number } : undefined
}

/** What is wrong with an entry, alone or beside the others, for the person who wrote it; undefined if nothing is. */
export function clientAddressFault(
  entry: ClientAddress,
  others: readonly ClientAddress[],
): string | undefined {
  const [network, member, announced] = entry
  return (
    networkFault(network) ??
    endpointFault(member, 'a member') ??
    endpointFault(announced, 'a member') ??
    overlapFault(network, others) ??
    twinFault(entry, others)
  )
}

function networkFault(text: string): string | undefined {
  const shown = JSON.stringify(text)
  if (text.includes(':')) {
    return `${shown} is an IPv6 network: only clients that come by IPv4 can be told other addresses`
  }
  const network = parseNetwork(text)
  if (network === undefined) {
    const example = isIpv4(text) ? `${text}/32` : '203.0.113.0/24'
    return `${shown} is no network: write address and length, as in ${example}`
  }
  const own = textOf(network)
  return own === text ? undefined : `${shown} begins in the middle of a network: that is ${own}`
}

function endpointFault(text: string, what: string): string | undefined {
  if (parseEndpoint(text) !== undefined) return undefined
  const shown = JSON.stringify(text)
  if (text.split(':').length > 2) {
    return `${shown} is an IPv6 address: an IPv4 address or a host name is needed, with a port`
  }
  return `${shown} is no address of ${what}: write host:port, as in 10.0.0.1:6379`
}

function overlapFault(network: string, others: readonly ClientAddress[]): string | undefined {
  if (network === ALL_OTHERS) return undefined
  const own = parseNetwork(network)
  const other = others.find(([one]) => {
    const network2 = parseNetwork(one)
    if (one === network || one === ALL_OTHERS || own === undefined) return false
    return network2 !== undefined && (contains(own, network2.base) || contains(network2, own.base))
  })
  if (other === undefined) return undefined
  return `${network} and ${other[0]} overlap: it must be clear which one a client comes from (only ${ALL_OTHERS} may hold the others: it means all who come from none of them)`
}

function twinFault(
  [network, member, announced]: ClientAddress,
  others: readonly ClientAddress[],
): string | undefined {
  const same = others.filter(([one]) => one === network)
  if (same.some(([, one]) => one === member)) {
    return `two addresses of ${member} for clients from ${network}`
  }
  const twin = same.find(([, , one]) => one === announced)
  if (twin === undefined) return undefined
  return `${announced} stands for ${twin[1]} and for ${member}: clients from ${network} could not tell them apart`
}

/** What is wrong with a whole table; undefined if nothing is. */
export function tableFault(table: readonly ClientAddress[]): string | undefined {
  for (const [index, entry] of table.entries()) {
    const fault = clientAddressFault(entry, table.slice(0, index))
    if (fault !== undefined) return fault
  }
  return undefined
}

/** The table after a change of one entry; an empty announced address takes the entry away. */
export function changeClientAddress(
  table: readonly ClientAddress[],
  [network, member, announced]: ClientAddress,
): readonly ClientAddress[] | string {
  const others = table.filter(([one, other]) => one !== network || other !== member)
  if (announced === '') return others
  const entry = [network, member, announced] as const
  return clientAddressFault(entry, others) ?? [...others, entry]
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
