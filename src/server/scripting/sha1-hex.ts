/** SHA-1 of a byte string, as 40 hexadecimal digits: the name of a script. */
import { sha1 } from '../../base/sha1.ts'

export function sha1Hex(bytes: string): string {
  let text = ''
  for (const word of sha1(bytes)) text += (word >>> 0).toString(16).padStart(8, '0')
  return text
}
