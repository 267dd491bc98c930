/** Puts the segments that hold some incidents into one file, on request under other names. */
import { Player } from '../../blackbox/player.ts'
import { Pseudonyms } from '../../blackbox/pseudonyms.ts'
import { headText } from '../../blackbox/record-head.ts'
import { SegmentRewriter } from '../../blackbox/rewrite.ts'
import { type BundleMember, bundleOf } from '../../io/blackbox/bundle.ts'
import { frameOfSync, MAGIC, sha256Hex } from '../../io/blackbox/frames.ts'
import {
  contentOf,
  located,
  openSegment,
  type RecordSegment,
  SegmentFault,
  type SegmentSource,
} from '../../io/blackbox/segment-reader.ts'
import { PRIVATE_MODE, writeResult } from '../files.ts'
import { randomSeed } from '../random.ts'
import { say } from '../report.ts'
import type { Gathered } from './gather.ts'
import type { PlayedSegment } from './lives.ts'

/** Who was well before an incident, and how it went on: a minute on either side. */
const MARGIN_MS = 60_000

/** Throws a StartError if the file cannot be written. */
export function writeBundle(path: string, gathered: Gathered, hasPseudonyms: boolean): void {
  const chosen = segmentsOf(gathered)
  const names = hasPseudonyms ? namesFor(chosen.map(({ source }) => source)) : undefined
  const members = chosen.map((one, at): BundleMember => {
    const who = gathered.told.run.nameOf(one.life.myid)
    const number = String(at + 1).padStart(8, '0')
    const content = names === undefined ? contentOf(one.source) : renamed(one.source, names)
    return { name: `${names?.rename(who) ?? who}/${number}.vbb`, content }
  })
  const file = bundleOf(members)
  writeResult(path, file, PRIVATE_MODE)
  const what = hasPseudonyms ? 'names and addresses are replaced' : 'names and addresses are in it'
  say(`vedette: ${path}: ${members.length} segments, ${Math.ceil(file.length / 1024)} KB; ${what}`)
}

/** Those that hold something of the chosen incidents. */
function segmentsOf({ told, played }: Gathered): readonly PlayedSegment[] {
  const { run, ties, chosen } = told
  const fromMs = Math.min(...chosen.map((one) => one.fromMs)) - MARGIN_MS
  const untilMs = Math.max(...chosen.map((one) => one.untilMs)) + MARGIN_MS
  return played.filter((one) => {
    const toRunMs = (ties.get(one.life)?.offsetMs ?? 0) - run.zeroMs
    return one.untilMs + toRunMs >= fromMs && one.fromMs + toRunMs <= untilMs
  })
}

/** All know of a name before the first one tells of it. */
function namesFor(sources: readonly SegmentSource[]): Pseudonyms {
  const names = new Pseudonyms(randomSeed().fork('pseudonyms'))
  for (const source of sources) {
    const segment = openSegment(source)
    if (segment !== undefined) names.learn(new Player(segment.head, sha256Hex).state)
  }
  return names
}

/** Up to the first thing that is wrong with it. */
function renamed(source: SegmentSource, names: Pseudonyms): Buffer {
  const parts: Buffer[] = [Buffer.from(MAGIC)]
  try {
    const segment = openSegment(source)
    if (segment === undefined) return Buffer.concat(parts)
    const { path, head, headAt } = segment
    const rewriter = located(path, headAt, () => new SegmentRewriter(head, names, sha256Hex))
    takeBlocks(segment, rewriter)
    const written = located(path, headAt, () => rewriter.rewritten())
    parts.push(frameOfSync('H', headText(written.head)))
    for (const text of written.blocks) parts.push(frameOfSync('B', text))
  } catch (error) {
    if (!(error instanceof SegmentFault)) throw error
    say(`vedette: a segment is not in the bundle: ${error.message}`)
  }
  return Buffer.concat(parts)
}

function takeBlocks(segment: RecordSegment, rewriter: SegmentRewriter): void {
  try {
    for (const { offset, block } of segment.blocks())
      located(segment.path, offset, () => rewriter.take(block))
  } catch (error) {
    if (!(error instanceof SegmentFault)) throw error
    say(`vedette: the bundle has less of a segment: ${error.message}`)
  }
}
