/**
 * [client-addresses] At which address a client reaches a member, by the network that the client comes from: outside of
 * a NAT or of a container network it is another one than inside. Sentinels and data nodes read the same table.
 *
 * A client comes from one network: the listed networks do not overlap, except that 0.0.0.0/0 stands for all clients that
 * come from no other of them. Clients on the same machine count as inside, unless their network is listed.
 */
import { type Address, isHostName, isIpv4, isLoopback } from './ip.ts'

/** The directive of our data nodes that holds the table, in one line. */
export const ADDRESSES_DIRECTIVE = 'client-addresses'

/** Clients that come from this network are told of this member at that address. */
export type ClientAddress = readonly [network: string, member: string, announced: string]

/** What a client at this host is told of a member; undefined: the address inside. `isMember`: whether a name means it. */
export function addressFor(
  table: readonly ClientAddress[],
  clientHost: string,
  isMember: (named: Address) => boolean,
): Address | undefined {
  const network = table.length === 0 ? undefined : networkOf(table, clientHost)
  if (network === undefined) return undefined
  const entry = table.find(([own, member]) => own === network && names(member, isMember))
  return entry && parseEndpoint(entry[2])
}

function names(member: string, isMember: (named: Address) => boolean): boolean {
  const named = parseEndpoint(member)
  return named !== undefined && isMember(named)
}

const ALL_OTHERS = '0.0.0.0/0'

/** The listed network that the host belongs to; undefined: none. */
export function networkOf(table: readonly ClientAddress[], shown: string): string | undefined {
  const host = shown.replace(/^::ffff:(?=[\d.]+$)/i, '')
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

/** `host:port`, where the host is an IPv4 address or a name. */
export function parseEndpoint(text: string): Address | undefined {
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
    endpointFault(member) ??
    endpointFault(announced) ??
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

function endpointFault(text: string): string | undefined {
  if (parseEndpoint(text) !== undefined) return undefined
  const shown = JSON.stringify(text)
  if (text.split(':').length > 2) {
    return `${shown} is an IPv6 address: an IPv4 address or a host name is needed, with a port`
  }
  return `${shown} is no address of a member: write host:port, as in 10.0.0.1:6379`
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

/** The table in one line, as a data node is told it: network, member and announced address of each entry. */
export function tableText(table: readonly ClientAddress[]): string {
  return table.map((entry) => entry.join(' ')).join(' ')
}

/** In a line a member may stand under several names. */
function lineFault(entry: ClientAddress, table: readonly ClientAddress[]): string | undefined {
  return clientAddressFault(
    entry,
    table.filter(([network]) => network !== entry[0]),
  )
}

/** The table that a line holds, or what is wrong with it. */
export function parseTable(text: string): readonly ClientAddress[] | string {
  const words = text.split(/\s+/).filter((word) => word !== '')
  if (words.length % 3 !== 0)
    return 'each entry has three words: network, member, announced address'
  const table: ClientAddress[] = []
  for (let at = 0; at < words.length; at += 3) {
    table.push([words[at] ?? '', words[at + 1] ?? '', words[at + 2] ?? ''])
  }
  return table.map((entry) => lineFault(entry, table)).find((fault) => fault !== undefined) ?? table
}
