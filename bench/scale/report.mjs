/** One table a number of groups: what each make costs, and how it stands to the peer. */
import { ratioOf, summarise } from '../support/statistics.mjs'
import { ratio, renderTable } from '../support/table.mjs'

const MEASURES = [
  { id: 'settledMs', title: 'start → everybody knows everybody, ms', digits: 0 },
  { id: 'cpuPercent', title: 'processor time of a Sentinel, % of a core', digits: 2 },
  { id: 'memoryMb', title: 'its memory, MB', digits: 0 },
  { id: 'p50Ms', title: 'GET-MASTER-ADDR-BY-NAME, median, ms', digits: 2 },
  { id: 'p99Ms', title: 'GET-MASTER-ADDR-BY-NAME, 99 of 100, ms', digits: 2 },
  { id: 'switchedMs', title: 'all masters killed → all switched everywhere, ms', digits: 0 },
]

export function reportScale(samples, contenders) {
  const numbers = [...new Set(samples.map(({ count }) => count))]
  return numbers.map((count) => partOf(samples, contenders, count)).join('\n\n')
}

function partOf(samples, contenders, count) {
  const headings = [
    'min / median / max',
    ...contenders.map(({ title }) => title),
    'Vedette : Redis',
  ]
  const rows = MEASURES.map((measure) => {
    const all = contenders.map(({ id }) => summaryOf(samples, count, id, measure.id))
    const cells = all.map((summary) => spread(summary, measure.digits))
    return [measure.title, ...cells, ratio(ratioOf(all[0], all[1]))]
  })
  return `**${count} groups, ${2 * count} data nodes, 3 Sentinels.**\n\n${renderTable(headings, rows)}`
}

function summaryOf(samples, count, contender, measure) {
  const own = samples.filter((one) => one.count === count && one.contender === contender)
  return summarise(own.map((one) => one[measure]))
}

function spread(summary, digits) {
  if (summary === undefined) return '–'
  return [summary.min, summary.median, summary.max].map((one) => one.toFixed(digits)).join(' / ')
}
