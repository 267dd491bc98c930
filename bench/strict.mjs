/**
 * What does strict replication cost? SET and GET of fifty clients beside asynchronous replication and
 * beside redis-server with WAIT; failovers and planned handovers beside those of an asynchronous group.
 */
import { openLoopback } from './failover/place.mjs'
import { runFailover } from './failover/run.mjs'
import { FAILOVER_FAULTS, GROUPS, HANDOVER_CLIENTS, HANDOVERS } from './strict/groups.mjs'
import { runHandover } from './strict/handover.mjs'
import { reportStrict } from './strict/report.mjs'
import { measureThroughput } from './strict/throughput.mjs'
import { finish } from './support/finish.mjs'
import { describeSetting } from './support/machine.mjs'
import { positive, readOptions, someOf } from './support/options.mjs'
import { findPrograms, isBuilt } from './support/programs.mjs'
import { measureAll, withoutResult } from './support/rounds.mjs'
import { inWorkshop } from './support/workshop.mjs'

const DEFAULT_ROUNDS = 5
const DEFAULT_SECONDS = 2
const PARTS = ['throughput', 'failover', 'handover']
/** The faults are spread evenly over one period in which Sentinels send PING. */
const PING_PERIOD_MS = 1_000

const options = readOptions('strict', 'measures strict replication', DEFAULT_ROUNDS, extend)
if (isBuilt()) await main(options)
else process.exitCode = 2

function extend(command) {
  return command
    .option('--parts <name,…>', `of ${PARTS}; all by default`, someOf(PARTS), PARTS)
    .option('--seconds <n>', 'how long each rate is measured', positive, DEFAULT_SECONDS)
}

async function main({ rounds, parts, seconds, json, docs }) {
  const { versions, missing } = findPrograms(['redis-server'])
  const setting = describeSetting(versions)
  const samples = await inWorkshop((workshop) =>
    measure(workshop, { rounds, parts, seconds, hasRedis: missing.length === 0 }),
  )
  const groups = [...samples.failover, ...samples.handover]
  const leftOut = [
    ...missing.map((command) => `${command} is not installed`),
    ...(parts.length < PARTS.length ? ['only a part was asked for'] : []),
    ...withoutResult(groups, ({ fault, contender }) => `${fault}, ${contender}`),
  ]
  const text = reportStrict(samples)
  finish({ name: 'strict', setting, rounds, samples, text, leftOut, json, docs })
}

async function measure(workshop, { rounds, parts, seconds, hasRedis }) {
  const wants = (part) => parts.includes(part)
  return {
    throughput: wants('throughput')
      ? await measureThroughput(workshop, { rounds, seconds, hasRedis })
      : [],
    failover: wants('failover')
      ? await play(workshop, plan(rounds, FAILOVER_FAULTS), runFailover)
      : [],
    handover: wants('handover') ? await play(workshop, planHandovers(rounds), runHandover) : [],
  }
}

/** In every second round the other group goes first. */
function plan(rounds, faults) {
  const inRound = (round) =>
    faults.flatMap((fault) =>
      (round % 2 === 0 ? GROUPS : GROUPS.toReversed()).map((contender) => ({
        ...{ round, fault, contender, clients: ['node-redis'] },
        waitMs: (round * PING_PERIOD_MS) / rounds,
      })),
    )
  return Array.from({ length: rounds }, (_, round) => inRound(round)).flat()
}

function planHandovers(rounds) {
  return plan(rounds, HANDOVERS).flatMap((run) =>
    HANDOVER_CLIENTS.map(({ id }) => ({ ...run, client: id })),
  )
}

function play(workshop, runs, run) {
  return measureAll(workshop, runs, {
    label: ({ round, fault, contender, client }) => ({
      ...{ round, fault: fault.id, contender: contender.id },
      ...(client === undefined ? {} : { client }),
    }),
    work: (one, name) => run(workshop, { ...one, name, openPlace: openLoopback }),
  })
}
