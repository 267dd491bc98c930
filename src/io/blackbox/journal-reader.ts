/** Reads the segments of a journal; everything that is wrong has a file and an offset. */
import { RecordFault } from '../../blackbox/block.ts'
import {
  type JournalEntry,
  type JournalHead,
  readEntries,
  readJournalHead,
} from '../../journal/entry-text.ts'
import { MAGIC } from './frames.ts'
import {
  beginningOf,
  frameAt,
  located,
  SegmentFault,
  type SegmentSource,
} from './segment-reader.ts'

export interface JournalSegment {
  readonly path: string
  /** Undefined: its writer was cut off before it had written one. */
  readonly head: JournalHead | undefined
  readonly entries: readonly JournalEntry[]
  /** What is damaged, with its place; what stands before it has been read. */
  readonly fault: string | undefined
}

/** Whether it is the segment of a journal, and not of a Sentinel's record; false as well if it cannot be read. */
export function isJournal(source: SegmentSource): boolean {
  try {
    return beginningOf(source)?.frame.type === 'J'
  } catch (error) {
    if (error instanceof SegmentFault) return false
    throw error
  }
}

export function readJournal(source: SegmentSource): JournalSegment {
  const { path } = source
  const entries: JournalEntry[] = []
  let head: JournalHead | undefined
  let fault: string | undefined
  try {
    const { file, frame } = beginningOf(source) ?? {}
    if (file !== undefined && frame !== undefined) {
      head = sound(path, MAGIC.length, readJournalHead(frame.text))
      for (let at = frame.endsAt; ; ) {
        const next = located(path, at, () => entriesAt(source, file, at))
        if (next === undefined) break
        entries.push(...sound(path, at, readEntries(next.text)))
        at = next.endsAt
      }
    }
  } catch (error) {
    if (!(error instanceof SegmentFault)) throw error
    fault = error.message
  }
  return { path, head, entries, fault }
}

function entriesAt(source: SegmentSource, file: Buffer, at: number) {
  const frame = frameAt(source, file, at)
  if (frame !== undefined && frame.type !== 'E')
    throw new RecordFault('a second head in one segment')
  return frame
}

/** A string is what is wrong there. */
function sound<Value>(path: string, offset: number, value: Value | string): Value {
  return located(path, offset, () => {
    if (typeof value === 'string') throw new RecordFault(value)
    return value
  })
}
