/** Hosts as configurations name them: an IP address, or a name for a resolver. */
import { canonicalIp, isHostName } from '../base/ip.ts'

/** An address in its canonical form, or a name unchanged; undefined if it is neither. */
export function canonicalHost(text: string): string | undefined {
  // A text of digits and dots only is a mistyped address, not a name.
  return canonicalIp(text) ?? (isHostName(text) && /[a-z_]/i.test(text) ? text : undefined)
}

/** For a text that is no address. Brackets belong to an IPv6 address before its port, and nowhere else. */
export function addressHint(text: unknown, otherwise = ''): string {
  return typeof text === 'string' && /^\[.*\]$/.test(text) ? 'without the brackets' : otherwise
}
