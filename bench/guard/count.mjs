/**
 * Counts what each command allocates, in the build that is named: a data node without sockets and files gets
 * requests in a pipeline, and the heap, which is not collected meanwhile, says how much it grew. Started by
 * bench/guard.mjs with the flags that make the engine repeat itself. Prints an object: bytes by command.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [dist = 'dist'] = process.argv.slice(2)
const load = (module) => import(pathToFileURL(join(dist, module)).href)
const [{ DataNode }, { Settings }, { createRng }, { SIMULATED_PROCESS }, { DataFiles }] =
  await Promise.all(
    [
      'server/node.js',
      'server/settings/settings.js',
      'base/rng.js',
      'server/port.js',
      'sim/processes/data-files.js',
    ].map(load),
  )

/** `#`: a number below `KEYS`, another one for each request. */
const COMMANDS = [
  'PING',
  'SET key:# value',
  'GET key:#',
  'INCR counter:#',
  'DEL gone:#',
  'EXISTS key:#',
  'EXPIRE key:# 1000',
  'MSET key:# a other:# b',
  'LPUSH list value:#',
  'LRANGE list 0 9',
  'RPOP list',
  'HSET hash:# field value',
  'HGET hash:# field',
  'HGETALL hash:#',
  'SADD set member:#',
  'SISMEMBER set member:#',
  'ZADD zset # member:#',
  'ZRANGEBYSCORE zset 0 9',
  'XADD stream * field value:#',
  'XRANGE stream - + COUNT 10',
  'PUBLISH channel message:#',
  "EVAL return(redis.call('GET',KEYS[1])) 1 key:#",
]
const KEYS = 1000
const DEPTH = 16
const WARM_UP = 2000
const TURNS = 500
/** The engine still compiles while the first of them is counted, which is no price of the command. */
const WINDOWS = 4

const node = openNode()
const now = { monoMs: 0, wallMs: 1_700_000_000_000 }
node.accepted(now, 1, endsOf(1))
const counts = Object.fromEntries(COMMANDS.map((command) => [command, bytesOf(command)]))
console.log(JSON.stringify(counts))

function bytesOf(command) {
  const turns = turnsOf(command)
  const play = (count) => {
    for (let turn = 0; turn < count; turn++) node.received(now, 1, turns[turn % turns.length])
  }
  const grown = () => {
    globalThis.gc()
    const before = process.memoryUsage().heapUsed
    play(TURNS)
    return process.memoryUsage().heapUsed - before
  }
  play(WARM_UP)
  const least = Math.min(...Array.from({ length: WINDOWS }, grown))
  return Math.round(least / (TURNS * DEPTH))
}

/** Requests in pipelines, as latin1. */
function turnsOf(command) {
  let number = 0
  const request = () => {
    number = (number + 7) % KEYS
    const words = command.split(' ').map((word) => word.replace('#', String(number)))
    return `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`
  }
  // What is read must lie in one piece, as what comes from a socket does.
  const piece = () => Buffer.from(Array.from({ length: DEPTH }, request).join(''), 'latin1')
  return Array.from({ length: 64 }, () => piece().toString('latin1'))
}

function openNode() {
  const settings = new Settings()
  settings.load('save', [''])
  settings.markFiled()
  const files = new DataFiles()
  const nothing = () => undefined
  const port = {
    write: nothing,
    queuedBytes: () => 0,
    close: nothing,
    connect: nothing,
    saveSettings: nothing,
    askFile: (_id, request) => files.ask(request),
    appendNow: (path, bytes) => files.appendNow(path, bytes),
    ready: nothing,
    processFacts: () => SIMULATED_PROCESS,
    log: nothing,
    exit: nothing,
    stopwatch: () => 0,
  }
  const start = { monoMs: 0, wallMs: 1_700_000_000_000 }
  const rng = createRng('guard')
  return new DataNode({ settings, port, rng, now: start, hasConfigFile: false })
}

function endsOf(id) {
  const [remoteHost, localHost] = ['127.0.0.1', '127.0.0.1']
  return { remoteHost, remotePort: 50_000 + id, localHost, localPort: 6379 }
}
