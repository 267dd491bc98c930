/**
 * How long does a program take from exec until it listens, and until it answers? Ours beside Redis' and bare Node,
 * one start after another, in turns.
 */
import { ANSWERS, DAEMONS } from './start/contenders.mjs'
import { runToEnd, startDaemonOnce } from './start/measures.mjs'
import { reportStart } from './start/report.mjs'
import { finish } from './support/finish.mjs'
import { describeSetting } from './support/machine.mjs'
import { readOptions } from './support/options.mjs'
import { findPrograms, isBuilt } from './support/programs.mjs'
import { measureAll, withoutResult } from './support/rounds.mjs'
import { inWorkshop } from './support/workshop.mjs'

const DEFAULT_ROUNDS = 15

const options = readOptions('start', 'measures how long programs take to start', DEFAULT_ROUNDS)
if (isBuilt()) await main(options)
else process.exitCode = 2

async function main({ rounds, json, docs }) {
  const { versions, missing } = findPrograms(['redis-server', 'redis-sentinel'])
  const daemons = DAEMONS.filter(
    ({ role, isPeer }) => !isPeer || !missing.includes(`redis-${role}`),
  )
  const setting = describeSetting(versions)
  // The first round only leaves behind what later ones find.
  const plan = Array.from({ length: rounds + 1 }, (_, round) =>
    inTurns(round, [...ANSWERS, ...daemons]),
  )
  const all = await inWorkshop((workshop) =>
    measureAll(workshop, plan.flat(), {
      label: ({ round, contender }) => ({ round, title: contender.title }),
      work: ({ round, contender }, name) =>
        contender.role === undefined
          ? runToEnd(workshop, contender, name)
          : startDaemonOnce(workshop, contender, name, round === 0),
    }),
  )
  const samples = all.filter(({ round }) => round > 0)
  const leftOut = [
    ...missing.map((command) => `${command} is not installed`),
    ...withoutResult(samples, ({ title }) => title),
  ]
  finish({
    name: 'start',
    setting,
    rounds,
    samples,
    text: reportStart(samples),
    leftOut,
    json,
    docs,
  })
}

/** In every second round the order is the other way round. */
function inTurns(round, contenders) {
  const order = round % 2 === 0 ? contenders : contenders.toReversed()
  return order.map((contender) => ({ round, contender }))
}
