/**
 * IP literals as text. Addresses are compared as strings everywhere, so each one is brought into the
 * single form the kernel prints (RFC 5952 for IPv6): `::1` and `0:0::0001` must not be two instances.
 */

export interface Address {
  readonly host: string
  readonly port: number
}

/** The canonical text of an IPv4 or IPv6 literal; undefined for anything else, host names included. */
export function canonicalIp(text: string): string | undefined {
  if (isIpv4(text)) return text
  const words = parseIpv6(text)
  return words === undefined ? undefined : formatIpv6(words)
}

/** A client on this machine: by a Unix socket, whose path stands for its address, or by the loopback. */
export function isLocalPeer(host: string): boolean {
  return host.startsWith('/') || isLoopback(host)
}

/** Names as DNS and hosts files have them. A comma or a blank would break hellos and events. */
export function isHostName(text: string): boolean {
  return /^[a-z\d_](?:[a-z\d_.-]{0,252})$/i.test(text)
}

/** `host:port` in the usual form, an IPv6 address in brackets. */
export function hostAndPort(host: string, port: number | string): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

export function addressText({ host, port }: Address): string {
  return hostAndPort(host, port)
}

/** The same host and port, or no address both times. A name and its address differ: see core/names. */
export function isSameAddress(one: Address | undefined, other: Address | undefined): boolean {
  return one?.host === other?.host && one?.port === other?.port
}

/** `host:port` or `[host]:port`, with the host as it is compared; undefined: it is no address. */
export function parseHostAndPort(text: string): Address | undefined {
  const [, host = '', port = ''] = /^\[?(.+?)\]?:(\d{1,5})$/.exec(text) ?? []
  const number = Number(port)
  if (host === '' || number < 1 || number > 65_535) return undefined
  return { host: comparableHost(host), port: number }
}

/** One text for all ways to write an address, or a name. */
export function comparableHost(host: string): string {
  return canonicalIp(host) ?? host.toLowerCase()
}

/** Four decimal octets without leading zeros, which some resolvers would read as octal. */
export function isIpv4(text: string): boolean {
  const octets = text.split('.', 5)
  return octets.length === 4 && octets.every(isOctet)
}

function isOctet(text: string): boolean {
  return /^(0|[1-9]\d{0,2})$/.test(text) && Number(text) <= 255
}

const WORDS = 8

/** Eight 16-bit words, or undefined. No zone ids: they mean nothing to another host. */
function parseIpv6(text: string): readonly number[] | undefined {
  const hex = embeddedIpv4ToHex(text)
  if (hex === undefined || hex.length > 39) return undefined
  const [head = '', tail, ...more] = hex.split('::')
  if (more.length > 0) return undefined
  const front = parseWords(head)
  const back = parseWords(tail ?? '')
  if (front === undefined || back === undefined) return undefined
  const missing = WORDS - front.length - back.length
  // `::` stands for at least one word; without it all eight must be there.
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined
  return [...front, ...new Array<number>(missing).fill(0), ...back]
}

/** Whether such an address reaches only programs on the same machine. */
export function isLoopback(host: string): boolean {
  return host === '::1' || host.startsWith('127.') || host.startsWith('::ffff:127.')
}

/** `::ffff:1.2.3.4` as `::ffff:102:304`. */
function embeddedIpv4ToHex(text: string): string | undefined {
  const start = text.lastIndexOf(':') + 1
  const last = text.slice(start)
  if (!last.includes('.')) return text
  if (start === 0 || !isIpv4(last)) return undefined
  const [a = 0, b = 0, c = 0, d = 0] = last.split('.').map(Number)
  return `${text.slice(0, start)}${toHex(a * 256 + b)}:${toHex(c * 256 + d)}`
}

function parseWords(text: string): readonly number[] | undefined {
  if (text === '') return []
  const words = text.split(':')
  if (!words.every((word) => /^[0-9a-f]{1,4}$/i.test(word))) return undefined
  return words.map((word) => Number.parseInt(word, 16))
}

function formatIpv6(words: readonly number[]): string {
  const [f = 0, g = 0, h = 0] = words.slice(5)
  const isMappedIpv4 = f === 0xffff && words.slice(0, 5).every((word) => word === 0)
  if (isMappedIpv4) return `::ffff:${g >> 8}.${g & 255}.${h >> 8}.${h & 255}`
  const { start, length } = longestZeroRun(words)
  const hex = words.map(toHex)
  if (length < 2) return hex.join(':')
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`
}

/** The longest run; of several, the first. */
function longestZeroRun(words: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 }
  let length = 0
  words.forEach((word, index) => {
    length = word === 0 ? length + 1 : 0
    if (length > best.length) best = { start: index + 1 - length, length }
  })
  return best
}

function toHex(word: number): string {
  return word.toString(16)
}
