/** What a client may call itself: one word of printable ASCII, because names stand in one-line lists. */
import { error } from '../../resp/reply.ts'

export const NAME_REFUSED = error(
  'ERR Client names cannot contain spaces, newlines or special characters.',
)

/** True for the empty name too, which means "none". */
export function isClientName(name: string): boolean {
  return /^[!-~]*$/.test(name)
}
