/** The journals of data nodes and proxies in lines: facts, of which nothing can be played again. */
import { utf8Text } from '../../base/utf8.ts'
import { type JournalSegment, readJournal } from '../../io/blackbox/journal-reader.ts'
import type { SegmentSource } from '../../io/blackbox/segment-reader.ts'
import type { JournalEntry } from '../../journal/entry-text.ts'
import { colors as pc } from '../colors.ts'
import { printable } from '../status/asking.ts'
import { clockTime } from './words.ts'

/** Returns whether all of them could be read. */
export function showJournals(sources: readonly SegmentSource[], isShowingEvents: boolean): boolean {
  const segments = sources.map(readJournal)
  for (const segment of segments) {
    const entries = isShowingEvents ? segment.entries.map(entryLine) : []
    process.stdout.write(`${[...entries, journalLine(segment)].join('\n')}\n`)
  }
  return segments.every(({ fault }) => fault === undefined)
}

/** For scripts. */
export function journalJson({ path, head, entries, fault }: JournalSegment): object {
  const told = entries.map(({ now, kind, text, event }) => ({ ...now, kind, text, ...event }))
  return { path, journal: head ?? null, entries: told, fault: fault ?? null }
}

/** Names and words of other processes may hold any byte. */
export function wordsOf({ text }: JournalEntry): string {
  return printable(utf8Text(text))
}

function entryLine(entry: JournalEntry): string {
  return `${clockTime(entry.now.wallMs)}  ${wordsOf(entry)}`
}

function journalLine({ path, head, entries, fault }: JournalSegment): string {
  if (head === undefined) return fault ?? `${path}: it has no head yet, and says nothing`
  const who = head.keeper === 'node' ? 'data node' : 'proxy'
  const name = printable(`${who} ${head.address}, run ${head.runId.slice(0, 8)} (${head.program})`)
  const [from, until] = [entries[0] ?? head, entries.at(-1) ?? head].map(({ now }) => now.wallMs)
  const what = `${clockTime(from ?? 0)} to ${clockTime(until ?? 0)}, ${entries.length} events`
  const verdict = fault === undefined ? 'facts, nothing to play again' : pc.red(fault)
  return `${path}: ${name}, ${what}: ${verdict}`
}
