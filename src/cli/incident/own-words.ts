/** What data nodes and proxies say of themselves, from their journals, beside what the Sentinels tell. */
import type { NodeLife, NodeTie } from '../../blackbox/incident/node-time.ts'
import type { Happening } from '../../history/happening.ts'
import type { Chapter } from '../../report/chain/chain.ts'
import { formatDuration } from '../../scenario/duration.ts'
import { wordsOf } from '../replay/journal.ts'
import { printable } from '../status/asking.ts'
import type { RecordedRun } from './recorded-run.ts'
import type { MissingRecord } from './wire-records.ts'

export type NodeTies = ReadonlyMap<NodeLife, NodeTie>

export interface OwnWord {
  readonly atMs: number
  readonly process: string
  /** Its row in the table of events. */
  readonly fact: string
  readonly text: string
}

/** What led to an incident and what followed from it: so much before and behind it. */
const NEAR_MS = 2_000
/** A node may be able to say nothing but one thing a thousand times. */
const MOST_WORDS = 500

/** The same run, with what the journals say. */
export function withJournals(run: RecordedRun, ties: NodeTies): RecordedRun {
  if (ties.size === 0) return run
  const said = [...ties].flatMap(([{ entries }, { address, offsetMs }]) =>
    entries.map((entry): Happening => {
      const atMs = entry.now.monoMs + offsetMs - run.zeroMs
      const fact = printable(entry.kind)
      return { atMs, process: printable(address), kind: 'said', fact, text: wordsOf(entry) }
    }),
  )
  const happenings = [...run.history.happenings, ...said]
  happenings.sort((one, other) => one.atMs - other.atMs)
  return { ...run, history: { ...run.history, happenings } }
}

/** Near the incident, in the order of causes. */
export function ownWordsOf({
  run,
  chapter,
}: {
  readonly run: RecordedRun
  readonly chapter: Chapter
}): readonly OwnWord[] {
  const [fromMs, untilMs] = [chapter.fromMs - NEAR_MS, chapter.untilMs + NEAR_MS]
  const words = run.history.happenings.flatMap((one): OwnWord[] => {
    if (one.kind !== 'said' || one.process === undefined) return []
    const { atMs, process, fact, text } = one
    return atMs < fromMs || atMs > untilMs ? [] : [{ atMs, process, fact, text }]
  })
  return words.slice(0, MOST_WORDS)
}

/** How far the clock of each node is off. */
export function nodeClockLines(ties: NodeTies): readonly string[] {
  return [...ties].map(([{ head }, { address, aheadMs, withinMs }]) => {
    const name = printable(`${head.keeper} ${address} (run ${head.runId.slice(0, 8)})`)
    if (withinMs === undefined)
      return `nothing ties the clock of ${name} to those of the Sentinels: its own clock is believed`
    const stray = formatDuration(Math.abs(aheadMs))
    const where =
      aheadMs === 0 ? 'shows the same' : aheadMs > 0 ? `is ${stray} ahead` : `is ${stray} behind`
    return `the clock of ${name} ${where}, as its answers to the Sentinels show, to within ${withinMs} ms`
  })
}

/** Where no node keeps a journal, none is missed. */
export function silentLines(ties: NodeTies, silent: readonly MissingRecord[]): readonly string[] {
  if (ties.size === 0) return []
  return silent.map(
    ({ address, reason }) => `what ${address} says of itself is not known: ${reason}`,
  )
}
