/** Which replies are so long that they are written in parts, and which are short for certain. */
import type { Reply } from '../../resp/reply.ts'
import { LONG_BYTES } from '../../resp/reply-writer.ts'

/** With no more elements than this, a look at them costs less than writing the reply in pieces. */
const FEW = 16

export function mayBeLong(reply: Reply): boolean {
  switch (reply.kind) {
    case 'array':
    case 'set':
    case 'push':
      return reply.items.length > FEW || !reply.items.every(isShort)
    case 'bulks':
      return reply.texts.length > FEW || bytesOf(reply.texts) > LONG_BYTES
    case 'map':
    case 'list':
      return true
    case 'bulk':
      return reply.bytes.length > LONG_BYTES
    default:
      return false
  }
}

/** So short that a few of these are no long reply. */
function isShort(item: Reply): boolean {
  switch (item.kind) {
    case 'bulk':
      return item.bytes.length <= LONG_BYTES / FEW
    case 'integer':
    case 'null':
    case 'simple':
    case 'double':
      return true
    default:
      return false
  }
}

function bytesOf(texts: readonly (string | undefined)[]): number {
  let bytes = 0
  for (const text of texts) bytes += text?.length ?? 0
  return bytes
}
