/** The result for a reader: one table, and in words whether the aim is reached. */
import { summarise } from '../support/statistics.mjs'
import { ratio, renderTable, spread, whole } from '../support/table.mjs'
import { CLIENT_COUNTS, VIRTUAL_SECONDS } from './standard-world.mjs'

/** Times real time, with all clients. */
const AIM = 500

export function reportSimulator(samples) {
  const lines = CLIENT_COUNTS.map((clients) => lineOf(clients, samples))
  const headings = [
    'clients',
    'times real time (min / median / max)',
    'writes/s',
    'CPU per write, µs',
  ]
  const table = renderTable(headings, lines.map(cellsOf(lines[0])))
  return `${table}\n\n${verdict(lines.at(-1))}`
}

function lineOf(clients, samples) {
  const own = samples.filter((sample) => sample.clients === clients)
  return {
    clients,
    speed: summarise(own.map(({ speed }) => speed)),
    cpuSeconds: summarise(own.map(({ cpuSeconds }) => cpuSeconds)),
    writes: summarise(own.map(({ writes }) => writes)),
  }
}

/** The cost of a write: how much longer a world with clients takes than one without. */
function cellsOf(idle) {
  return ({ clients, speed, cpuSeconds, writes }) => {
    if (clients === 0) return ['none', spread(speed), whole(), ratio()]
    const extraSeconds = cpuSeconds.median - idle.cpuSeconds.median
    const rate = writes.median / cpuSeconds.median
    const costUs = (extraSeconds * 1e6) / writes.median
    return [String(clients), spread(speed), whole(rate), ratio(costUs)]
  }
}

function verdict({ clients, speed, writes }) {
  const load = `${clients} clients (${whole(writes.median / VIRTUAL_SECONDS)} writes a second)`
  const times = whole(speed.median)
  return speed.median >= AIM
    ? `With ${load} a world runs ${times} times as fast as real time: the aim of ${AIM} is reached.`
    : `With ${load} a world runs ${times} times as fast as real time: the aim of ${AIM} is not reached.`
}
