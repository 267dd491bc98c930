/** One run: a quiet time, then questions, then many masters killed at once. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { nowMs, until } from '../support/clock.mjs'
import { withConnectionTo } from '../support/connection.mjs'
import { cpuMsOf } from '../support/cpu.mjs'
import { PATIENT, settled, startNodes, startSentinels } from './fleet.mjs'
import { askInTurn, askSteadily, quantile } from './questions.mjs'
import { Switches } from './switches.mjs'

/**
 * By then the work after the processes have met is over, and the engine has compiled what runs
 * often.
 */
const CALM_MS = 30_000
const QUIET_MS = 20_000
const SWITCH_BOUND_MS = 120_000
const LOOK_PERIOD_MS = 20
/** Enough questions for one in a hundred to mean something. */
const BUSY_MS_MIN = 2_000

/**
 * Kills `kill` masters of `count` groups. Returns one sample, times in milliseconds from the kill; what
 * did not happen within its bound is undefined.
 */
export async function runScale(workshop, { count, kill, contender, downAfterMs, name }) {
  const { groups, members } = await startNodes(workshop, count, `${name}-nodes`)
  const setting = { contender, groups, downAfterMs, name: `${name}-sentinels` }
  const startedMs = nowMs()
  const sentinels = await startSentinels(workshop, setting)
  members.push(...sentinels.map(({ member }) => member))
  try {
    await settled(sentinels, count)
    const settledMs = nowMs() - startedMs
    return { settledMs, ...(await measureSettled(workshop, { sentinels, groups, kill })) }
  } finally {
    await workshop.end(members)
  }
}

async function measureSettled(workshop, { sentinels, groups, kill }) {
  const switches = await Switches.open(sentinels)
  try {
    await sleep(CALM_MS)
    const quiet = await measureQuiet(sentinels)
    const times = await askInTurn(sentinels[0], groups)
    const disaster = { sentinels, groups, victims: groups.slice(0, kill), switches }
    const failovers = await killMasters(workshop, disaster)
    return { ...quiet, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), ...failovers }
  } finally {
    switches.close()
  }
}

/** Percent of a core and megabytes, averaged per Sentinel. */
async function measureQuiet(sentinels) {
  const pids = sentinels.map(({ member }) => member.child.pid)
  const before = pids.map(cpuMsOf)
  const startedMs = nowMs()
  await sleep(QUIET_MS)
  const passedMs = nowMs() - startedMs
  const spent = pids.map((pid, at) => cpuMsOf(pid) - before[at])
  return { cpuPercent: (100 * average(spent)) / passedMs, memoryMb: average(pids.map(residentMb)) }
}

async function killMasters(workshop, { sentinels, groups, victims, switches }) {
  const questions = await askSteadily(sentinels[0], groups)
  const names = victims.map(({ name }) => name)
  const killedMs = nowMs()
  await workshop.end(victims.map(({ master }) => master.member))
  const isOver = () => switches.everywhereMs(names).length === names.length
  // What has not happened by then shows below.
  const over = until('all have switched', SWITCH_BOUND_MS, isOver, LOOK_PERIOD_MS)
  await Promise.all([over.catch(() => undefined), sleep(BUSY_MS_MIN)])
  const times = questions.stop()
  const moments = switches.everywhereMs(names).map((ms) => ms - killedMs)
  return {
    halfMs: moments[Math.ceil(names.length / 2) - 1],
    allMs: moments[names.length - 1],
    busyP99Ms: quantile(times, 0.99),
    left: await countLeft(sentinels, victims),
    wronged: [...switches.names()].filter((name) => !names.includes(name)).length,
  }
}

/** Groups for which some Sentinel does not name the replica: an event heard is one thing, an answer another. */
async function countLeft(sentinels, victims) {
  const told = await Promise.all(sentinels.map((sentinel) => portsTold(sentinel, victims)))
  const isReplaced = ({ replica }, at) => told.every((ports) => ports[at] === replica.port)
  return victims.filter((victim, at) => !isReplaced(victim, at)).length
}

function portsTold(sentinel, victims) {
  const ask = async (client, { name }) => {
    const [, port] = await client.sentinel('get-master-addr-by-name', name)
    return Number(port)
  }
  const work = (client) => Promise.all(victims.map((victim) => ask(client, victim)))
  return withConnectionTo(sentinel, work, PATIENT)
}

function residentMb(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024
}

function average(numbers) {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length
}
