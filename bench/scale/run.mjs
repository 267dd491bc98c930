/** One run: a quiet time, then questions, then every master killed at once. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { nowMs, until } from '../support/clock.mjs'
import { connect } from '../support/connection.mjs'
import { cpuMsOf } from '../support/cpu.mjs'
import { startNodes, startSentinels } from './fleet.mjs'

/** What follows the acquaintance is over by then. */
const CALM_MS = 10_000
const QUIET_MS = 20_000
const QUESTIONS = 2_000
const SWITCH_BOUND_MS = 120_000

export async function runScale(workshop, { count, contender, name }) {
  const nodes = await startNodes(workshop, count, `${name}-nodes`)
  const started = await startSentinels(workshop, contender, nodes.groups, `${name}-sentinels`)
  const { sentinels, settledMs } = started
  try {
    await sleep(CALM_MS)
    const quiet = await measureQuiet(sentinels)
    const questions = await askAddresses(sentinels[0], nodes.groups)
    const switchedMs = await killAllMasters(workshop, sentinels, nodes.groups)
    return { settledMs, ...quiet, ...questions, switchedMs }
  } finally {
    await workshop.end([...sentinels.map(({ member }) => member), ...nodes.members])
  }
}

/** Percent of a core and megabytes, of one Sentinel on average. */
async function measureQuiet(sentinels) {
  const pids = sentinels.map(({ member }) => member.child.pid)
  const before = pids.map(cpuMsOf)
  await sleep(QUIET_MS)
  const spent = pids.map((pid, at) => cpuMsOf(pid) - before[at])
  const cpuPercent = (100 * average(spent)) / QUIET_MS
  return { cpuPercent, memoryMb: average(pids.map(residentMb)) }
}

/** One question after the other, as one client would put them. */
async function askAddresses({ port }, groups) {
  const client = connect(port)
  try {
    const times = []
    for (let at = 0; at < QUESTIONS; at++) {
      const { name } = groups[at % groups.length]
      const askedMs = performance.now()
      await client.sentinel('get-master-addr-by-name', name)
      times.push(performance.now() - askedMs)
    }
    times.sort((a, b) => a - b)
    return { p50Ms: times[QUESTIONS >> 1], p99Ms: times[Math.floor(QUESTIONS * 0.99)] }
  } finally {
    client.disconnect()
  }
}

/** From the kill until every Sentinel names the replica of every group; undefined: not within the bound. */
async function killAllMasters(workshop, sentinels, groups) {
  const clients = sentinels.map(({ port }) => connect(port))
  const killedMs = nowMs()
  try {
    await workshop.end(groups.map(({ master }) => master.member))
    for (const client of clients) {
      const left = new Set(groups)
      const claim = 'every group has its replica as master'
      await until(claim, SWITCH_BOUND_MS, () => isSwitched(client, left), 50)
    }
    return nowMs() - killedMs
  } catch {
    return undefined
  } finally {
    for (const client of clients) client.disconnect()
  }
}

async function isSwitched(client, left) {
  for (const group of left) {
    const [, port] = await client.sentinel('get-master-addr-by-name', group.name)
    if (Number(port) !== group.replica.port) return false
    left.delete(group)
  }
  return true
}

function residentMb(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024
}

function average(numbers) {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length
}
