/**
 * The same drawn faults under asynchronous replication, with min-replicas, and under strict replication: in how many
 * runs shared keys have no linear history, and how many acknowledged writes were lost.
 *
 *     node scripts/strict-table.mjs --seeds 1..200 [--only async|min-replicas|strict]
 */
import { ensureBuilt } from './build.mjs'
import { scriptOptions } from './options.mjs'

const values = scriptOptions(import.meta.url, {
  seeds: { type: 'string', default: '1..50' },
  only: { type: 'string' },
})
await ensureBuilt()
const { drawRun } = await import('../dist/fuzz/draw/draw.js')
const { REPLICATIONS, replicatedBy } = await import('../dist/fuzz/draw/draw-shared.js')
const { scenarioOf } = await import('../dist/fuzz/run.js')
const { playScenario } = await import('../dist/scenario/run.js')

const [first = 1, last = first] = values.seeds.split('..').map(Number)
const shown = REPLICATIONS.filter((name) => values.only === undefined || values.only === name)

for (const replication of shown) console.log(await tally(replication))

async function tally(replication) {
  const sums = {
    replication,
    runs: 0,
    runsWithAnomalies: 0,
    histories: 0,
    anomalies: 0,
    undecided: 0,
  }
  Object.assign(sums, { acknowledged: 0, runsWithLosses: 0, lost: 0, violations: 0, failovers: 0 })
  const startedAtMs = performance.now()
  for (let seed = first; seed <= last; seed++) await add(sums, replication, `${seed}`)
  return { ...sums, seconds: Math.round((performance.now() - startedAtMs) / 1_000) }
}

async function add(sums, replication, seed) {
  const drawn = drawRun({ seed, profile: 'strict', detection: undefined })
  const file = scenarioOf(replicatedBy(replication, drawn), seed)
  const { result } = await playScenario(file, { seed })
  sums.runs++
  sums.violations += result.violations.length
  for (const { shared, lost, writes, failovers } of result.facts.groups) {
    const gone = lost === undefined ? 0 : lost.byMajority + lost.byCutOff + lost.byDeposed
    sums.acknowledged += writes.acknowledged
    sums.failovers += failovers
    sums.lost += gone
    sums.runsWithLosses += gone > 0 ? 1 : 0
    sums.histories += shared?.histories ?? 0
    sums.anomalies += shared?.anomalies ?? 0
    sums.undecided += shared?.undecided ?? 0
    sums.runsWithAnomalies += (shared?.anomalies ?? 0) > 0 ? 1 : 0
  }
}
