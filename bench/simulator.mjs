/**
 * How fast does the simulated world run? Virtual seconds per second of processor time, in all threads,
 * for the standard cluster: three nodes, three Sentinels, and clients at a hundred writes a second.
 */
import { reportSimulator } from './simulator/report.mjs'
import { CLIENT_COUNTS, measureWorld, VIRTUAL_SECONDS } from './simulator/standard-world.mjs'
import { finish } from './support/finish.mjs'
import { describeSetting } from './support/machine.mjs'
import { readOptions } from './support/options.mjs'
import { importBuilt, isBuilt } from './support/programs.mjs'
import { openProgress } from './support/progress.mjs'

const DEFAULT_ROUNDS = 15
/** Until the engine has compiled what runs often; a process that plays many worlds soon has. */
const WARM_UP_ROUNDS = 3

const options = readOptions('simulator', 'measures the speed of simulated worlds', DEFAULT_ROUNDS)
if (isBuilt()) await main(options)
else process.exitCode = 2

async function main({ rounds, json, docs }) {
  const { SimWorld } = await importBuilt('sim/world.js')
  const setting = describeSetting({})
  const { parseScenario } = await importBuilt('scenario/parse.js')
  const samples = measure({ SimWorld, parseScenario }, rounds)
  const text = reportSimulator(samples)
  finish({ name: 'simulator', setting, rounds, samples, text, leftOut: [], json, docs })
}

/** The sizes take turns, so that whatever else the machine does affects all of them. */
function measure(built, rounds) {
  const samples = []
  const progress = openProgress((WARM_UP_ROUNDS + rounds) * CLIENT_COUNTS.length)
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    for (const clients of CLIENT_COUNTS) {
      progress.begin(`${VIRTUAL_SECONDS} virtual seconds, ${clients} clients`)
      const sample = measureWorld(built, clients, `seed ${round}`)
      if (round >= 0) samples.push({ round, clients, ...sample })
    }
  }
  progress.close()
  return samples
}
