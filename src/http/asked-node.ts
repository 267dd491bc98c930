/**
 * Which node a probe asks a Sentinel about. A person or a script writes `?node=10.0.0.1:6379`. HAProxy
 * cannot put the address of a server into the request line, but `http-check send-state` sends it in a
 * header, so that one line serves all servers of a backend.
 */
import { type Address, canonicalIp } from '../base/ip.ts'

/** The header of `http-check send-state`: `UP 2/3; address=10.0.0.1; port=6379; name=redis/r1; …`. */
export const HAPROXY_HEADER = 'x-haproxy-server-state'

/** Undefined: the request names none. `fault`: what it names is no address. */
export function askedNode(
  node: string | undefined,
  haproxyState: string | undefined,
): Address | { readonly fault: string } | undefined {
  if (node !== undefined) return parseNode(node) ?? { fault: `node=${node} is no host:port` }
  if (haproxyState === undefined) return undefined
  const fields = new Map(haproxyState.split(';').map(splitField))
  const host = fields.get('address')
  const port = parsePort(fields.get('port') ?? '')
  if (host === undefined || port === undefined) {
    return { fault: `the header ${HAPROXY_HEADER} names no address and port` }
  }
  return { host: canonicalIp(host) ?? host, port }
}

/** `10.0.0.1:6379`, `[::1]:6379`, `db-1.example:6379` */
function parseNode(text: string): Address | undefined {
  const colon = text.lastIndexOf(':')
  const host = text.slice(0, Math.max(0, colon)).replace(/^\[(.*)\]$/, '$1')
  const port = parsePort(text.slice(colon + 1))
  if (host === '' || port === undefined) return undefined
  return { host: canonicalIp(host) ?? host, port }
}

function parsePort(text: string): number | undefined {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined
}

function splitField(field: string): readonly [string, string] {
  const at = field.indexOf('=')
  return at < 0 ? [field.trim(), ''] : [field.slice(0, at).trim(), field.slice(at + 1).trim()]
}
