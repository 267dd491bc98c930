/**
 * Scenarios on real processes in network namespaces. They take the time they take, so those that can
 * run side by side do. What this machine lacks for them stands in the name of what is left out.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import {
  type Against,
  createProcessEngine,
  processEngineRefusal,
} from '../../src/engine/process/engine.ts'
import { ownedBy, removeLeftovers } from '../../src/engine/process/leftovers.ts'
import { parseScenario } from '../../src/scenario/parse.ts'
import type { ScenarioResult } from '../../src/scenario/result.ts'
import { runScenario } from '../../src/scenario/run.ts'
import type { ScenarioFile } from '../../src/scenario/scenario-file.ts'
import type { World } from '../../src/scenario/world.ts'
import { until } from '../support/processes.ts'

/** Half a minute of cluster life, its start and its end. */
const SCENARIO_LIMIT_MS = 90_000
/** The tests of a busy machine are no judgement on speed. */
const GRACE_MS = 1_000

const KILLED = 'scenarios/01-master-killed.yml'
const CUT_OFF = 'scenarios/02-master-and-one-sentinel-cut-off.yml'
const ENGINE = new URL('../../dist/engine/process/engine.js', import.meta.url)
const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const PARSER = new URL('../../dist/scenario/parse.js', import.meta.url)

const refusal = processEngineRefusal('vedette')
const redisRefusal = processEngineRefusal('redis')

describe.skipIf(refusal !== undefined)(named('real processes', refusal), () => {
  afterAll(() => {
    expect(ownedBy(process.pid)).toEqual([])
  })

  describe('scenarios', { concurrent: true, timeout: SCENARIO_LIMIT_MS }, () => {
    test('Vedette passes the killed master', async () => {
      expect(unmet(await play(KILLED, 'vedette', GRACE_MS))).toEqual([])
    })

    test('Vedette passes the partition, with writes lost on the minority side only', async () => {
      const result = await play(CUT_OFF, 'vedette', GRACE_MS)
      expect(unmet(result)).toEqual([])
      expect(result.facts.groups[0]?.lost).toMatchObject({ byMajority: 0 })
    })

    // The deadlines of the file are Vedette's, so Redis is asked for what it did, not for how fast.
    test.skipIf(redisRefusal !== undefined)(
      named('Redis replaces the killed master, and loses nothing', redisRefusal),
      async () => {
        const { facts, violations } = await play(KILLED, 'redis', GRACE_MS)
        expect(violations).toEqual([])
        const [group] = facts.groups
        expect(group).toMatchObject({ failovers: 1, lost: { byMajority: 0, byCutOff: 0 } })
        expect(['n2', 'n3']).toContain(group?.finalMaster)
        // It needs its down-after to notice, and has been done with it before the old master is back.
        expect(group?.longestOutageMs).toBeGreaterThan(1_000)
        expect(group?.longestOutageMs).toBeLessThan(10_000)
      },
    )
  })

  test('faults reach the processes, and are taken back', {
    timeout: SCENARIO_LIMIT_MS,
  }, async () => {
    const world = await createProcessEngine({ against: 'vedette' }).create(smallScenario(), '1')
    try {
      await acknowledgedOne(world)
      await narrowsAndHeals(world)
      await resets(world)
      await fillsTheDisk(world)
      await losesPower(world)
      await moves(world)
    } finally {
      await world.close()
    }
  })

  test('a runner that is told to end takes everything with it', async () => {
    const runner = await startRunner()
    expect(ownedBy(runner.pid)).not.toEqual([])
    await runner.end('SIGTERM')
    expect(ownedBy(runner.pid)).toEqual([])
  })

  test('so does fuzz, whose runs are in a worker', async () => {
    const argv = ['fuzz', '--engine', 'process', '--seeds', '1..2', '--out', tmpdir()]
    const fuzz = spawn(process.execPath, [PROGRAM, ...argv], { stdio: 'ignore' })
    const pid = fuzz.pid ?? 0
    const ended = once(fuzz, 'exit')
    const folder = `vedette-run-${pid}-`
    await until('a run has begun', 30_000, () => ownedBy(pid).some((one) => one.startsWith(folder)))
    fuzz.kill('SIGTERM')
    expect((await ended)[0]).toBe(143)
    expect(ownedBy(pid)).toEqual([])
  })

  test('what a killed runner leaves behind is removed by the next one', async () => {
    const runner = await startRunner()
    await runner.end('SIGKILL')
    expect(ownedBy(runner.pid)).not.toEqual([])
    removeLeftovers()
    expect(ownedBy(runner.pid)).toEqual([])
  })
})

async function narrowsAndHeals(world: World): Promise<void> {
  const before = await acknowledgedIn(world, 1_000)
  await world.apply({ kind: 'shape', from: 'd', to: 'a', shape: { bytesPerSecond: 2_000 } })
  expect(await acknowledgedIn(world, 1_000)).toBeLessThan(before / 2)
  await world.apply({ kind: 'heal' })
  await acknowledgedOne(world)
}

