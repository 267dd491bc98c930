/** What a reader gets: one table per fault, and in words what stands behind the peer. */
import { ratioOf, summarise } from '../support/statistics.mjs'
import { ratio, renderTable, spread } from '../support/table.mjs'
import { FAULTS } from './contenders.mjs'

const MEASURES = [
  { id: 'detectedMs', title: 'fault → first `+sdown master`, ms' },
  { id: 'writableMs', title: '`+sdown` → a new master takes a write, ms' },
  { id: 'switchedMs', title: '`+sdown` → `+switch-master` on the last Sentinel, ms' },
  { id: 'resumedMs', title: 'fault → the client’s next acknowledged write, ms' },
  { id: 'lost', title: 'acknowledged writes lost' },
]

/** `contenders` are those that were measured. */
export function reportFailover(samples, contenders) {
  const parts = FAULTS.flatMap((fault) => {
    const ours = samples.filter((sample) => sample.fault === fault.signal)
    const summaries = summariesOf(ours, contenders)
    return [
      `**${fault.signal} of the master**: ${fault.title}.`,
      renderTable(
        headings(contenders),
        MEASURES.map((measure) => row(measure, summaries)),
      ),
      behind(summaries),
    ]
  })
  return [...parts, unfinished(samples)].filter((part) => part !== '').join('\n\n')
}

/** Contender id → measure id → summary. */
function summariesOf(samples, contenders) {
  const entries = contenders.map(({ id, title }) => {
    const own = samples.filter((sample) => sample.contender === id)
    const of = Object.fromEntries(
      MEASURES.map((measure) => [measure.id, summarise(own.map((sample) => sample[measure.id]))]),
    )
    return [id, { id, title, of }]
  })
  return new Map(entries)
}

function headings(contenders) {
  const names = contenders.map(({ id, title }) => `${id}: ${title}`)
  return ['min / median / max', ...names, ...rivals(contenders).map(({ id }) => `${id} : C`)]
}

function row({ id, title }, summaries) {
  const all = [...summaries.values()]
  const cells = all.map(({ of }) => spread(of[id]))
  const ratios = rivals(all).map(({ of }) => ratio(ratioOf(of[id], summaries.get('C').of[id])))
  return [title, ...cells, ...ratios]
}

/** Those that are compared with C; nobody, when C could not be measured. */
function rivals(contenders) {
  const hasPeer = contenders.some(({ id }) => id === 'C')
  return hasPeer ? contenders.filter(({ id }) => id !== 'C') : []
}

/** Where a median is worse than the peer's: said, not left to be found. */
function behind(summaries) {
  const all = [...summaries.values()]
  const faults = rivals(all).flatMap(({ id, of }) =>
    MEASURES.filter((measure) => isWorse(of[measure.id], summaries.get('C').of[measure.id])).map(
      ({ title }) => `${id} in “${title}”`,
    ),
  )
  return faults.length === 0 ? '' : `Behind C by the median: ${faults.join('; ')}.`
}

function isWorse(ours, theirs) {
  return ours !== undefined && theirs !== undefined && ours.median > theirs.median
}

function unfinished(samples) {
  const failed = samples.filter((sample) => sample.lost === undefined)
  if (failed.length === 0) return ''
  const names = failed.map(({ contender, fault, round }) => `${contender} ${fault} #${round + 1}`)
  return `Not finished within its bound, and counted only as far as it came: ${names.join(', ')}.`
}
