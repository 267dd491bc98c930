/** The result for a reader: one table per fault, and in words where we are behind the peer. */
import { inWords } from '../support/rounds.mjs'
import { ratioOf, summarise } from '../support/statistics.mjs'
import { ratio, renderTable, spread } from '../support/table.mjs'
import { PEER, titleOf } from './contenders.mjs'

const SENTINEL_MEASURES = [
  { title: 'fault → first `+sdown master`, ms', pick: ({ detectedMs }) => detectedMs },
  { title: '`+sdown` → a new master takes a write, ms', pick: ({ writableMs }) => writableMs },
  {
    title: '`+sdown` → `+switch-master` on the last Sentinel, ms',
    pick: ({ switchedMs }) => switchedMs,
  },
]

/** `contenders`, `faults` and `clients` are those that were measured. */
export function reportFailover(samples, { contenders, faults, clients }) {
  const measures = measuresOf(clients)
  const parts = faults.flatMap((fault) => {
    const own = samples.filter((sample) => sample.fault === fault.id)
    const summaries = contenders.map((contender) => summaryOf(own, contender, measures))
    return [
      `**${fault.name}**: ${fault.title}.`,
      renderTable(
        headings(contenders),
        measures.map((measure, at) => row(measure, at, summaries)),
      ),
      behind(summaries, measures),
    ]
  })
  return [...parts, unfinished(samples)].filter((part) => part !== '').join('\n\n')
}

function measuresOf(clients) {
  const outages = clients.map((client) => ({
    title: `fault → the next acknowledged write of ${client}, ms`,
    pick: ({ resumedMs }) => resumedMs?.[client],
  }))
  const losses = { title: 'acknowledged writes lost', pick: ({ lost }) => lost }
  return [...SENTINEL_MEASURES, ...outages, losses]
}

/** `{ id, of }`: what was measured, in the order of the measures. */
function summaryOf(samples, { id }, measures) {
  const own = samples.filter((sample) => sample.contender === id)
  return { id, of: measures.map(({ pick }) => summarise(own.map(pick))) }
}

function headings(contenders) {
  const names = contenders.map((one) => `${one.id}: ${titleOf(one)}`)
  return ['min / median / max', ...names, ...rivals(contenders).map(({ id }) => `${id} : ${PEER}`)]
}

function row({ title }, at, summaries) {
  const peer = peerOf(summaries)
  const cells = summaries.map(({ of }) => spread(of[at]))
  const ratios = rivals(summaries).map(({ of }) => ratio(ratioOf(of[at], peer.of[at])))
  return [title, ...cells, ...ratios]
}

function peerOf(summaries) {
  return summaries.find(({ id }) => id === PEER)
}

/** The contenders that are compared with the peer; none if the peer was not measured. */
function rivals(contenders) {
  return peerOf(contenders) === undefined ? [] : contenders.filter(({ id }) => id !== PEER)
}

/** Where a median is worse than the peer's: stated in words, so that readers need not look for it. */
function behind(summaries, measures) {
  const peer = peerOf(summaries)
  const faults = rivals(summaries).flatMap(({ id, of }) =>
    measures
      .filter((_, at) => isWorse(of[at], peer.of[at]))
      .map(({ title }) => `${id} in “${title}”`),
  )
  return faults.length === 0 ? '' : `Behind ${PEER} by the median: ${faults.join('; ')}.`
}

function isWorse(ours, theirs) {
  return ours !== undefined && theirs !== undefined && ours.median > theirs.median
}

/** What is missing from the tables, or incomplete: stated as well. */
function unfinished(samples) {
  const isSlow = (sample) => sample.failure === undefined && sample.lost === undefined
  return [
    listed(
      'Not finished within its bound, and counted only as far as it came',
      samples.filter(isSlow),
    ),
    listed(
      'Could not be measured',
      samples.filter(({ failure }) => failure !== undefined),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function listed(claim, samples) {
  const runs = samples.map(({ round, fault, contender }) => inWords({ round, fault, contender }))
  return runs.length === 0 ? '' : `${claim}: ${runs.join('; ')}.`
}
