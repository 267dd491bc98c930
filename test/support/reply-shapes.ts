/** The contents of certain replies: COMMAND, COMMAND DOCS, HELP, INFO. */
import type { Reply } from '../../src/resp/reply.ts'
import { replyText } from './reply-text.ts'

/** COMMAND INFO by name, including subcommands, without the order of Redis' hash table. */
export function describedIn(reply: Reply): ReadonlyMap<string, string> {
  const described = new Map<string, string>()
  for (const entry of itemsOf(reply)) {
    const items = itemsOf(entry)
    const [name] = items
    if (name?.kind !== 'bulk') continue
    const shown = items
      .slice(0, 9)
      .map((item) => replyText(item))
      .join('\n')
    described.set(name.bytes, shown)
    const last = items[9]
    if (last !== undefined) for (const [sub, text] of describedIn(last)) described.set(sub, text)
  }
  return described
}

export function itemsOf(reply: Reply): readonly Reply[] {
  return reply.kind === 'array' || reply.kind === 'set' ? reply.items : []
}

/** The lines of HELP that name a subcommand; the explanations are our own. */
export function headingsOf(reply: Reply): readonly string[] {
  const lines = itemsOf(reply).flatMap((item) => (item.kind === 'simple' ? [item.text] : []))
  return lines.filter((line) => !line.startsWith('    ') || /^ +\[/.test(line))
}

/** Titles of sections and names of fields. */
export function fieldsOf(reply: Reply): readonly string[] {
  if (reply.kind !== 'bulk') return []
  return reply.bytes.split('\r\n').map((line) => line.replace(/:.*/, ''))
}

/** COMMAND DOCS by name: everything but the explanations, which are our own. */
export function documentedIn(reply: Reply): ReadonlyMap<string, string> {
  const documented = new Map<string, string>()
  for (const [name, docs] of pairsOf(reply)) {
    const fields = new Map(pairsOf(docs))
    const text = ['since', 'group'].map((field) => bytesOf(fields.get(field))).join(' ')
    documented.set(name, text)
    const subcommands = fields.get('subcommands')
    if (subcommands !== undefined) {
      for (const [sub, about] of documentedIn(subcommands)) documented.set(sub, about)
    }
  }
  return documented
}

export function pairsOf(reply: Reply): readonly (readonly [string, Reply])[] {
  const items = itemsOf(reply)
  return items.flatMap((item, index) => {
    const value = items[index + 1]
    return index % 2 === 0 && value !== undefined ? [[bytesOf(item), value] as const] : []
  })
}

export function bytesOf(reply: Reply | undefined): string {
  return reply?.kind === 'bulk' ? reply.bytes : ''
}
