/**
 * What does it cost to watch many groups? Three Sentinels of one make watch any number of groups, each of
 * them a master and a replica process of its own (Redis' in both cases). First they are left alone; then
 * a client asks for addresses; then every master is killed at once.
 */
import { InvalidArgumentError } from 'commander'
import { CONTENDERS } from './scale/contenders.mjs'
import { reportScale } from './scale/report.mjs'
import { runScale } from './scale/run.mjs'
import { finish } from './support/finish.mjs'
import { describeSetting } from './support/machine.mjs'
import { readOptions } from './support/options.mjs'
import { findPrograms, isBuilt } from './support/programs.mjs'
import { openProgress } from './support/progress.mjs'
import { inWorkshop } from './support/workshop.mjs'

const DEFAULT_ROUNDS = 3
const DEFAULT_GROUPS = [10, 100]

const options = readOptions('scale', 'measures what many groups cost', DEFAULT_ROUNDS, (command) =>
  command.option('--groups <n,n,…>', 'how many groups (default: 10,100)', counts, DEFAULT_GROUPS),
)
if (isBuilt()) await main(options)
else process.exitCode = 2

function counts(text) {
  const numbers = text.split(',').map(Number)
  if (numbers.every((one) => Number.isSafeInteger(one) && one > 0 && one <= 1_000)) return numbers
  throw new InvalidArgumentError('numbers from 1 to 1000 are wanted: 10,100')
}

async function main({ rounds, groups, json, docs }) {
  const { versions, missing } = findPrograms(['redis-server', 'redis-sentinel'])
  if (missing.includes('redis-server')) {
    console.error('redis-server is not installed: there is nothing to watch')
    process.exitCode = 2
    return
  }
  const contenders = CONTENDERS.filter(({ needs }) => !missing.includes(needs))
  const setting = describeSetting(versions)
  const samples = await inWorkshop((workshop) =>
    measure(workshop, plan(rounds, groups, contenders)),
  )
  const text = reportScale(samples, contenders)
  finish({ name: 'scale', setting, rounds, samples, text, missing, json, docs })
}

function plan(rounds, groups, contenders) {
  const inRound = (round) =>
    groups.flatMap((count) => contenders.map((contender) => ({ round, count, contender })))
  return Array.from({ length: rounds }, (_, round) => inRound(round)).flat()
}

async function measure(workshop, runs) {
  const progress = openProgress(runs.length)
  const samples = []
  try {
    for (const [at, { round, count, contender }] of runs.entries()) {
      progress.begin(`round ${round + 1}, ${count} groups, ${contender.title}`)
      const sample = await runScale(workshop, { count, contender, name: `run-${at}` })
      samples.push({ round, count, contender: contender.id, ...sample })
    }
  } finally {
    progress.close()
  }
  return samples
}
