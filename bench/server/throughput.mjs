/**
 * How many commands per second, as redis-benchmark counts them: 50 connections, keys drawn from a
 * hundred thousand, first one command at a time and then sixteen in a pipeline.
 */
import { withConnection } from '../support/connection.mjs'
import { cpuMsOf } from '../support/cpu.mjs'

export const COMMANDS = ['SET', 'GET', 'INCR', 'LPUSH', 'HSET', 'SADD', 'EVALSHA']
/** What EVALSHA runs: two commands. */
const SCRIPT = "redis.call('SET', KEYS[1], ARGV[1]) return redis.call('GET', KEYS[1])"
/** Requests per measurement: about a second of them, however fast they are. */
export const PIPELINES = [
  { depth: 1, requests: 100_000 },
  { depth: 16, requests: 1_000_000 },
]
const WARM_UP_REQUESTS = 50_000
const KEY_RANGE = 100_000
const BOUND_MS = 300_000

let started = 0

/** Lets the node run every command before anything is counted. */
export async function warmUp(workshop, node) {
  for (const command of COMMANDS) {
    await benchmark(workshop, node, { command, depth: 16, requests: WARM_UP_REQUESTS })
  }
}

/** Empties the node, so that lists do not grow from round to round. */
export function empty(node) {
  return withConnection(node.port, (client) => client.flushall())
}

/** Returns `{ requestsPerSecond, p99Ms, cpuUs }`, the last one being the node's own, per request. */
export async function measureThroughput(workshop, node, command, { depth, requests }) {
  const { pid } = node.member.child
  const beforeMs = cpuMsOf(pid)
  const result = await benchmark(workshop, node, { command, depth, requests })
  const cpuUs = beforeMs === undefined ? undefined : ((cpuMsOf(pid) - beforeMs) * 1000) / requests
  return { ...result, cpuUs }
}

async function benchmark(workshop, { port }, { command, depth, requests }) {
  const common = ['-p', port, '-P', depth, '-n', requests, '-r', KEY_RANGE, '--csv']
  const args = [...common, ...(await wordsOf(port, command))]
  const member = workshop.spawn({
    title: `redis-benchmark ${command} -P ${depth}`,
    command: 'redis-benchmark',
    args: args.map(String),
    folder: workshop.createFolder(`benchmark-${++started}`),
  })
  try {
    return parse(await member.finished(BOUND_MS))
  } finally {
    await workshop.end([member])
  }
}

/** A test that redis-benchmark knows, or a command for it to send. */
async function wordsOf(port, command) {
  if (command !== 'EVALSHA') return ['-t', command.toLowerCase()]
  const digest = await withConnection(port, (client) => client.script('LOAD', SCRIPT))
  return ['EVALSHA', digest, '1', 'key:__rand_int__', 'value']
}

/** A line of names, a line of values, all in quotes. */
function parse(output) {
  const [names, values] = output
    .trim()
    .split('\n')
    .filter((line) => line.startsWith('"'))
    .map((line) => JSON.parse(`[${line}]`))
  if (values === undefined) throw new Error(`redis-benchmark said: ${output}`)
  const value = (name) => Number(values[names.indexOf(name)])
  return { requestsPerSecond: value('rps'), p99Ms: value('p99_latency_ms') }
}
