/** Plays the segments of a record one after the other, step by step, for whoever looks on. */
import { type Difference, type PlayedStep, Player } from '../../blackbox/player.ts'
import { sha256Hex } from '../../io/blackbox/frames.ts'
import {
  located,
  openSegment,
  type RecordSegment,
  SegmentFault,
  type SegmentSource,
} from '../../io/blackbox/segment-reader.ts'

/** A step, and the place of its block. */
export interface PlacedStep extends PlayedStep {
  readonly path: string
  readonly offset: number
}

export interface SegmentOutcome {
  readonly path: string
  /** Undefined: its writer was cut off before it had written a head. */
  readonly myid: string | undefined
  readonly program: string
  /** Wall-clock milliseconds of the head and of the last step. */
  readonly fromMs: number
  readonly toMs: number
  readonly steps: number
  readonly decisions: number
  /** Where machine and record part, or where the file is damaged; undefined: nowhere. */
  readonly fault: string | undefined
}

/** Plays a segment to its end, or to the first thing that is wrong. */
export function* playSegment(source: SegmentSource): Generator<PlacedStep, SegmentOutcome> {
  const { path } = source
  const found = { path, steps: 0, decisions: 0, fromMs: 0, toMs: 0 }
  let segment: RecordSegment | undefined
  let fault: string | undefined
  try {
    segment = openSegment(source)
    if (segment !== undefined) {
      found.fromMs = segment.head.now.wallMs
      found.toMs = found.fromMs
      const steps = playBlocks(segment)
      let step = steps.next()
      for (; step.done !== true; step = steps.next()) {
        found.steps++
        found.toMs = step.value.now.wallMs
        if (step.value.isDecision) found.decisions++
        yield step.value
      }
      fault = step.value
    }
  } catch (error) {
    if (!(error instanceof SegmentFault)) throw error
    fault = error.message
  }
  const { myid, program = '' } = segment?.head ?? {}
  return { ...found, myid, program, fault }
}

/** Returns where machine and record part, in words. */
function* playBlocks(segment: RecordSegment): Generator<PlacedStep, string | undefined> {
  const { path, head } = segment
  const player = located(path, segment.headAt, () => new Player(head, sha256Hex))
  for (const { offset, block } of segment.blocks()) {
    const steps = player.play(block)
    let step = located(path, offset, () => steps.next())
    for (; step.done !== true; step = located(path, offset, () => steps.next()))
      yield { ...step.value, path, offset }
    if (step.value !== undefined) return worded(path, offset, block.entries.length, step.value)
  }
  return undefined
}

function worded(path: string, offset: number, steps: number, { at, what }: Difference): string {
  const place = at === undefined ? `one of ${steps} steps` : `step ${at + 1} of ${steps}`
  return `${path}, offset ${offset}, ${place}: ${what}`
}
