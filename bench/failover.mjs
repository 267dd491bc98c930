/**
 * How long is a cluster without a master? Real processes: three Sentinels, a master, two replicas, and
 * stock clients that never stop writing. The contenders take turns inside each round, so that whatever
 * else the machine does affects all of them.
 */
import {
  CLIENTS,
  CONTENDERS,
  DEFAULT_CONTENDERS,
  FAULTS,
  neededBy,
  PEER,
  titleOf,
} from './failover/contenders.mjs'
import { networkRefusal, openLoopback, prepareNetworks } from './failover/place.mjs'
import { reportFailover } from './failover/report.mjs'
import { runFailover } from './failover/run.mjs'
import { finish } from './support/finish.mjs'
import { describeSetting } from './support/machine.mjs'
import { readOptions, someOf } from './support/options.mjs'
import { findPrograms, isBuilt } from './support/programs.mjs'
import { measureAll, withoutResult } from './support/rounds.mjs'
import { inWorkshop } from './support/workshop.mjs'

const DEFAULT_ROUNDS = 10
/** C Sentinels send a PING a second: the faults are spread evenly over one such period. */
const PING_PERIOD_MS = 1_000
const ALL_FAULTS = FAULTS.map(({ id }) => id)

const options = readOptions('failover', 'times failovers on real processes', DEFAULT_ROUNDS, extend)
if (isBuilt()) await main(options)
else process.exitCode = 2

function extend(command) {
  const ids = CONTENDERS.map(({ id }) => id)
  const whoIsWho = CONTENDERS.map((one) => `  ${one.id}  ${titleOf(one)}`)
  return command
    .option('--faults <id,…>', `of ${ALL_FAULTS}; all by default`, someOf(ALL_FAULTS), ALL_FAULTS)
    .option('--contenders <id,…>', 'see below', someOf(ids), DEFAULT_CONTENDERS)
    .option('--clients <name,…>', `of ${CLIENTS}; all by default`, someOf(CLIENTS), CLIENTS)
    .addHelpText('after', `\nContenders:\n${whoIsWho.join('\n')}`)
}

async function main({ rounds, faults, contenders, clients, json, docs }) {
  const { versions, missing } = findPrograms(['redis-server', 'redis-sentinel'])
  const refusal = faults.includes('cut') ? await networkRefusal() : undefined
  const chosen = {
    contenders: CONTENDERS.filter(
      (one) => contenders.includes(one.id) && !neededBy(one).some((it) => missing.includes(it)),
    ),
    faults: FAULTS.filter(
      ({ id, needsNetwork }) => faults.includes(id) && !(needsNetwork && refusal !== undefined),
    ),
    clients,
  }
  const setting = describeSetting(versions)
  const samples = await inWorkshop((workshop) => measure(workshop, plan(rounds, chosen)))
  const leftOut = [
    ...leftOutOf({ missing, refusal, faults, contenders, clients }),
    ...withoutResult(samples, ({ fault, contender }) => `${fault}, ${contender}`),
  ]
  const text = reportFailover(samples, chosen)
  finish({ name: 'failover', setting, rounds, samples, text, leftOut, json, docs })
}

/** Everything to be run, in order. Each round begins with another contender. */
function plan(rounds, { faults, contenders, clients }) {
  const inRound = (round) => {
    const from = round % contenders.length
    const order = [...contenders.slice(from), ...contenders.slice(0, from)]
    const waitMs = (round * PING_PERIOD_MS) / rounds
    return faults.flatMap((fault) =>
      order.map((contender) => ({ round, fault, contender, clients, waitMs })),
    )
  }
  return Array.from({ length: rounds }, (_, round) => inRound(round)).flat()
}

async function measure(workshop, runs) {
  const needsNetwork = runs.some(({ fault }) => fault.needsNetwork)
  const openNetwork = needsNetwork ? await prepareNetworks(workshop) : undefined
  return measureAll(workshop, runs, {
    label: ({ round, fault, contender }) => ({ round, fault: fault.id, contender: contender.id }),
    work: (run, name) => {
      const openPlace = run.fault.needsNetwork ? openNetwork : openLoopback
      return runFailover(workshop, { ...run, openPlace, name })
    },
  })
}

/** What the page would lack. */
function leftOutOf({ missing, refusal, faults, contenders, clients }) {
  const isPart =
    faults.length < FAULTS.length || clients.length < CLIENTS.length || !contenders.includes(PEER)
  return [
    ...missing.map((command) => `${command} is not installed`),
    ...(refusal === undefined ? [] : [`no network cut: ${refusal}`]),
    ...(isPart ? ['only a part was asked for'] : []),
  ]
}
