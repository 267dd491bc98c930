/** Hosts as configurations name them: an IP address, or a name for a resolver. */
import { canonicalIp } from '../base/ip.ts'
import { isHostName } from '../core/names/names.ts'

/** An address in its canonical form, or a name as it stands; undefined: neither. */
export function canonicalHost(text: string): string | undefined {
  // What is all digits and dots is an address that someone has mistyped.
  return canonicalIp(text) ?? (isHostName(text) && /[a-z_]/i.test(text) ? text : undefined)
}
