/** The results for a terminal: of all histories measures, counts, outages by length, kinds of incident; and one history in a few lines. */
import type { Painter } from '../scenario/report.ts'
import type { SimulatedCluster } from './cluster.ts'
import type { Distribution } from './distribution.ts'
import { INCIDENTS } from './incident.ts'
import {
  type GroupMeasured,
  type IncidentOutcome,
  lostTotal,
  type MeasuredHistory,
} from './measure.ts'
import type { KindSummary, Summary, Tally } from './summary.ts'
import { bar, durationText, entry, left, right, row, truncate } from './text-table.ts'

/** Measures are shown for each group: for different rules a common median means nothing. */
export function summaryLines(
  summary: Summary,
  groups: readonly GroupSummary[],
  paint: Painter,
): string[] {
  const isOne = groups.length === 1
  return [
    ...groups.flatMap((group) => [
      ...measureLines(isOne ? '' : group.title, group.summary, paint),
      '',
    ]),
    ...countLines(summary, paint),
    '',
    ...outageLines(summary, paint),
    '',
    ...kindLines(summary, paint),
  ]
}

export interface GroupSummary {
  readonly title: string
  readonly summary: Summary
}

const MEASURES = [left(17), right(9), right(8), right(8), right(8), right(8), right(6)]

function measureLines(title: string, summary: Summary, paint: Painter): string[] {
  const head = row(MEASURES, [
    truncate(title, 17),
    'histories',
    'median',
    'p90',
    'p99',
    'max',
    'worst',
  ])
  const { sdownMs, odownMs, outageMs, lost, twoMastersMs } = summary
  return [
    paint.bold(head),
    measureLine('noticed (+sdown)', sdownMs, durationText),
    measureLine('agreed (+odown)', odownMs, durationText),
    measureLine('outage', outageMs, durationText),
    measureLine('two masters', twoMastersMs, durationText),
    measureLine('lost writes', lost, String),
  ]
}

/** The last column is the seed to look at. */
function measureLine(
  name: string,
  found: Distribution | undefined,
  text: (value: number) => string,
): string {
  if (found === undefined) return row(MEASURES, [name, 'none'])
  const { n, median, p90, p99, max, worstSeed } = found
  return row(MEASURES, [name, `${n}`, ...[median, p90, p99, max].map(text), `#${worstSeed}`])
}

function countLines(summary: Summary, paint: Painter): string[] {
  const { histories, failedOver, needless, missing, impossible } = summary
  return [
    ...entry('failed over', `${failedOver.histories} of ${histories} histories`, COUNT_INDENT),
    ...countLine('needless', needless, NEEDLESS, paint),
    ...countLine('did not come', missing, MISSING, paint),
    ...countLine('impossible', impossible, IMPOSSIBLE, paint),
    ...lostLines(summary),
    ...violationLines(summary, paint),
  ]
}

const COUNT_INDENT = 19
const NEEDLESS = 'the old master could be used, or could within a second'
const MISSING = 'the master was lost, a majority was there, and no replica took over'
const IMPOSSIBLE = 'with the master went the majority, or the last replica'

function countLine(word: string, { histories, worstSeed }: Tally, text: string, paint: Painter) {
  if (histories === 0) return entry(word, '0', COUNT_INDENT)
  const [first = '', ...rest] = entry(
    word,
    `${histories}, worst #${worstSeed}: ${text}`,
    COUNT_INDENT,
  )
  return [first.replace(`${histories},`, paint.bad(`${histories},`)), ...rest]
}

function lostLines({ lostByCause, lostUnknown, lost }: Summary): string[] {
  const { asynchronous, splitBrain, emptyRestart } = lostByCause
  const causes = [
    ...(splitBrain > 0 ? [`${splitBrain} in a split brain`] : []),
    ...(asynchronous > 0 ? [`${asynchronous} not replicated in time`] : []),
    ...(emptyRestart > 0 ? [`${emptyRestart} with an emptied node`] : []),
    ...(lostUnknown > 0 ? [`unknown in ${lostUnknown} that ended without a master`] : []),
  ]
  if (lost === undefined && causes.length === 0) return []
  return entry('lost writes', causes.join(', '), COUNT_INDENT)
}

