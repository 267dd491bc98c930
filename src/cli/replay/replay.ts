/** `vedette replay`: the production machine, run again on the record of a Sentinel. */
import { beliefOf } from '../../blackbox/belief.ts'
import { isJournal, readJournal } from '../../io/blackbox/journal-reader.ts'
import { segmentsAt } from '../../io/blackbox/records-at.ts'
import type { SegmentSource } from '../../io/blackbox/segment-reader.ts'
import { printJson } from '../json-answer.ts'
import { EXIT_CONFIG, EXIT_FAILED, say } from '../report.ts'
import { drawsInPlace } from '../terminal.ts'
import { journalJson, showJournals } from './journal.ts'
import { sayNoRecord } from './no-record.ts'
import { type PlacedStep, playSegment, type SegmentOutcome } from './play.ts'
import { StepView } from './step-view.ts'
import { announcedLines, clockTime, outcomeLine, shownText, verdictLine } from './words.ts'

export interface RecordReplayOptions {
  readonly events?: boolean
  /** Wall-clock milliseconds. */
  readonly at?: number
  readonly step?: boolean
  readonly json?: boolean
}

/** Returns the exit status. */
export async function runReplay(
  records: readonly string[],
  options: RecordReplayOptions,
): Promise<number> {
  const { events, at, step, json } = options
  if ([events, at !== undefined, step, json].filter(Boolean).length > 1) {
    say('vedette: use only one of --events, --at, --step and --json')
    return EXIT_CONFIG
  }
  const found = segmentsAt(records)
  if (found.length === 0) {
    sayNoRecord('record', records)
    return EXIT_FAILED
  }
  const journals = found.filter(isJournal)
  const sources = found.filter((one) => !journals.includes(one))
  if (sources.length === 0) return showOnly(journals, options)
  if (step === true) return stepThrough(sources)
  if (at !== undefined) return showMoment(sources, at)
  const outcomes = sources.map((source) => playToEnd(source, events === true))
  if (json === true) {
    const all = [...outcomes, ...journals.map(readJournal).map(journalJson)]
    printJson(all)
    return statusOf(outcomes)
  }
  const lines = [...outcomes.map(outcomeLine), verdictLine(outcomes)]
  process.stdout.write(`${lines.join('\n')}\n`)
  return showJournals(journals, events === true) ? statusOf(outcomes) : EXIT_FAILED
}

/** Nothing is there that could be played. */
function showOnly(
  journals: readonly SegmentSource[],
  { events, at, step, json }: RecordReplayOptions,
): number {
  if (at !== undefined || step === true) {
    say('vedette: a journal is a list of facts and cannot be played: use --events')
    return EXIT_CONFIG
  }
  if (json === true) {
    const read = journals.map(readJournal)
    printJson(read.map(journalJson))
    return read.every(({ fault }) => fault === undefined) ? 0 : EXIT_FAILED
  }
  return showJournals(journals, events === true) ? 0 : EXIT_FAILED
}

function statusOf(outcomes: readonly SegmentOutcome[]): number {
  return outcomes.every(({ fault }) => fault === undefined) ? 0 : EXIT_FAILED
}

function playToEnd(source: SegmentSource, isShowingEvents: boolean): SegmentOutcome {
  const steps = playSegment(source)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    if (!isShowingEvents) continue
    for (const line of announcedLines(value)) process.stdout.write(`${line}\n`)
  }
}

/**
 * What the last step before a moment left behind. Where the wall clock was set back, a later step may have an earlier
 * time: the step that is nearest to the moment counts.
 */
function showMoment(sources: readonly SegmentSource[], atMs: number): number {
  let belief: readonly string[] | undefined
  let shownMs = 0
  let endMs = 0
  const outcomes: SegmentOutcome[] = []
  const look = ({ state, now, next }: PlacedStep): void => {
    endMs = Math.max(endMs, now.wallMs)
    const isLast = now.wallMs <= atMs && (next === undefined || next.wallMs > atMs)
    if (!isLast || now.wallMs < shownMs) return
    shownMs = now.wallMs
    belief = [`at ${clockTime(shownMs)}:`, ...beliefOf(state, now).map(shownText)]
  }
  for (const source of sources) {
    const steps = playSegment(source)
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) look(step.value)
    outcomes.push(step.value)
  }
  if (belief === undefined) {
    say(`vedette: the record begins after ${clockTime(atMs)}`)
    return EXIT_FAILED
  }
  const faults = outcomes.flatMap(({ fault }) => (fault === undefined ? [] : [`vedette: ${fault}`]))
  for (const fault of faults) say(fault)
  if (endMs < atMs) say(`vedette: the record ends at ${clockTime(endMs)}: this is its last moment`)
  process.stdout.write(`${belief.join('\n')}\n`)
  return statusOf(outcomes)
}

async function stepThrough(sources: readonly SegmentSource[]): Promise<number> {
  if (process.stdin.isTTY !== true || !drawsInPlace(process.stdout)) {
    say('vedette: --step needs a terminal; without one, use --events or --at')
    return EXIT_CONFIG
  }
  return new StepView(sources).run()
}
