/** Hosts as configurations name them: an IP address, or a name for a resolver. */
import { canonicalIp, isHostName } from '../base/ip.ts'

/** An address in its canonical form, or a name unchanged; undefined if it is neither. */
export function canonicalHost(text: string): string | undefined {
  // A text of digits and dots only is a mistyped address, not a name.
  return canonicalIp(text) ?? (isHostName(text) && /[a-z_]/i.test(text) ? text : undefined)
}
