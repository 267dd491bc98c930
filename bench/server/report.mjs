/** The result for a reader: two tables, and in words where we are behind. */
import { ratioOf, summarise } from '../support/statistics.mjs'
import { ratio, renderTable, spread, whole } from '../support/table.mjs'
import { KEYS, VALUE_BYTES } from './resync.mjs'
import { PHASES } from './throughput.mjs'

const MEASURES = [
  { id: 'requestsPerSecond', title: 'requests/s', format: whole },
  { id: 'p99Ms', title: 'p99, ms', format: ratio },
  { id: 'cpuUs', title: 'CPU, µs/request', format: ratio },
]
/** A rate within a twentieth of the other means nothing on a machine that does other things too. */
const NOTABLE = 0.95

/** `contenders` are those that were measured, ours first. */
export function reportServer({ throughput, resync }, contenders) {
  const lines = throughput.length === 0 ? [] : throughputLines(throughput, contenders)
  const durations = byContender(contenders, resync, 'durationMs')
  const names = contenders.map(({ title }) => title).join(' / ')
  const rates = [`redis-benchmark, medians (${names}):`, throughputTable(lines, contenders)]
  return [
    ...(lines.length === 0 ? [] : rates),
    `Full resynchronisation of ${whole(KEYS)} keys of ${VALUE_BYTES} bytes to a fresh replica:`,
    resyncTable(durations, contenders),
    ...behind(lines, durations),
  ].join('\n\n')
}

/** One line per command and pipeline; for each measure, a summary per contender. */
function throughputLines(samples, contenders) {
  return PHASES.flatMap(({ depth, workloads }) =>
    workloads.map(({ title: command }) => {
      const own = samples.filter((one) => one.command === command && one.depth === depth)
      const of = MEASURES.map(({ id }) => [id, byContender(contenders, own, id)])
      return { title: `${command}, -P ${depth}`, of: Object.fromEntries(of) }
    }),
  )
}

function byContender(contenders, samples, field) {
  return contenders.map(({ id }) => {
    const own = samples.filter(({ contender }) => contender === id)
    return summarise(own.map((sample) => sample[field]))
  })
}

function throughputTable(lines, contenders) {
  const rivals = contenders.slice(1)
  const columns = MEASURES.flatMap(({ title }) => [title, ...rivals.map(() => 'ratio')])
  const rows = lines.map(({ title, of }) => [
    title,
    ...MEASURES.flatMap(({ id, format }) => [
      of[id].map((summary) => format(summary?.median)).join(' / '),
      ...rivals.map(() => ratio(ratioOf(...of[id]))),
    ]),
  ])
  return renderTable(['command', ...columns], rows)
}

function resyncTable(durations, contenders) {
  const rivals = contenders.slice(1)
  const names = contenders.map(({ title }) => `${title} to ${title}`)
  const row = ['time, ms', ...durations.map(spread), ...rivals.map(() => ratioOf(...durations))]
  const cells = row.map((cell) => (typeof cell === 'number' ? ratio(cell) : cell))
  return renderTable(['min / median / max', ...names, ...rivals.map(() => 'ratio')], [cells])
}

/** Where our median is slower: stated in words, so that readers need not look for it. */
function behind(lines, durations) {
  const slower = lines
    .map(({ title, of }) => ({ title, factor: ratioOf(...of.requestsPerSecond) }))
    .filter(({ factor }) => factor < NOTABLE)
    .sort((a, b) => a.factor - b.factor)
    .map(({ title, factor }) => `${title} (${ratio(factor)} of its rate)`)
  const time = ratioOf(...durations)
  if (time > 1 / NOTABLE) slower.push(`full resynchronisation (${ratio(time)} times as long)`)
  return slower.length === 0 ? [] : [`Slower than redis-server: ${slower.join('; ')}.`]
}
