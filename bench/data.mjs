/**
 * What does it cost a data node to save its data, to copy them to a replica, and to load them again? A
 * million keys, with clients that write all the time; both programs in the same run, alternately.
 */
import { CONTENDERS } from './data/contenders.mjs'
import { DEFAULT_KEYS } from './data/dataset.mjs'
import { measureContender } from './data/measures.mjs'
import { reportData } from './data/report.mjs'
import { finish } from './support/finish.mjs'
import { describeSetting } from './support/machine.mjs'
import { positive, readOptions } from './support/options.mjs'
import { findPrograms, isBuilt } from './support/programs.mjs'
import { measureAll, withoutResult } from './support/rounds.mjs'
import { inWorkshop } from './support/workshop.mjs'

const DEFAULT_ROUNDS = 3

const options = readOptions(
  'data',
  'measures saving, copying and loading the data of a node beside redis-server',
  DEFAULT_ROUNDS,
  (command) => command.option('--keys <n>', 'how many keys there are', positive, DEFAULT_KEYS),
)
if (isBuilt()) await main(options)
else process.exitCode = 2

async function main({ rounds, keys, json, docs }) {
  const { versions, missing } = findPrograms(['redis-server'])
  const contenders = CONTENDERS.filter(({ family }) => family === 'vedette' || missing.length === 0)
  const setting = describeSetting(versions)
  const runs = Array.from({ length: rounds }, (_, round) =>
    (round % 2 === 0 ? contenders : contenders.toReversed()).map((contender) => ({
      round,
      contender,
    })),
  ).flat()
  const samples = await inWorkshop((workshop) =>
    measureAll(workshop, runs, {
      label: ({ round, contender }) => ({ round, contender: contender.id }),
      work: ({ contender }, name) => measureContender(workshop, { contender, name, keys }),
    }),
  )
  const leftOut = [
    ...missing.map((command) => `${command} is not installed`),
    ...withoutResult(samples, ({ contender }) => contender),
    ...(keys === DEFAULT_KEYS ? [] : [`there were ${keys} keys and not ${DEFAULT_KEYS}`]),
  ]
  const text = reportData(samples, contenders, keys)
  finish({ name: 'data', setting, rounds, samples, text, leftOut, json, docs })
}
