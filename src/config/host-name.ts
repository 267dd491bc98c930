/** Hosts as configurations name them: an IP address, or a name for a resolver. */
import { canonicalIp, isHostName } from '../base/ip.ts'

/** An address in its canonical form, or a name unchanged; undefined if it is neither. */
export function canonicalHost(text: string): string | undefined {
  // A text of digits and dots only is a mistyped address, not a name.
  return canonicalIp(text) ?? (isHostName(text) && /[a-z_]/i.test(text) ? text : undefined)
}

/** For a text that is no address: what is wrong with it, where it is one for other programs. */
export function addressHint(text: unknown, otherwise = ''): string {
  if (typeof text !== 'string') return otherwise
  // They belong to an IPv6 address before its port, and nowhere else.
  if (/^\[.*\]$/.test(text)) return 'without the brackets'
  if (/^[\da-f:]+%/i.test(text))
    return 'without the zone, which means nothing to another host: take an address that needs none'
  return /^[\d.]+$/.test(text)
    ? 'as four numbers without leading zeros, such as 10.0.0.1'
    : otherwise
}
