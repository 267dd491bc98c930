/**
 * Does the node know how much memory its data take? For data of every type: what it counts beside what its
 * heap holds after a garbage collection, freshly written and loaded again, and what redis-server counts.
 */
import { CONTENDERS } from './data/contenders.mjs'
import { measureShape } from './memory/measures.mjs'
import { reportMemory } from './memory/report.mjs'
import { SHAPES } from './memory/shapes.mjs'
import { finish } from './support/finish.mjs'
import { describeSetting } from './support/machine.mjs'
import { readOptions, someOf } from './support/options.mjs'
import { findPrograms, isBuilt } from './support/programs.mjs'
import { measureAll, withoutResult } from './support/rounds.mjs'
import { inWorkshop } from './support/workshop.mjs'

const DEFAULT_ROUNDS = 1
const NAMES = SHAPES.map(({ id }) => id)

const options = readOptions(
  'memory',
  'measures whether the memory that is counted is the memory that is used',
  DEFAULT_ROUNDS,
  (command) => command.option('--shapes <names>', 'only these data', someOf(NAMES), NAMES),
)
if (isBuilt()) await main(options)
else process.exitCode = 2

async function main({ rounds, shapes, json, docs }) {
  const { versions, missing } = findPrograms(['redis-server'])
  const contenders = CONTENDERS.filter(({ family }) => family === 'vedette' || missing.length === 0)
  const chosen = SHAPES.filter(({ id }) => shapes.includes(id))
  const setting = describeSetting(versions)
  const runs = Array.from({ length: rounds }, (_, round) =>
    chosen.flatMap((shape) => contenders.map((contender) => ({ round, shape, contender }))),
  ).flat()
  const samples = await inWorkshop((workshop) =>
    measureAll(workshop, runs, {
      label: ({ round, shape, contender }) => ({ round, shape: shape.id, contender: contender.id }),
      work: ({ shape, contender }, name) => measureShape(workshop, { shape, contender, name }),
    }),
  )
  const leftOut = [
    ...missing.map((command) => `${command} is not installed`),
    ...withoutResult(samples, ({ shape, contender }) => `${shape}, ${contender}`),
    ...(chosen.length === SHAPES.length ? [] : ['not all data were measured']),
  ]
  finish({
    name: 'memory',
    setting,
    rounds,
    samples,
    text: reportMemory(samples),
    leftOut,
    json,
    docs,
  })
}
