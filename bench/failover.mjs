/**
 * How long is a cluster without a master? Real processes on loopback, three Sentinels, a master, two
 * replicas, and a stock ioredis client that never stops writing. The contenders take turns inside each
 * round, so that whatever else the machine does falls on all of them.
 */
import { CONTENDERS, FAULTS, neededBy } from './failover/contenders.mjs'
import { reportFailover } from './failover/report.mjs'
import { runFailover } from './failover/run.mjs'
import { finish } from './support/finish.mjs'
import { describeSetting } from './support/machine.mjs'
import { readOptions } from './support/options.mjs'
import { findPrograms, isBuilt } from './support/programs.mjs'
import { openProgress } from './support/progress.mjs'
import { inWorkshop } from './support/workshop.mjs'

const DEFAULT_ROUNDS = 5
/** C Sentinels send a PING a second: the faults are spread evenly over one such period. */
const PING_PERIOD_MS = 1_000

const options = readOptions('failover', 'times failovers on real processes', DEFAULT_ROUNDS)
if (isBuilt()) await main(options)
else process.exitCode = 2

async function main({ rounds, json, docs }) {
  const { versions, missing } = findPrograms(['redis-server', 'redis-sentinel'])
  const contenders = CONTENDERS.filter((one) => !neededBy(one).some((it) => missing.includes(it)))
  const setting = describeSetting(versions)
  const samples = await inWorkshop((workshop) => measure(workshop, plan(rounds, contenders)))
  const text = reportFailover(samples, contenders)
  finish({ name: 'failover', setting, rounds, samples, text, missing, json, docs })
}

/** Everything to be run, in order. Each round begins with another contender. */
function plan(rounds, contenders) {
  const runs = []
  for (let round = 0; round < rounds; round++) {
    const from = round % contenders.length
    const order = [...contenders.slice(from), ...contenders.slice(0, from)]
    for (const fault of FAULTS) {
      for (const contender of order) runs.push({ round, fault, contender })
    }
  }
  return runs.map((run) => ({ ...run, waitMs: (run.round * PING_PERIOD_MS) / rounds }))
}

async function measure(workshop, runs) {
  const progress = openProgress(runs.length)
  const samples = []
  try {
    for (const [at, run] of runs.entries()) {
      const { round, fault, contender } = run
      progress.begin(`round ${round + 1}, ${fault.signal}, ${contender.id}: ${contender.title}`)
      const sample = await runFailover(workshop, { ...run, name: `run-${at}` })
      samples.push({ round, fault: fault.signal, contender: contender.id, ...sample })
    }
  } finally {
    progress.close()
  }
  return samples
}
