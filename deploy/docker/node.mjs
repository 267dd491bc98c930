#!/usr/bin/env node
/**
 * A data node in a container: `node.mjs start` asks the Sentinels who is master and starts vedette-server in that role,
 * `node.mjs hand-over` gives the role away before the container stops, `node.mjs ready` asks GET /readiness. docs/install-containers.md.
 */
import { lookup } from 'node:dns/promises'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const HELP = `Usage: node.mjs start | hand-over | ready

  start      ask the Sentinels for the master, write <VEDETTE_DATA>/server.conf, and become vedette-server
  hand-over  if this node is the master, order a planned failover and wait for it (preStop)
  ready      status 0 if GET /readiness on 127.0.0.1:<HTTP_PORT> says 200

Variables:
  VEDETTE_SELF                     host:port by which the others reach this node (start, hand-over)
  VEDETTE_SENTINELS                host:port,host:port,… of all Sentinels (start, hand-over)
  VEDETTE_SEED                     host:port of the master when there has never been one (start)
  VEDETTE_GROUP                    name of the group (mymaster)
  VEDETTE_CONF                     the user's part of the configuration (/etc/vedette/server.conf)
  VEDETTE_DATA                     folder of the data and the written configuration (/data)
  VEDETTE_PASSWORD_FILE            password of the data nodes (none)
  VEDETTE_SENTINEL_PASSWORD_FILE   password of the Sentinels (none)
  VEDETTE_FIRST_WAIT               seconds a first start waits for Sentinels before it takes the seed (10)
  VEDETTE_ASSUME_MASTER            host:port: ask nobody, this is the master. For emergencies
  HTTP_PORT                        (8080)

Example:
  VEDETTE_SELF=node-0:6379 VEDETTE_SEED=node-0:6379 VEDETTE_SENTINELS=s-0:26379,s-1:26379,s-2:26379 node.mjs start
`
const SERVER = fileURLToPath(new URL('../../dist/launch/vedette-server.cjs', import.meta.url))
const ANSWER_MS = 2_000
const ROUND_MS = 1_000
const SAY_EVERY_MS = 10_000
const HAND_OVER_MS = 25_000

const env = (name, usual) => process.env[name] || usual
const say = (text) => void process.stderr.write(`node.mjs: ${text}\n`)

function fail(text) {
  say(text)
  process.exit(1)
}

/** `host:port`, the host in brackets if it is an IPv6 address. */
function address(text, where) {
  const found = /^(?:\[([^\]]+)\]|([^:\s]+)):(\d{1,5})$/.exec(text.trim())
  const port = Number(found?.[3])
  if (found === null || port < 1 || port > 65_535) fail(`${where}: '${text}' is not host:port`)
  return { host: (found[1] ?? found[2]).toLowerCase(), port }
}

function needed(name) {
  return address(env(name) ?? fail(`${name} is not set; see node.mjs --help`), name)
}

function sentinels() {
  const text = env('VEDETTE_SENTINELS') ?? fail('VEDETTE_SENTINELS is not set; see node.mjs --help')
  return text.split(',').map((one) => address(one, 'VEDETTE_SENTINELS'))
}

/** A number that is none would be a first start that waits for ever. */
function firstWaitMs() {
  const text = env('VEDETTE_FIRST_WAIT', '10')
  if (!/^\d+(\.\d+)?$/.test(text)) fail(`VEDETTE_FIRST_WAIT: '${text}' is no number of seconds`)
  return Number(text) * 1000
}

/** The one line of a file that an orchestrator mounts; undefined if none is named. */
function secret(name) {
  const path = env(name)
  if (path === undefined) return undefined
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    return fail(`${name}: cannot read ${path} (${error.code}); mount it, or unset ${name}`)
  }
}

/** One question to one Sentinel, on a connection of its own. */
async function ask({ host, port }, ...words) {
  const { Redis } = await import('ioredis')
  const options = { lazyConnect: true, retryStrategy: null, maxRetriesPerRequest: 0 }
  const password = secret('VEDETTE_SENTINEL_PASSWORD_FILE')
  const bounds = { connectTimeout: ANSWER_MS, commandTimeout: ANSWER_MS }
  const client = new Redis({ host, port, password, enableReadyCheck: false, ...options, ...bounds })
  let reason
  client.on('error', (error) => {
    reason = error
  })
  try {
    await client.connect()
    return await client.call(...words)
  } catch (error) {
    throw reason ?? error
  } finally {
    client.disconnect()
  }
}

/** Who is master, as each Sentinel that answers says. */
async function opinions(group) {
  const asked = sentinels().map(async (sentinel) => {
    const fields = await ask(sentinel, 'SENTINEL', 'MASTER', group)
    const of = (name) => fields[fields.indexOf(name) + 1]
    const master = { host: of('ip').toLowerCase(), port: Number(of('port')) }
    return { master, epoch: Number(of('config-epoch')) }
  })
  const settled = await Promise.allSettled(asked)
  const reasons = settled.flatMap((one) => (one.reason ? [one.reason.message] : []))
  const answers = settled.flatMap((one) => (one.value ? [one.value] : []))
  return { answers, reasons, isMajority: answers.length * 2 > settled.length }
}

/** The word of the latest failover that any of them knows. */
function latest(answers) {
  return answers.reduce((best, one) => (one.epoch > best.epoch ? one : best)).master
}

