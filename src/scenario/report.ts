/**
 * A result as text for a terminal: the verdict, expectation by expectation, and then how the run
 * went.
 */
import { countOf } from '../base/count-of.ts'
import { formatDuration } from './duration.ts'
import { wordUnreachable } from './facts/unreachable-quorum.ts'
import type {
  GroupFacts,
  JudgedExpectation,
  LostWrites,
  ScenarioResult,
  TimelineEntry,
} from './result.ts'

/** Colours, or none. Each function returns the text with its colour. */
export interface Painter {
  good(text: string): string
  bad(text: string): string
  bold(text: string): string
  dim(text: string): string
}

const same = (text: string): string => text
export const PLAIN: Painter = { good: same, bad: same, bold: same, dim: same }

const WIDTH = 96

export interface ReportOptions {
  readonly painter?: Painter
  /** Leave the timeline out. */
  readonly brief?: boolean
  /** Whose time has passed; by default that of the engine. */
  readonly clock?: string
}

/** The text ends with a newline. */
export function renderReport(result: ScenarioResult, options: ReportOptions = {}): string {
  const paint = options.painter ?? PLAIN
  if (result.skipped !== undefined) return renderSkipped(result, result.skipped, paint)
  const lines = [
    ...renderHead(result, paint, options.clock ?? CLOCKS[result.engine]),
    ...result.expectations.map((expectation) => renderExpectation(expectation, paint)),
    ...result.violations.map(
      ({ atMs, checker, text }) =>
        `  ${paint.bad('✗')} ${checker}: ${text} (at ${formatDuration(atMs)})`,
    ),
    ...result.facts.groups.flatMap((facts) => renderFacts(facts, paint)),
    ...(options.brief === true ? [] : renderTimeline(result.timeline, paint)),
  ]
  return `${lines.join('\n')}\n`
}

function renderSkipped(result: ScenarioResult, reason: string, paint: Painter): string {
  const head = `${paint.dim('SKIPPED')}  ${paint.bold(result.name)}`
  return `${head}\n${paint.dim(`  ${result.file}, engine ${result.engine}: ${reason}`)}\n`
}

const CLOCKS = { sim: 'virtual', tcp: 'real', process: 'real' } as const

function renderHead(result: ScenarioResult, paint: Painter, clock: string): string[] {
  const passed = result.verdict === 'passed'
  const verdict = passed ? paint.good('PASSED') : paint.bad('FAILED')
  const time = `${formatDuration(result.endMs)} of ${clock} time`
  // Ours go without saying; others do not.
  const programs = result.programs === 'Vedette' ? '' : `, ${result.programs}`
  const run = `${result.file}, seed ${result.seed}, ${time}${programs}${wordLateness(result)}`
  const story = wrap(result.story).map((line) => paint.dim(`  ${line}`))
  return [`${verdict}  ${paint.bold(result.name)}`, paint.dim(`  ${run}`), ...story, '']
}

/** Below this, it explains no verdict. */
const NOTABLY_LATE_MS = 200

/** A deadline that was missed on a machine that stood still says little about the cluster. */
function wordLateness({ verdict, latestMs = 0 }: ScenarioResult): string {
  if (verdict === 'passed' || latestMs < NOTABLY_LATE_MS) return ''
  return `; this machine was busy, and up to ${formatDuration(Math.round(latestMs))} late`
}

function renderExpectation(expectation: JudgedExpectation, paint: Painter): string {
  const { passed, text, finding } = expectation
  const mark = passed ? paint.good('✓') : paint.bad('✗')
  if (finding === '') return `  ${mark} ${text}`
  return `  ${mark} ${text}: ${passed ? paint.dim(finding) : paint.bad(finding)}`
}

function renderFacts(facts: GroupFacts, paint: Painter): string[] {
  const { writes, lost } = facts
  const refused = Object.entries(writes.refused).map(([code, number]) => `${number} ${code}`)
  const parts = [
    countOf(writes.attempted, 'write'),
    `${writes.acknowledged} acknowledged`,
    ...(refused.length > 0 ? [`refused: ${refused.join(', ')}`] : []),
    `${writes.unknown} never answered`,
    wordLost(lost),
    ...staleIn(facts),
    ...anomaliesIn(facts),
  ]
  const times = [
    countOf(facts.failovers, 'failover'),
    `longest outage ${formatDuration(facts.longestOutageMs)}`,
    `two nodes acknowledging ${formatDuration(facts.dualWritesMs)}`,
    `master at the end: ${facts.finalMaster ?? 'not agreed'}`,
  ]
  const head = `  ${paint.bold(facts.group)}: ${parts.join(', ')}`
  return ['', head, `    ${times.join(', ')}`, ...unreachableIn(facts, paint)]
}

function wordLost(lost: LostWrites | undefined): string {
  if (lost === undefined) return 'lost writes unknown'
  const { byMajority, byCutOff, byDeposed } = lost
  const causes = [
    ...(lost.asynchronous > 0 ? [`${lost.asynchronous} not replicated in time`] : []),
    ...(lost.splitBrain > 0 ? [`${lost.splitBrain} in a split brain`] : []),
    ...(lost.emptyRestart > 0 ? [`${lost.emptyRestart} with an emptied node`] : []),
  ]
  const total = byMajority + byCutOff + byDeposed
  return `${total} lost${causes.length > 0 ? ` (${causes.join(', ')})` : ''}`
}

function staleIn({ staleReads: { fromDeposed, afterLoss } }: GroupFacts): string[] {
  const stale = fromDeposed + afterLoss
  return stale === 0 ? [] : [countOf(stale, 'stale read')]
}

function anomaliesIn({ shared }: GroupFacts): string[] {
  if (shared === undefined) return []
  return [`${shared.anomalies} of ${shared.histories} shared histories without a linear order`]
}

function unreachableIn({ unreachableQuorum: found }: GroupFacts, paint: Painter): string[] {
  if (found === undefined) return []
  return [`    ${paint.bad(`no automatic failover is possible: ${wordUnreachable(found)}`)}`]
}

function renderTimeline(entries: readonly TimelineEntry[], paint: Painter): string[] {
  const width = Math.max(4, ...entries.map(({ process }) => process?.length ?? 0))
  const lines = entries.map((entry) => {
    const seconds = (entry.atMs / 1_000).toFixed(3).padStart(9)
    const who = (entry.process ?? '').padEnd(width)
    return `  ${paint.dim(seconds)}  ${who}  ${dress(entry, paint)}`
  })
  return ['', ...lines]
}

function dress(entry: TimelineEntry, paint: Painter): string {
  if (entry.kind === 'fault') return paint.bold(entry.text)
  if (entry.kind === 'violation') return paint.bad(entry.text)
  return entry.kind === 'event' ? entry.text : paint.dim(entry.text)
}

function wrap(text: string): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= WIDTH) {
      lines[lines.length - 1] = `${last} ${word}`
    } else {
      lines.push(word)
    }
  }
  return lines
}
