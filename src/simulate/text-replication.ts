/** One configuration under three promises, side by side. */
import type { Painter } from '../scenario/report.ts'
import { type ModeRow, REPLICATION_MODES } from './replication-modes.ts'
import { durationText, left, paragraph, right, row } from './text-table.ts'

const COLUMNS = [left(15), left(14), right(12), right(12), right(12)]
const LATENCY = 'Latency: of the acknowledged writes of a history, and of that the median over all.'

export function replicationLines(rows: readonly ModeRow[], paint: Painter): string[] {
  const told = rows.filter(({ values }) => values.some((value) => (value ?? 0) > 0))
  return [
    paint.bold(row(COLUMNS, ['', '', ...REPLICATION_MODES])),
    ...told.map((one) => row(COLUMNS, [one.measure, one.of, ...one.values.map(wordFor(one))])),
    '',
    ...paragraph(LATENCY, '  '),
  ]
}

function wordFor({ unit }: ModeRow): (value: number | undefined) => string {
  const word = unit === 'ms' ? durationText : String
  return (value) => (value === undefined ? '-' : word(value))
}
