/** Two configurations side by side, with what became better or worse; and one under three promises. */
import type { Painter } from '../scenario/report.ts'
import type { Changes, ComparedRow, Comparison, SeedChange } from './compare.ts'
import { INCIDENTS } from './incident.ts'
import { type ModeRow, REPLICATION_MODES } from './replication-modes.ts'
import { durationText, left, paragraph, right, row } from './text-table.ts'

const COLUMNS = [left(15), left(14), right(13), right(13), right(8)]

/** A and B are the first and the second configuration. */
export function comparisonLines(comparison: Comparison, paint: Painter): string[] {
  return [
    paint.bold(row(COLUMNS, ['', '', 'A', 'B', 'change'])),
    ...comparison.rows.filter(isWorthSaying).map((each) => comparedLine(each, paint)),
    '',
    ...kindLines(comparison, paint),
    '',
    ...paragraph(
      changesText('outage', 'shorter', 'longer', comparison.outages, durationText),
      '  ',
    ),
    ...paragraph(changesText('lost writes', 'fewer', 'more', comparison.losses, String), '  '),
  ]
}

const KINDS = [left(22), right(3), right(6), right(5), right(8), right(8), right(5), right(5)]

function kindLines({ kinds }: Comparison, paint: Painter): string[] {
  return [
    paint.bold(row(KINDS, ['', '', 'failed', 'over', 'median', 'outage', 'lost', ''])),
    paint.bold(row(KINDS, ['what happened', 'n', 'A', 'B', 'A', 'B', 'A', 'B'])),
    ...kinds.map(({ kind, histories, failedOver, outageMedianMs, lost }) =>
      row(KINDS, [
        INCIDENTS[kind].title,
        ...[histories, ...failedOver].map(orBlank),
        ...outageMedianMs.map((ms) => (ms === undefined ? '' : durationText(ms))),
        ...lost.map(orBlank),
      ]),
    ),
  ]
}

function orBlank(count: number): string {
  return count === 0 ? '' : `${count}`
}

/** Rows that are empty for both are left out. */
function isWorthSaying({ values }: ComparedRow): boolean {
  return values.some((value) => value !== undefined && value > 0)
}

function comparedLine({ measure, of, unit, values }: ComparedRow, paint: Painter): string {
  const [a, b] = values
  const word = unit === 'ms' ? durationText : String
  const cells = [measure, of, ...values.map((value) => (value === undefined ? '-' : word(value)))]
  if (a === undefined || b === undefined) return row(COLUMNS, cells)
  const change = b - a
  if (isSmall(change, a)) return row(COLUMNS, [...cells, '='])
  const line = row(COLUMNS, [...cells, `${change < 0 ? '-' : '+'}${word(Math.abs(change))}`])
  // One failover more or less is neither good nor bad in itself.
  if (measure === 'failovers' && of === 'all') return line
  const mark = change < 0 ? paint.good(' better') : paint.bad(' worse')
  return `${line}${mark}`
}

/** A difference of one percent decides nothing. */
function isSmall(change: number, from: number): boolean {
  return Math.abs(change) * 100 <= Math.abs(from)
}

function changesText(
  what: string,
  better: string,
  worse: string,
  changes: Changes,
  word: (value: number) => string,
): string {
  const most = (change: SeedChange | undefined): string =>
    change === undefined ? '' : ` (#${change.seed}: ${word(change.from)} → ${word(change.to)})`
  return [
    `History by history, ${what}:`,
    `${better} in ${changes.better}${most(changes.best)},`,
    `${worse} in ${changes.worse}${most(changes.worst)},`,
    `as before in ${changes.same}.`,
  ].join(' ')
}

const MODES = [left(15), left(14), right(12), right(12), right(12)]
const LATENCY = 'Latency: of the acknowledged writes of a history, and of that the median over all.'

export function replicationLines(rows: readonly ModeRow[], paint: Painter): string[] {
  const told = rows.filter(({ values }) => values.some((value) => (value ?? 0) > 0))
  return [
    paint.bold(row(MODES, ['', '', ...REPLICATION_MODES])),
    ...told.map((one) => row(MODES, [one.measure, one.of, ...one.values.map(wordOf(one))])),
    '',
    ...paragraph(LATENCY, '  '),
  ]
}

function wordOf({ unit }: ModeRow): (value: number | undefined) => string {
  const word = unit === 'ms' ? durationText : String
  return (value) => (value === undefined ? '-' : word(value))
}