async function resets(world: World): Promise<void> {
  const before = await clientPorts(world)
  expect(before).not.toEqual([])
  await world.apply({ kind: 'reset', host: 'd', peer: 'a' })
  await acknowledgedOne(world)
  expect((await clientPorts(world)).filter((port) => before.includes(port))).toEqual([])
}

async function fillsTheDisk(world: World): Promise<void> {
  const flush = () => world.ask('s2', ['SENTINEL', 'FLUSHCONFIG'])
  expect(await flush()).toMatchObject({ kind: 'simple' })
  await world.apply({ kind: 'diskFailure', process: 's2', operation: 'write', reason: 'full' })
  expect(await flush()).toMatchObject({ kind: 'error' })
  await world.apply({ kind: 'diskRepair', process: 's2' })
  expect(await flush()).toMatchObject({ kind: 'simple' })
}

async function losesPower(world: World): Promise<void> {
  await world.apply({ kind: 'powerLoss', hosts: ['a'] })
  expect(statusOf(world, 'n1')).toBe('down')
  await acknowledgedOne(world)
  await world.apply({ kind: 'restart', processes: ['n1', 's1'], disk: 'kept' })
  await until('n1 is a replica', 10_000, async () => {
    const role = await world.ask('n1', ['ROLE'])
    return role?.kind === 'array' && JSON.stringify(role.items[0]).includes('slave')
  })
}

async function moves(world: World): Promise<void> {
  const before = await listenAddress(world)
  await world.apply({ kind: 'readdress', host: 'a', disk: 'kept' })
  await until('n1 answers at its new address', 10_000, async () => {
    const now = await listenAddress(world)
    return now !== undefined && now !== before
  })
}

/** The address by which the observer reaches n1, as the node sees it. */
async function listenAddress(world: World): Promise<string | undefined> {
  const reply = await world.ask('n1', ['CLIENT', 'INFO'])
  return reply?.kind === 'bulk' ? /laddr=([^ ]+)/.exec(reply.bytes)?.[1] : undefined
}

/** Where the client's connections to the master come from. */
async function clientPorts(world: World): Promise<readonly string[]> {
  const reply = await world.ask('n1', ['CLIENT', 'LIST'])
  const text = reply?.kind === 'bulk' ? reply.bytes : ''
  const writers = text.split('\n').filter((line) => / cmd=set /.test(line))
  return writers.map((line) => / addr=([^ ]+)/.exec(line)?.[1] ?? '')
}

/** How many writes are acknowledged in that time. */
async function acknowledgedIn(world: World, ms: number): Promise<number> {
  const count = () => world.writes().filter(({ outcome }) => outcome.kind === 'acknowledged').length
  const before = count()
  await world.runUntil((await world.runUntil(0)) + ms)
  return count() - before
}

async function acknowledgedOne(world: World): Promise<void> {
  await until('a write is acknowledged', 10_000, async () => (await acknowledgedIn(world, 50)) > 0)
}

function statusOf(world: World, process: string): string | undefined {
  const own = world.happenings().filter((one) => one.process === process && one.kind === 'status')
  const last = own.at(-1)
  return last?.kind === 'status' ? last.status : undefined
}

async function play(path: string, against: Against, graceMs: number): Promise<ScenarioResult> {
  const engine = createProcessEngine({ against })
  return await runScenario(read(readFileSync(path, 'utf8'), path), { seed: '1', engine, graceMs })
}

function unmet({ expectations, violations }: ScenarioResult): readonly string[] {
  const failed = expectations.filter(({ passed }) => !passed)
  return [
    ...failed.map(({ text, finding }) => `${text}: ${finding}`),
    ...violations.map(({ checker, text }) => `${checker}: ${text}`),
  ]
}

function read(text: string, path: string): ScenarioFile {
  const parsed = parseScenario(text, path)
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  return parsed.value
}

/** The topology of the first scenario, with a disk that can be full. */
function smallScenario(): ScenarioFile {
  const text = readFileSync(KILLED, 'utf8').split('timeline:')[0]
  const rest =
    'timeline: [{ at: 1s, disk-failure: { process: s2 } }]\nexpect: [{ writes-work: true, within: 5s }]\n'
  return read(`${text}${rest}`, 'small.yml')
}

interface Runner {
  readonly pid: number
  end(signal: NodeJS.Signals): Promise<void>
}

/** A process of its own that has a world open, and nothing else to do. */
async function startRunner(): Promise<Runner> {
  const script = `
    import { readFileSync } from 'node:fs'
    import { createProcessEngine } from ${JSON.stringify(fileURLToPath(ENGINE))}
    import { parseScenario } from ${JSON.stringify(fileURLToPath(PARSER))}
    const parsed = parseScenario(readFileSync(${JSON.stringify(KILLED)}, 'utf8'), 'killed.yml')
    await createProcessEngine({ against: 'vedette' }).create(parsed.value, '1')
    console.log('open')
    setInterval(() => {}, 1_000)
  `
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  for await (const line of createInterface({ input: child.stdout })) if (line === 'open') break
  return {
    pid: child.pid ?? 0,
    end: async (signal) => {
      child.kill(signal)
      await ended
    },
  }
}

function named(name: string, reason: string | undefined): string {
  return reason === undefined ? name : `${name} (left out: ${reason})`
}