function violationLines({ violated }: Summary, paint: Painter): string[] {
  const [first] = violated
  if (first === undefined) return []
  const text = `in ${violated.length} histories, first #${first}: please report it with its seed`
  return entry('mistakes', text, COUNT_INDENT).map((line) => paint.bad(line))
}

const LENGTHS_MS: readonly number[] = [500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000]
const BAR_CELLS = 50

/** How many histories had a longest outage of each length. */
function outageLines({ outages }: Summary, paint: Painter): string[] {
  const none = { label: 'none', count: outages.filter((ms) => ms === 0).length }
  const bins = LENGTHS_MS.map((untilMs, index) => {
    const fromMs = LENGTHS_MS[index - 1] ?? 0
    const count = outages.filter((ms) => ms > fromMs && ms <= untilMs).length
    return { label: `to ${durationText(untilMs)}`, count }
  })
  const lastMs = LENGTHS_MS.at(-1) ?? 0
  const over = { label: 'longer', count: outages.filter((ms) => ms > lastMs).length }
  const all = [none, ...bins, over]
  const lastUsed = all.findLastIndex(({ count }) => count > 0)
  const max = Math.max(...all.map(({ count }) => count))
  return [
    paint.bold('  longest outage of a history'),
    ...all.slice(0, lastUsed + 1).map(({ label, count }) => {
      const filled = count === 0 ? '' : `${bar(count, max, BAR_CELLS)} `
      return `  ${label.padStart(9)}  ${filled}${count}`
    }),
  ]
}

const KINDS = [left(22), right(3), right(6), right(8), right(5), right(7), right(7), right(5)]

function kindLines({ kinds }: Summary, paint: Painter): string[] {
  const above = row(KINDS, ['', '', 'failed', '', '', 'outage:'])
  const head = ['what happened', 'n', 'over', 'needless', 'stuck', 'median', 'max', 'lost']
  return [paint.bold(above), paint.bold(row(KINDS, head)), ...kinds.map((kind) => kindLine(kind))]
}

function kindLine(kind: KindSummary): string {
  const { histories, failedOver, needless, stuck, outageMs, lost } = kind
  const outage =
    outageMs === undefined ? ['', ''] : [outageMs.median, outageMs.max].map(durationText)
  const cells = [histories, ...[failedOver, needless, stuck].map(orBlank)]
  return row(KINDS, [INCIDENTS[kind.kind].title, ...cells.map(String), ...outage, orBlank(lost)])
}

/** Zeros are left blank, so that the eye finds the other numbers. */
function orBlank(count: number): string {
  return count === 0 ? '' : `${count}`
}

/** What the tables of all histories are made of. */
export function measuredLines({ groups }: MeasuredHistory, cluster: SimulatedCluster): string[] {
  return groups.flatMap((group, index) =>
    entry(cluster.groups[index]?.title ?? '', partsOf(group).join(', ')),
  )
}

const OUTCOMES: Readonly<Record<IncidentOutcome, string>> = {
  unneeded: 'no failover needed',
  came: 'failed over',
  missing: 'a failover should have come and did not',
  impossible: 'no replica, or no majority, was left to fail over',
}

function partsOf(group: GroupMeasured): string[] {
  const { sdownMs, odownMs, outageMs, twoMastersMs, lost, failovers, needless, refused } = group
  const times = failovers > 1 ? ` ${failovers} times` : ''
  return [
    `${OUTCOMES[group.outcome]}${times}${needless > 0 ? ', needlessly' : ''}`,
    ...(sdownMs === undefined ? [] : [`noticed after ${durationText(sdownMs)}`]),
    ...(odownMs === undefined ? [] : [`agreed after ${durationText(odownMs)}`]),
    outageMs === undefined ? 'all clients cut off' : `outage ${durationText(outageMs)}`,
    ...(twoMastersMs > 0 ? [`two masters for ${durationText(twoMastersMs)}`] : []),
    ...(refused > 0 ? [`${refused} writes refused for lack of replicas`] : []),
    lost === undefined ? 'lost writes unknown' : `${lostTotal(lost)} writes lost`,
  ]
}
