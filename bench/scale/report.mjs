/** One table for each number of groups: what each contender costs, and how it compares with the peer. */
import { inWords } from '../support/rounds.mjs'
import { ratioOf, summarise } from '../support/statistics.mjs'
import { ratio, renderTable, spread, whole } from '../support/table.mjs'
import { PEER } from './contenders.mjs'
import { SENTINELS } from './fleet.mjs'

const MEASURES = [
  { id: 'settledMs', title: 'start → everybody knows everybody, ms', digits: 0 },
  { id: 'cpuPercent', title: 'processor time of a Sentinel, % of a core', digits: 2 },
  { id: 'memoryMb', title: 'its memory, MB', digits: 0 },
  { id: 'p50Ms', title: 'GET-MASTER-ADDR-BY-NAME, median, ms', digits: 2 },
  { id: 'p99Ms', title: 'GET-MASTER-ADDR-BY-NAME, 99 of 100, ms', digits: 2 },
  { id: 'halfMs', title: 'masters killed → half of them replaced everywhere, ms', digits: 0 },
  { id: 'allMs', title: 'masters killed → all of them replaced everywhere, ms', digits: 0 },
  { id: 'busyP99Ms', title: 'meanwhile: GET-MASTER-ADDR-BY-NAME, 99 of 100, ms', digits: 2 },
  { id: 'left', title: 'killed masters that were not replaced', digits: 0 },
  { id: 'wronged', title: 'healthy masters that were replaced', digits: 0 },
]

/** The part for one number of groups; `contenders` are those that were measured. */
export function reportScale(samples, contenders, { count, kill, downAfterMs }) {
  const own = samples.filter((one) => one.count === count)
  const rivals = contenders.some(({ id }) => id === PEER)
    ? contenders.filter(({ id }) => id !== PEER)
    : []
  const headings = [
    'min / median / max',
    ...contenders.map(({ id, title }) => `${id}: ${title}`),
    ...rivals.map(({ id }) => `${id} : ${PEER}`),
  ]
  const rows = MEASURES.map((measure) => row(measure, own, { contenders, rivals }))
  const what = `**${count} groups, ${2 * count} data nodes, ${SENTINELS} Sentinels; ${kill} masters killed at once, down-after ${whole(downAfterMs)} ms.**`
  return [what, renderTable(headings, rows), failuresOf(own)].filter((it) => it !== '').join('\n\n')
}

function row({ id, title, digits }, samples, { contenders, rivals }) {
  const summaryOf = (contender) => {
    const own = samples.filter((one) => one.contender === contender)
    return summarise(own.map((one) => one[id]))
  }
  const cells = contenders.map((one) => spread(summaryOf(one.id), digits))
  const ratios = rivals.map((one) => ratio(ratioOf(summaryOf(one.id), summaryOf(PEER))))
  return [title, ...cells, ...ratios]
}

function failuresOf(samples) {
  const failed = samples.filter(({ failure }) => failure !== undefined)
  const runs = failed.map(({ round, contender }) => inWords({ round, contender }))
  return runs.length === 0 ? '' : `Could not be measured: ${runs.join('; ')}.`
}
