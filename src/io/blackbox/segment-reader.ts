/** Reads the segments of a record; everything that is wrong has a file and an offset. */
import { readFileSync } from 'node:fs'
import {
  blockSummary,
  type RecordBlock,
  RecordFault,
  readBlock,
  SegmentEvents,
} from '../../blackbox/block.ts'
import { readHead } from '../../blackbox/record-head.ts'
import type { RecordHead } from '../../blackbox/recorder.ts'
import { reasonOf, StartError } from '../start-error.ts'
import { MAGIC, type RecordFrame, readFrame } from './frames.ts'

/** Where in which file something is wrong, and what. */
export class SegmentFault extends StartError {
  constructor(path: string, offset: number, what: string) {
    const hint = 'what stands before that place, and every other segment, can be played by itself'
    super('E_RECORD', `${path}, offset ${offset}: ${what}`, hint)
  }
}

/** A file or folder that the user named cannot be opened: nothing of it was looked at. */
export function unreadable(path: string, error: unknown): StartError {
  const reason = reasonOf(error)
  const words = reason === 'ENOENT' ? 'there is no such file or folder' : reason
  const hint = 'check the name, and that this user may read it'
  return new StartError('E_CONFIG_FILE', `cannot read ${path}: ${words}`, hint)
}

export interface RecordSegment {
  readonly path: string
  readonly head: RecordHead
  readonly headAt: number
  /** Throws a SegmentFault where the file is damaged. */
  blocks(): Generator<SegmentBlock>
}

export interface SegmentBlock {
  readonly offset: number
  readonly block: RecordBlock
}

/** A segment that can be read: a file, or bytes that came in another way, under the name that faults give. */
export interface SegmentSource {
  readonly path: string
  /** Undefined: what the file at that path holds. */
  readonly content?: Buffer
  /** So many bytes are missing at its end, because the bundle was cut off. */
  readonly missing?: number
  /** So far ahead of ours is the clock of the process that wrote it, if it was asked. */
  readonly aheadMs?: number
}

/** The file, and its first frame. */
export interface SegmentBeginning {
  readonly file: Buffer
  readonly frame: RecordFrame
}

/** Throws a SegmentFault. `undefined`: the file holds no head yet, because its writer was cut off. */
export function openSegment(source: SegmentSource): RecordSegment | undefined {
  const { path } = source
  return located(path, MAGIC.length, () => {
    const { file, frame } = beginningOf(source) ?? {}
    if (file === undefined || frame === undefined) return undefined
    if (frame.type === 'J') throw new RecordFault('it is a journal: nothing in it can be played')
    if (frame.type !== 'H') throw new RecordFault('a segment begins with its head')
    const { endsAt } = frame
    const head = readHead(frame.text)
    return { path, head, headAt: MAGIC.length, blocks: () => blocksOf(source, file, endsAt) }
  })
}

/** Throws a SegmentFault. `undefined`: the file holds no frame yet, because its writer was cut off. */
export function beginningOf(source: SegmentSource): SegmentBeginning | undefined {
  const { path } = source
  const file = contentOf(source)
  const beginning = file.toString('latin1', 0, MAGIC.length)
  if (MAGIC.startsWith(beginning) && beginning !== MAGIC) return undefined
  if (beginning !== MAGIC) {
    const [name, version] = beginning.split(/[ \n]/)
    const isOther = name === MAGIC.split(' ')[0]
    const what = isOther
      ? `its format is ${JSON.stringify(version)}, and this program reads ${MAGIC.split(/[ \n]/)[1]}: ` +
        'it is not damaged, and the version of Vedette that wrote it can play it'
      : 'it is no record of a Sentinel, and no journal'
    throw new SegmentFault(path, 0, what)
  }
  return located(path, MAGIC.length, () => {
    const frame = frameAt(source, file, MAGIC.length)
    return frame && { file, frame }
  })
}

/** What a segment is about, without playing it. */
export interface SegmentSummary {
  /** The earliest and the latest time of the wall clock of the Sentinel, roughly; it may have been set back meanwhile. */
  readonly fromMs: number
  readonly untilMs: number
  /** Nothing was decided in it; false as well where it cannot be read to its end. */
  readonly isQuiet: boolean
}

/** Undefined if it cannot be read at all. */
export function summaryOf(source: SegmentSource): SegmentSummary | undefined {
  let summary: SegmentSummary | undefined
  try {
    const file = contentOf(source)
    const { head, headAt } = openSegment({ ...source, content: file }) ?? {}
    if (head === undefined || headAt === undefined) return undefined
    const begunMs = head.now.wallMs
    summary = { fromMs: begunMs, untilMs: begunMs, isQuiet: false }
    let isQuiet = true
    let frame = readFrame(file, headAt)
    while (frame !== 'torn') {
      if (frame.type === 'B') {
        const { wallMs, decides } = blockSummary(frame.text)
        isQuiet &&= !decides
        summary = widened(summary, wallMs)
      }
      frame = readFrame(file, frame.endsAt)
    }
    return { ...summary, isQuiet }
  } catch (error) {
    if (error instanceof RecordFault || error instanceof SegmentFault) return summary
    throw error
  }
}

function widened({ fromMs, untilMs, isQuiet }: SegmentSummary, wallMs: number): SegmentSummary {
  return { fromMs: Math.min(fromMs, wallMs), untilMs: Math.max(untilMs, wallMs), isQuiet }
}

/** Throws a SegmentFault. */
export function contentOf({ path, content }: SegmentSource): Buffer {
  if (content !== undefined) return content
  try {
    return readFileSync(path)
  } catch (error) {
    throw new SegmentFault(path, 0, `cannot be read: ${reasonOf(error)}`)
  }
}

function* blocksOf(source: SegmentSource, file: Buffer, from: number): Generator<SegmentBlock> {
  const { path } = source
  let offset = from
  const events = new SegmentEvents()
  for (;;) {
    const next = located(path, offset, () => {
      const frame = frameAt(source, file, offset)
      if (frame === undefined) return undefined
      if (frame.type !== 'B') throw new RecordFault('a second head in one segment')
      return { endsAt: frame.endsAt, block: readBlock(frame.text, events) }
    })
    if (next === undefined) return
    yield { offset, block: next.block }
    offset = next.endsAt
  }
}

/**
 * Undefined at the end, or where the last frame is torn, as its writer may have left it. Throws a RecordFault if the end is
 * missing for another reason.
 */
export function frameAt(
  { missing = 0 }: SegmentSource,
  file: Buffer,
  at: number,
): RecordFrame | undefined {
  const frame = readFrame(file, at)
  if (frame !== 'torn') return frame
  if (missing === 0) return undefined
  throw new RecordFault(`the bundle ends here, and ${missing} bytes of this member are missing`)
}

/** Whatever fails in the records of `run` is said with its place. */
export function located<Value>(path: string, offset: number, run: () => Value): Value {
  try {
    return run()
  } catch (error) {
    if (error instanceof RecordFault) throw new SegmentFault(path, offset, error.message)
    throw error
  }
}
