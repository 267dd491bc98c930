/**
 * How many commands per second, as redis-benchmark counts them: 50 connections, keys and elements drawn from a
 * hundred thousand, one command at a time and then sixteen and sixty-four in a pipeline. Large values come one at a
 * time over ten connections, for fifty keys, and one command is given over a new connection each time.
 */
import { withConnection } from '../support/connection.mjs'
import { cpuMsOf } from '../support/cpu.mjs'

/** What EVALSHA runs: two commands. */
const SCRIPT = "redis.call('SET', KEYS[1], ARGV[1]) return redis.call('GET', KEYS[1])"
const FIELDS = Array.from({ length: 50 }, (_, at) => [`field:${at}`, 'value']).flat()
const SCORES = Array.from({ length: 100 }, (_, at) => [at, `member:${at}`]).flat()

/**
 * In this order: some need what others have written. `share`: of the usual number of requests, for commands that do
 * as much as many others. Those without `words` are tests that redis-benchmark knows; `prepare` comes before.
 */
const WORKLOADS = [
  ...['SET', 'GET', 'INCR', 'LPUSH', 'RPUSH', 'LPOP', 'RPOP', 'SADD', 'SPOP'].map(known),
  ...['HSET', 'ZADD', 'ZPOPMIN'].map(known),
  { title: 'MSET of 10', test: 'mset', share: 1 / 5 },
  { title: 'LRANGE of 100', test: 'lrange_100', share: 1 / 10 },
  { title: 'LRANGE of 600', test: 'lrange_600', share: 1 / 50 },
  {
    ...{ title: 'HGETALL of 50', words: ['HGETALL', 'hash'], share: 1 / 10 },
    prepare: ['HSET', 'hash', ...FIELDS],
  },
  {
    ...{ title: 'ZRANGEBYSCORE, 10 of 100', words: ['ZRANGEBYSCORE', 'scores', '20', '29'] },
    ...{ share: 1 / 4, prepare: ['ZADD', 'scores', ...SCORES] },
  },
  { title: 'XADD', words: ['XADD', 'stream', '*', 'field', 'value'] },
  {
    ...{ title: 'XREADGROUP of 10', share: 1 / 10 },
    words: ['XREADGROUP', 'GROUP', 'group', 'me', 'COUNT', '10', 'STREAMS', 'stream', '>'],
    prepare: ['XGROUP', 'CREATE', 'stream', 'group', '0', 'MKSTREAM'],
  },
  {
    ...{ title: 'EVALSHA', prepare: ['SCRIPT', 'LOAD', SCRIPT] },
    words: ['EVALSHA', '{prepared}', '1', 'key:__rand_int__', 'value'],
  },
]
/** `share` again: about as many bytes for each size. */
const LARGE_VALUES = [
  ...large('10 KB', 10 * 1024, 1 / 2),
  ...large('100 KB', 100 * 1024, 1 / 10),
  ...large('1 MB', 1024 * 1024, 1 / 100),
]
/** As applications do that keep none: PHP in its usual arrangement. */
const ANEW = [
  { ...known('GET'), title: 'GET, each over a new connection', isAnew: true, share: 1 / 5 },
]
/** `requests` per measurement: about a second of them, however fast they are. */
export const PHASES = [
  { depth: 1, requests: 100_000, workloads: WORKLOADS },
  { depth: 16, requests: 1_000_000, workloads: WORKLOADS },
  { depth: 64, requests: 2_000_000, workloads: WORKLOADS },
  { depth: 1, requests: 100_000, workloads: ANEW },
  { depth: 1, requests: 100_000, workloads: LARGE_VALUES },
]
const WARM_UP_REQUESTS = 50_000
const KEY_RANGE = 100_000
const FEW_KEYS = 50
const FEW_CONNECTIONS = 10
const BOUND_MS = 300_000

function known(title) {
  return { title, test: title.toLowerCase() }
}

function large(size, bytes, share) {
  return ['SET', 'GET'].map((name) => ({
    ...known(name),
    title: `${name} of ${size}`,
    bytes,
    share,
  }))
}

let started = 0

/** Lets the node run every command before anything is counted. */
export async function warmUp(workshop, node, { workloads }) {
  for (const workload of workloads) {
    const { bytes, isAnew, share } = workload
    const requests = WARM_UP_REQUESTS * (bytes === undefined && !isAnew ? 1 : share)
    await benchmark(workshop, node, { workload, depth: isAnew ? 1 : 16, requests })
  }
}

/** Empties the node, so that lists do not grow from round to round. */
export function empty(node) {
  return withConnection(node.port, (client) => client.flushall())
}

/** Returns `{ requestsPerSecond, p99Ms, cpuUs }`, the last one being the node's own, per request. */
export async function measureThroughput(workshop, node, workload, { depth, requests }) {
  const { pid } = node.member.child
  const counted = requests * (workload.share ?? 1)
  const beforeMs = cpuMsOf(pid)
  const result = await benchmark(workshop, node, { workload, depth, requests: counted })
  const cpuUs = beforeMs === undefined ? undefined : ((cpuMsOf(pid) - beforeMs) * 1000) / counted
  // What a test of redis-benchmark writes before it reads would count as well.
  return workload.test?.startsWith('lrange') ? result : { ...result, cpuUs }
}

async function benchmark(workshop, { port }, { workload, depth, requests }) {
  const common = ['-p', port, '-P', depth, '-n', requests, '--csv', ...sizeOf(workload)]
  const args = [...common, ...(await wordsOf(port, workload))]
  const member = workshop.spawn({
    title: `redis-benchmark ${workload.title} -P ${depth}`,
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

function sizeOf({ bytes, isAnew }) {
  if (bytes === undefined) return ['-r', KEY_RANGE, ...(isAnew ? ['-k', '0'] : [])]
  return ['-r', FEW_KEYS, '-c', FEW_CONNECTIONS, '-d', bytes]
}

/** A test that redis-benchmark knows, or a command for it to send. */
async function wordsOf(port, { test, words, prepare }) {
  if (test !== undefined) return ['-t', test]
  if (prepare === undefined) return words
  const prepared = await withConnection(port, (client) => prepareOnce(client, prepare))
  return words.map((word) => (word === '{prepared}' ? prepared : word))
}

async function prepareOnce(client, [name, ...args]) {
  try {
    return await client.call(name, ...args)
  } catch (error) {
    // XGROUP: the group is there since the depth before.
    if (!error.message.startsWith('BUSYGROUP')) throw error
  }
}

/** A line of names, and a line of values for each test, all in quotes; the last one is the test that was asked for. */
function parse(output) {
  const [names, ...tests] = output
    .trim()
    .split('\n')
    .filter((line) => line.startsWith('"'))
    .map((line) => JSON.parse(`[${line}]`))
  const values = tests.at(-1)
  if (values === undefined) throw new Error(`redis-benchmark said: ${output}`)
  const value = (name) => Number(values[names.indexOf(name)])
  return { requestsPerSecond: value('rps'), p99Ms: value('p99_latency_ms') }
}
