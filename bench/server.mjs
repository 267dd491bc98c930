/**
 * How fast is a data node compared with redis-server? Commands per second, and the time of a full
 * resynchronisation. Both are measured alternately, one command after another, on the same machine, by new processes for each phase and round.
 */
import { CONTENDERS } from './server/contenders.mjs'
import { reportServer } from './server/report.mjs'
import { fill, measureResync } from './server/resync.mjs'
import { empty, measureThroughput, PHASES, warmUp } from './server/throughput.mjs'
import { until } from './support/clock.mjs'
import { withConnection } from './support/connection.mjs'
import { NODE_LINES, startDaemon } from './support/daemon.mjs'
import { finish } from './support/finish.mjs'
import { describeSetting } from './support/machine.mjs'
import { readOptions } from './support/options.mjs'
import { freePorts } from './support/ports.mjs'
import { findPrograms, isBuilt } from './support/programs.mjs'
import { openProgress } from './support/progress.mjs'
import { inWorkshop } from './support/workshop.mjs'

const DEFAULT_ROUNDS = 3
const START_BOUND_MS = 15_000

const options = readOptions('server', 'measures a data node beside redis-server', DEFAULT_ROUNDS)
if (isBuilt()) await main(options)
else process.exitCode = 2

async function main({ rounds, json, docs }) {
  const { versions, missing } = findPrograms(['redis-server', 'redis-benchmark'])
  const contenders = CONTENDERS.filter(
    ({ family }) => family === 'vedette' || !missing.includes('redis-server'),
  )
  const setting = describeSetting(versions)
  const leftOut = missing.map((command) => `${command} is not installed`)
  const hasBenchmark = !missing.includes('redis-benchmark')
  const samples = await inWorkshop((workshop) =>
    measure({ workshop, contenders, rounds, hasBenchmark }),
  )
  const text = reportServer(samples, contenders)
  finish({ name: 'server', setting, rounds, samples, text, leftOut, json, docs })
}

async function measure({ workshop, contenders, rounds, hasBenchmark }) {
  const workloads = PHASES.flatMap((phase) => phase.workloads)
  const perRound = 1 + (hasBenchmark ? workloads.length : 0)
  const progress = openProgress(rounds * perRound * contenders.length)
  try {
    const bench = { workshop, contenders, rounds, progress }
    const throughput = hasBenchmark ? await throughputRounds(bench) : []
    return { throughput, resync: await resyncRounds(bench) }
  } finally {
    progress.close()
  }
}

async function throughputRounds(bench) {
  const samples = []
  for (let round = 0; round < bench.rounds; round++) {
    for (const phase of PHASES) samples.push(...(await measurePhase(bench, round, phase)))
  }
  return samples
}

/** By new nodes: ten million elements of the lists and streams before would be in the way of a GET. */
async function measurePhase({ workshop, contenders, progress }, round, phase) {
  const samples = []
  const { depth, workloads } = phase
  const nodes = await startNodes(workshop, contenders)
  for (const node of nodes) await warmUp(workshop, node, phase)
  for (const node of nodes) await empty(node)
  for (const workload of workloads) {
    for (const node of turns(nodes, round)) {
      const { title: command } = workload
      progress.begin(`round ${round + 1}, ${command} -P ${depth}, ${node.contender.title}`)
      const result = await measureThroughput(workshop, node, workload, phase)
      samples.push({ round, contender: node.contender.id, command, depth, ...result })
    }
  }
  await workshop.end(nodes.map(({ member }) => member))
  return samples
}

async function resyncRounds({ workshop, contenders, rounds, progress }) {
  const samples = []
  const nodes = await startNodes(workshop, contenders)
  for (const node of nodes) await fill(node)
  for (let round = 0; round < rounds; round++) {
    for (const master of turns(nodes, round)) {
      const { contender } = master
      progress.begin(`round ${round + 1}, full resynchronisation, ${contender.title}`)
      const replica = await startNode(workshop, contender)
      const durationMs = await measureResync(master, replica)
      await workshop.end([replica.member])
      samples.push({ round, contender: contender.id, durationMs })
    }
  }
  return samples
}

function startNodes(workshop, contenders) {
  return Promise.all(contenders.map((one) => startNode(workshop, one)))
}

/** In every second round the other one goes first. */
function turns(nodes, round) {
  return round % 2 === 0 ? nodes : nodes.toReversed()
}

async function startNode(workshop, contender) {
  const [port] = await freePorts(1)
  const { family } = contender
  const place = { family, role: 'server', port, name: family, lines: NODE_LINES }
  const node = { ...startDaemon(workshop, place), contender }
  await withConnection(port, (client) =>
    until(`${node.member.title} answers`, START_BOUND_MS, async () => {
      node.member.assertRunning()
      return (await client.ping()) === 'PONG'
    }),
  )
  return node
}
