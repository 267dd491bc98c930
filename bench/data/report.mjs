/** The result for a reader: one table, and in words where we are behind. */
import { ratioOf, summarise } from '../support/statistics.mjs'
import { ratio, renderTable, whole } from '../support/table.mjs'
import { VALUE_BYTES } from './dataset.mjs'

const LINES = [
  { id: 'quietMaxMs', title: 'longest wait of a client, nothing else going on, ms' },
  { id: 'saveMs', title: 'BGSAVE, ms' },
  { id: 'saveMaxMs', title: '… longest wait of a client meanwhile, ms' },
  { id: 'saveP999Ms', title: '… p99.9 of their waits, ms' },
  { id: 'saveMib', title: '… memory it took at the most, MiB' },
  { id: 'readMaxMs', title: 'full copy for a replica elsewhere: longest wait of a client, ms' },
  { id: 'readP999Ms', title: '… p99.9 of their waits, ms' },
  { id: 'copyMs', title: 'full resynchronisation of a replica here, ms' },
  { id: 'copyMaxMs', title: '… longest wait of a client of the master, ms' },
  { id: 'copyP999Ms', title: '… p99.9 of their waits, ms' },
  { id: 'copyMib', title: '… memory it took the master at the most, MiB' },
  { id: 'partialMs', title: 'partial resynchronisation after a cut, ms' },
  { id: 'loadMs', title: 'start with the saved file, until it answers, ms' },
]
/** A difference within a twentieth means nothing on a machine that does other things too. */
const NOTABLE = 1.05

export function reportData(samples, contenders, keys) {
  const measured = samples.filter(({ failure }) => failure === undefined)
  const lines = LINES.map(({ id, title }) => ({
    title,
    summaries: contenders.map((one) =>
      summarise(measured.filter(({ contender }) => contender === one.id).map((one) => one[id])),
    ),
  }))
  const rivals = contenders.slice(1)
  const headings = ['min / median / max', ...contenders.map(({ title }) => title)]
  const rows = lines.map(({ title, summaries }) => [
    title,
    ...summaries.map(spreadOf),
    ...rivals.map(() => ratio(ratioOf(...summaries))),
  ])
  return [
    `${whole(keys)} keys with values of ${VALUE_BYTES} bytes, eight clients writing:`,
    renderTable([...headings, ...rivals.map(() => 'ratio')], rows),
    ...behind(lines),
  ].join('\n\n')
}

function spreadOf(summary) {
  if (summary === undefined) return '–'
  return [summary.min, summary.median, summary.max].map(shown).join(' / ')
}

function shown(value) {
  return value < 100 ? ratio(value) : whole(value)
}

/** Where our median is worse: stated in words, so that readers need not look for it. */
function behind(lines) {
  const worse = lines
    .map(({ title, summaries }) => ({ title, factor: ratioOf(...summaries) }))
    .filter(({ factor }) => factor > NOTABLE)
    .map(({ title, factor }) => `${title.replace(/, (ms|MiB)$/, '')} (${ratio(factor)} times)`)
  return worse.length === 0 ? [] : [`More than redis-server: ${worse.join('; ')}.`]
}
