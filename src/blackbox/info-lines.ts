/**
 * INFO comes again and again and is by far the longest thing a Sentinel hears. A record keeps it whole once for each
 * connection, then only the lines that differ and that a Sentinel reads: counters and times, which differ every
 * time, stay as they were.
 */
import { readLines, readPart, withReadLines } from '../core/discovery/info-parser.ts'
import type { LinkId } from '../core/ids.ts'
import type { EntryEvent } from './entry.ts'

type Told = Extract<EntryEvent, { readonly kind: 'reply' | 'infoAgain' }>

/** For the recorder. */
export class InfoShortener {
  /** By link: the lines that a Sentinel reads, as the reader of the record has them. */
  readonly #last = new Map<LinkId, string[]>()

  /** What is kept of a reply; `lines`: those of it that a Sentinel reads (`linesRead`). */
  shorten(event: Extract<EntryEvent, { kind: 'reply' }>, lines: readonly string[]): EntryEvent {
    const before = this.#last.get(event.link)
    if (before?.length !== lines.length) {
      this.#last.set(event.link, [...lines])
      return event
    }
    const changed: [number, string][] = []
    for (let at = 0; at < lines.length; at++) {
      const line = lines[at] ?? ''
      const known = before[at] ?? ''
      if (line === known || readPart(line) === readPart(known)) continue
      changed.push([at, line])
      before[at] = line
    }
    return { kind: 'infoAgain', link: event.link, lines: changed }
  }

  forget(link: LinkId): void {
    this.#last.delete(link)
  }
}

/** For the reader. */
export class InfoCompleter {
  readonly #last = new Map<LinkId, string>()

  /** The reply as it was. Undefined if there was none before. */
  complete(event: Told): EntryEvent | undefined {
    if (event.kind === 'reply') {
      const text = infoText(event)
      if (text !== undefined) this.#last.set(event.link, text)
      return event
    }
    const before = this.#last.get(event.link)
    if (before === undefined) return undefined
    const lines = new Map(event.lines)
    const bytes = withReadLines(before, (at) => lines.get(at))
    this.#last.set(event.link, bytes)
    const reply = { kind: 'bulk', bytes } as const
    return { kind: 'reply', link: event.link, purpose: { kind: 'info' }, reply }
  }

  forget(link: LinkId): void {
    this.#last.delete(link)
  }
}

/** Undefined: the event is no INFO. At once it costs nothing, because the machine has just read the same lines. */
export function linesRead(event: EntryEvent): readonly string[] | undefined {
  const text = infoText(event)
  return text === undefined ? undefined : readLines(text)
}

function infoText(event: EntryEvent): string | undefined {
  if (event.kind !== 'reply' || event.purpose.kind !== 'info') return undefined
  return event.reply.kind === 'bulk' ? event.reply.bytes : undefined
}
