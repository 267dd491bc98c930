/**
 * The PROXY protocol, versions 1 and 2 [haproxy.org, proxy-protocol.txt]: the client behind a connection, named before its
 * first byte. It is only read where the user says so, because anyone could send it.
 */
import { canonicalIp, isIpv4 } from '../base/ip.ts'
import type { ClientEnds } from './port.ts'

export type HeaderReading =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'wrong'; readonly reason: string }
  /** `ends` is undefined if the sender says that it speaks for itself. */
  | { readonly kind: 'read'; readonly ends: ClientEnds | undefined; readonly rest: string }

const SIGNATURE = '\r\n\r\n\x00\r\nQUIT\n'
const V1_MAX = 107
const V2_HEAD = 16
const V2_MAX = V2_HEAD + 536

/** Reads a header at the beginning of what a connection has sent so far. */
export function readProxyHeader(bytes: string): HeaderReading {
  if (bytes.startsWith(SIGNATURE)) return readBinary(bytes)
  if (bytes.startsWith('PROXY ')) return readText(bytes)
  const isShort = SIGNATURE.startsWith(bytes) || 'PROXY '.startsWith(bytes)
  return isShort ? { kind: 'waiting' } : wrong('no PROXY protocol header')
}

function readText(bytes: string): HeaderReading {
  const end = bytes.indexOf('\r\n')
  if (end < 0) return bytes.length > V1_MAX ? wrong('the header has no end') : { kind: 'waiting' }
  const [, family, from = '', to = '', fromPort = '', toPort = ''] = bytes.slice(0, end).split(' ')
  const rest = bytes.slice(end + 2)
  if (family === 'UNKNOWN') return { kind: 'read', ends: undefined, rest }
  if (family !== 'TCP4' && family !== 'TCP6') return wrong('neither TCP4 nor TCP6')
  const ends = endsOf(from, Number(fromPort), to, Number(toPort))
  return ends === undefined ? wrong('an address that is none') : { kind: 'read', ends, rest }
}

function readBinary(bytes: string): HeaderReading {
  if (bytes.length < V2_HEAD) return { kind: 'waiting' }
  const length = V2_HEAD + word(bytes, 14)
  if (length > V2_MAX) return wrong('the header is too long')
  if (bytes.charCodeAt(12) >> 4 !== 2) return wrong('neither version 1 nor 2')
  if (bytes.length < length) return { kind: 'waiting' }
  const rest = bytes.slice(length)
  const isLocal = (bytes.charCodeAt(12) & 15) === 0
  if (isLocal) return { kind: 'read', ends: undefined, rest }
  const family = bytes.charCodeAt(13) >> 4
  const ends = family === 1 ? ipv4Ends(bytes) : family === 2 ? ipv6Ends(bytes) : undefined
  if (family !== 1 && family !== 2) return { kind: 'read', ends: undefined, rest }
  return ends === undefined ? wrong('an address that is none') : { kind: 'read', ends, rest }
}

function ipv4Ends(bytes: string): ClientEnds | undefined {
  const at = (from: number) =>
    [0, 1, 2, 3].map((offset) => bytes.charCodeAt(from + offset)).join('.')
  return endsOf(at(16), word(bytes, 24), at(20), word(bytes, 26))
}

function ipv6Ends(bytes: string): ClientEnds | undefined {
  const at = (from: number) =>
    [0, 2, 4, 6, 8, 10, 12, 14].map((offset) => word(bytes, from + offset).toString(16)).join(':')
  return endsOf(at(16), word(bytes, 48), at(32), word(bytes, 50))
}

function endsOf(
  from: string,
  remotePort: number,
  to: string,
  localPort: number,
): ClientEnds | undefined {
  const [remoteHost, localHost] = [canonicalIp(from), canonicalIp(to)]
  const arePorts = [remotePort, localPort].every((port) => Number.isInteger(port) && port >= 0)
  if (remoteHost === undefined || localHost === undefined || !arePorts) return undefined
  return { remoteHost, remotePort, localHost, localPort }
}

function word(bytes: string, at: number): number {
  return bytes.charCodeAt(at) * 256 + bytes.charCodeAt(at + 1)
}

function wrong(reason: string): HeaderReading {
  return { kind: 'wrong', reason }
}

/** The header for a connection that speaks for this client. */
export function writeProxyHeader(version: 0 | 1 | 2, ends: ClientEnds): string {
  if (version === 0) return ''
  return version === 1 ? textHeader(ends) : binaryHeader(ends)
}

function textHeader({ remoteHost, remotePort, localHost, localPort }: ClientEnds): string {
  const isPlain = isIpv4(remoteHost) && isIpv4(localHost)
  if (!isPlain && !(remoteHost.includes(':') && localHost.includes(':'))) return 'PROXY UNKNOWN\r\n'
  return `PROXY ${isPlain ? 'TCP4' : 'TCP6'} ${remoteHost} ${localHost} ${remotePort} ${localPort}\r\n`
}

function binaryHeader({ remoteHost, remotePort, localHost, localPort }: ClientEnds): string {
  if (!isIpv4(remoteHost) || !isIpv4(localHost)) return `${SIGNATURE}\x20\x00\x00\x00`
  const hosts = [remoteHost, localHost].map((host) =>
    String.fromCharCode(...host.split('.').map(Number)),
  )
  const ports = [remotePort, localPort].map((port) => String.fromCharCode(port >> 8, port & 255))
  return `${SIGNATURE}\x21\x11\x00\x0c${hosts.join('')}${ports.join('')}`
}
