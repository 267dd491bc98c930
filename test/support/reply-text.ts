/** Replies as text that can be compared: kinds and order are kept, volatile values are masked. */
import { bulk, NULL, type Reply } from '../../src/resp/reply.ts'

/** Ages, counters, offsets and numbers of connections. */
const VOLATILE_FIELDS: ReadonlySet<string> = new Set([
  'last-ping-sent',
  'last-ok-ping-reply',
  'last-ping-reply',
  'info-refresh',
  'role-reported-time',
  's-down-time',
  'o-down-time',
  'last-hello-message',
  'link-pending-commands',
  'slave-repl-offset',
  'id',
])

/** In the lines of CLIENT LIST. Ours end with two more words, like those of Redis 7.2. */
const VOLATILE_WORDS =
  /\b(id|addr|laddr|fd|age|idle|qbuf|qbuf-free|argv-mem|multi-mem|rbs|rbp|obl|oll|omem|tot-mem)=[^ ]*/g

const LATER_WORDS = / lib-(name|ver)=[^ \n]*/g

/** A distinct text for every kind, nested by indentation. */
export function replyText(reply: Reply, indent = ''): string {
  const nested = `${indent}  `
  switch (reply.kind) {
    case 'simple':
      return `${indent}+${reply.text}`
    case 'error':
      return `${indent}-${reply.text}`
    case 'integer':
      return `${indent}:${reply.value}`
    case 'bulk':
      return `${indent}"${masked(reply.bytes)}"`
    case 'verbatim':
      return `${indent}=${reply.format}:${masked(reply.text)}`
    case 'map':
      return [`${indent}map`, ...pairsText(reply.entries.flat(), nested)].join('\n')
    case 'array':
    case 'set':
    case 'push':
      return [`${indent}${reply.kind}`, ...pairsText(reply.items, nested)].join('\n')
    case 'bulks': {
      const items = reply.texts.map((text) => (text === undefined ? NULL : bulk(text)))
      return [`${indent}${reply.of}`, ...pairsText(items, nested)].join('\n')
    }
    default:
      return `${indent}${JSON.stringify(reply)}`
  }
}

function masked(text: string): string {
  return text.replace(VOLATILE_WORDS, '$1=<masked>').replace(LATER_WORDS, '')
}

/** Masks the item after the name of a volatile field, wherever a flat map may be. */
function pairsText(items: readonly Reply[], indent: string): string[] {
  return items.map((item, index) => {
    const before = items[index - 1]
    const isMasked = index % 2 === 1 && before?.kind === 'bulk' && VOLATILE_FIELDS.has(before.bytes)
    return isMasked ? `${indent}<${item.kind}>` : replyText(item, indent)
  })
}
