/**
 * How long does one client block the others? Large values and collections of every type, and on them the
 * commands that take long: how long the client waits that sends one, and how long another waits that
 * only pings.
 */

import { CONTENDERS } from './pauses/contenders.mjs'
import { measureContender } from './pauses/measures.mjs'
import { reportPauses } from './pauses/report.mjs'
import { STAGES } from './pauses/stages.mjs'
import { finish } from './support/finish.mjs'
import { describeSetting } from './support/machine.mjs'
import { readOptions, someOf } from './support/options.mjs'
import { findPrograms, isBuilt } from './support/programs.mjs'
import { measureAll, withoutResult } from './support/rounds.mjs'
import { inWorkshop } from './support/workshop.mjs'

const DEFAULT_ROUNDS = 3
const ALL = STAGES.map(({ id }) => id)

const options = readOptions(
  'pauses',
  'measures how long commands on large values stop other clients, beside redis-server',
  DEFAULT_ROUNDS,
  (command) => command.option('--only <stages>', `some of ${ALL.join(',')}`, someOf(ALL), ALL),
)
if (isBuilt()) await main(options)
else process.exitCode = 2

async function main({ rounds, only, json, docs }) {
  const { versions, missing } = findPrograms(['redis-server'])
  const contenders = CONTENDERS.filter(({ family }) => family === 'vedette' || missing.length === 0)
  const setting = describeSetting(versions)
  const stages = STAGES.filter(({ id }) => only.includes(id))
  const runs = stages.flatMap((stage) => planned(stage, rounds, contenders))
  const samples = await inWorkshop((workshop) =>
    measureAll(workshop, runs, {
      label: ({ round, stage, contender }) => ({
        round,
        stage: stage.id,
        contender: contender.id,
      }),
      work: ({ stage, contender }, name) => measureContender(workshop, { contender, name, stage }),
    }),
  )
  const leftOut = [
    ...missing.map((command) => `${command} is not installed`),
    ...withoutResult(samples, ({ stage, contender }) => `${stage} of ${contender}`),
    ...(stages.length === STAGES.length ? [] : ['only a part was asked for']),
  ]
  const text = reportPauses(samples, stages, contenders)
  finish({ name: 'pauses', setting, rounds, samples, text, leftOut, json, docs })
}

/** The contenders take turns in who begins. */
function planned(stage, rounds, contenders) {
  return Array.from({ length: rounds }, (_, round) =>
    (round % 2 === 0 ? contenders : contenders.toReversed()).map((contender) => ({
      round,
      stage,
      contender,
    })),
  ).flat()
}