const text = ({ host, port }) => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`)

/** By name, or by the address that the name has. */
async function isSame(one, other) {
  if (one.port !== other.port) return false
  if (one.host === other.host) return true
  const addresses = async ({ host }) =>
    (await lookup(host, { all: true }).catch(() => [])).map((found) => found.address)
  const [ours, theirs] = await Promise.all([addresses(one), addresses(other)])
  return ours.some((found) => theirs.includes(found))
}

/**
 * The master to start with. Following is harmless, so one Sentinel is enough to follow; to be master takes the word
 * of a majority, because a single Sentinel may not have heard of a failover. The seed counts only where nothing was ever started.
 */
async function decide(self, group, isFirst) {
  const assumed = env('VEDETTE_ASSUME_MASTER')
  if (assumed !== undefined) return address(assumed, 'VEDETTE_ASSUME_MASTER')
  const seed = isFirst ? needed('VEDETTE_SEED') : undefined
  const startMs = Date.now()
  const seedMs = startMs + firstWaitMs()
  let said = ''
  for (let sayMs = 0; ; await sleep(ROUND_MS)) {
    const { answers, reasons, isMajority } = await opinions(group)
    if (answers.length > 0) {
      const master = latest(answers)
      if (isMajority || !(await isSame(master, self))) return master
    }
    if (seed !== undefined && Date.now() >= seedMs) {
      say('too few Sentinels answer, and nothing was ever started in this folder: the seed counts')
      return seed
    }
    const heard = `${answers.length} of ${sentinels().length} Sentinels answer for ${group}`
    if (Date.now() < sayMs && heard === said) continue
    sayMs = Date.now() + SAY_EVERY_MS
    said = heard
    const because = reasons.length === 0 ? '' : ` (${reasons[0]})`
    const hint = isFirst
      ? ''
      : ', because this node may not guess its role; VEDETTE_ASSUME_MASTER=host:port would end that'
    say(`${heard}${because}; waiting${hint}`)
  }
}

/** As a redis.conf wants it in double quotes. */
function quoted(value) {
  const bytes = [...Buffer.from(value)].map((byte) =>
    byte < 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x5c
      ? `\\x${byte.toString(16).padStart(2, '0')}`
      : String.fromCharCode(byte),
  )
  return `"${bytes.join('')}"`
}

/** The user's lines, and behind them what only this container knows. */
function configuration(self, data) {
  const path = env('VEDETTE_CONF', '/etc/vedette/server.conf')
  const password = secret('VEDETTE_PASSWORD_FILE')
  const lines = [
    readFileSync(path, 'latin1').trimEnd(),
    '# Written by node.mjs at each start.',
    `dir ${quoted(data)}`,
    `replica-announce-ip ${self.host}`,
    `replica-announce-port ${self.port}`,
    ...(password === undefined
      ? []
      : [`requirepass ${quoted(password)}`, `masterauth ${quoted(password)}`]),
  ]
  return `${lines.join('\n')}\n`
}

async function start() {
  const self = needed('VEDETTE_SELF')
  const data = env('VEDETTE_DATA', '/data')
  const path = join(data, 'server.conf')
  // As the first process of a container we would not hear them.
  const leave = () => process.exit(0)
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, leave)
  const master = await decide(self, env('VEDETTE_GROUP', 'mymaster'), !existsSync(path))
  const isMaster = await isSame(master, self)
  say(isMaster ? `${text(self)} starts as the master` : `follows ${text(master)}`)
  writeFileSync(`${path}.new`, configuration(self, data), { encoding: 'latin1', mode: 0o600 })
  renameSync(`${path}.new`, path)
  for (const signal of ['SIGTERM', 'SIGINT']) process.off(signal, leave)
  // Behind the file, so that it counts more than the role that CONFIG REWRITE has kept.
  const role = isMaster ? ['no', 'one'] : [master.host, String(master.port)]
  process.argv = [process.execPath, SERVER, path, '--replicaof', ...role]
  await import(SERVER)
}

async function isOrdered(group) {
  for (const sentinel of sentinels()) {
    try {
      await ask(sentinel, 'SENTINEL', 'FAILOVER', group, 'COORDINATED')
      return true
    } catch (error) {
      say(`${text(sentinel)}: ${error.message}`)
    }
  }
  return false
}

/** Nothing that goes wrong here may keep the container from stopping. */
async function handOver() {
  const self = needed('VEDETTE_SELF')
  const group = env('VEDETTE_GROUP', 'mymaster')
  const before = await roleOf(self, group)
  if (before === 'replica') return say('not the master, nothing to hand over')
  if (before === undefined)
    return say('too few Sentinels answer to say who is the master; nothing is ordered of them')
  if (!(await isOrdered(group))) return say('nobody takes it over; the Sentinels will see the stop')
  const endMs = Date.now() + HAND_OVER_MS
  for (;;) {
    const role = await roleOf(self, group)
    if (role === 'replica') return say('handed over')
    if (Date.now() > endMs) return say(`${STILL[role]}; the Sentinels will see the stop`)
    await sleep(200)
  }
}

const STILL = {
  master: 'still the master',
  undefined: 'too few Sentinels answer to say who took over',
}

/** As a majority of the Sentinels has it; undefined where fewer answer. */
async function roleOf(self, group) {
  const { answers, isMajority } = await opinions(group)
  if (!isMajority) return undefined
  return (await isSame(latest(answers), self)) ? 'master' : 'replica'
}

async function ready() {
  const url = `http://127.0.0.1:${env('HTTP_PORT', '8080')}/readiness`
  const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) }).catch((error) =>
    fail(`${url}: ${error.cause?.code ?? error.message}`),
  )
  if (!answer.ok) fail(`${url}: ${answer.status} ${await answer.text()}`)
}

const TASKS = { start, 'hand-over': handOver, ready }
const [word] = process.argv.slice(2)
if (word === '--help' || word === '-h') process.stdout.write(HELP)
else if (TASKS[word] === undefined) {
  process.stderr.write(HELP)
  process.exitCode = 2
} else await TASKS[word]()
