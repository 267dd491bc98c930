/**
 * INFO comes again and again and is by far the longest thing a Sentinel hears, while little in it
 * changes. A record keeps it whole once for each connection, then only the lines that differ.
 */
import type { LinkId } from '../core/ids.ts'
import type { EntryEvent } from './entry.ts'

type Told = Extract<EntryEvent, { readonly kind: 'reply' | 'infoAgain' }>

export class InfoLines {
  readonly #last = new Map<LinkId, readonly string[]>()

  /** For the recorder: what is kept of a reply. */
  shorten(event: EntryEvent): EntryEvent {
    const text = infoText(event)
    if (text === undefined || event.kind !== 'reply') return event
    const before = this.#last.get(event.link)
    const lines = text.split('\n')
    this.#last.set(event.link, lines)
    if (before?.length !== lines.length) return event
    const changed = lines.flatMap((line, at): [number, string][] =>
      line === before[at] ? [] : [[at, line]],
    )
    return { kind: 'infoAgain', link: event.link, lines: changed }
  }

  /** For the reader: the reply as it was. Undefined if there was none before. */
  complete(event: Told): EntryEvent | undefined {
    if (event.kind === 'reply') {
      const text = infoText(event)
      if (text !== undefined) this.#last.set(event.link, text.split('\n'))
      return event
    }
    const lines = this.#last.get(event.link)?.slice()
    if (lines === undefined) return undefined
    for (const [at, line] of event.lines) lines[at] = line
    this.#last.set(event.link, lines)
    const reply = { kind: 'bulk', bytes: lines.join('\n') } as const
    return { kind: 'reply', link: event.link, purpose: { kind: 'info' }, reply }
  }

  forget(link: LinkId): void {
    this.#last.delete(link)
  }
}

function infoText(event: EntryEvent): string | undefined {
  if (event.kind !== 'reply' || event.purpose.kind !== 'info') return undefined
  return event.reply.kind === 'bulk' ? event.reply.bytes : undefined
}
