import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createTcpEngine } from '../../src/engine/tcp/engine.ts'
import { createTcpWorld, type TcpWorld } from '../../src/engine/tcp/tcp-world.ts'
import type { Happening } from '../../src/history/happening.ts'
import type { Reply } from '../../src/resp/reply.ts'
import { parseScenario } from '../../src/scenario/parse.ts'
import { runScenario } from '../../src/scenario/run.ts'
import { createTopology } from '../sim/topology.ts'

const TOPOLOGY = {
  ...createTopology(),
  nodes: createTopology().nodes.map((node) => ({
    ...node,
    directives: new Map([['repl-diskless-sync-delay', '0']]),
  })),
}
/** Three worlds share one thread here, with whatever else the machine does. */
const GRACE_MS = 1_500
const SHIPPED = [
  '01-master-killed.yml',
  '02-master-and-one-sentinel-cut-off.yml',
  '03-sentinel-clock-jumps.yml',
]

const worlds: TcpWorld[] = []

afterEach(async () => {
  await Promise.all(worlds.splice(0).map((world) => world.close()))
})

/** As long as it is expected, or as it is two seconds later: a failover may close our connection meanwhile. */
async function lengthOfLarge(
  world: Awaited<ReturnType<typeof startWorld>>,
  node: string,
  expected: number,
): Promise<number> {
  let length = 0
  for (let waitedMs = 0; waitedMs < 2_000 && length !== expected; waitedMs += 100) {
    await pass(world, 100)
    length = textOf(await world.ask(node, ['GET', 'large'])).length
  }
  return length
}

describe('a world on real sockets', () => {
  test('announces, to everybody and in everything, the addresses of its own', async () => {
    const world = await startWorld()
    const master = await world.ask('s1', ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster'])
    const [host, port] = textsOf(master)
    expect(world.nameOf({ host: host ?? '', port: Number(port) })).toBe('n1')
    const replication = textOf(await world.ask('n1', ['INFO', 'replication']))
    const replicas = [...replication.matchAll(/slave\d:ip=([\d.]+),port=(\d+)/g)]
    expect(replicas.map(([, ip = '', at]) => world.nameOf({ host: ip, port: Number(at) })).sort())
      .toEqual(['n2', 'n3']) // biome-ignore format: one claim
    const peers = await world.ask('s1', ['SENTINEL', 'SENTINELS', 'mymaster'])
    expect(peers?.kind === 'array' ? peers.items.map((peer) => nameIn(world, peer)).sort() : peers)
      .toEqual(['s2', 's3']) // biome-ignore format: one claim
  })

  test('holds what is sent into a cut, and lets it through after the heal', async () => {
    const world = await startWorld()
    await world.apply({ kind: 'cut', from: 'a', to: 'b' })
    await world.ask('n1', ['SET', 'held', 'yes'])
    await pass(world, 600)
    expect(await world.ask('n2', ['GET', 'held'])).toEqual({ kind: 'null' })
    expect(await world.ask('n3', ['GET', 'held'])).toEqual({ kind: 'bulk', bytes: 'yes' })
    const since = world.happenings().length
    await world.apply({ kind: 'heal' })
    await pass(world, 1_000)
    expect(await world.ask('n2', ['GET', 'held'])).toEqual({ kind: 'bulk', bytes: 'yes' })
    // The connection itself has survived: nothing had to be copied anew.
    expect(world.happenings().slice(since).filter(isRole)).toEqual([])
  })

  test('a paused Sentinel is silent, and goes on where it was', async () => {
    const world = await startWorld()
    const before = logLines(world, 's1').length
    await world.apply({ kind: 'pause', processes: ['s1'] })
    const answer = world.ask('s1', ['PING'])
    expect(await Promise.race([answer, pass(world, 1_500)])).toBe('time passed')
    expect(logLines(world, 's1')).toHaveLength(before)
    await world.apply({ kind: 'resume', processes: ['s1'] })
    expect(await answer).toEqual({ kind: 'simple', text: 'PONG' })
  })

  test('a killed node loses its connections and comes back empty, at the same address', async () => {
    const world = await startWorld()
    await world.ask('n3', ['CONFIG', 'SET', 'replica-priority', '7'])
    await world.ask('n3', ['CONFIG', 'REWRITE'])
    await world.apply({ kind: 'kill', processes: ['n3'] })
    expect(await world.ask('n3', ['PING'])).toBeUndefined()
    await pass(world, 200)
    expect(textOf(await world.ask('n1', ['INFO', 'replication']))).toContain('connected_slaves:1')
    await world.apply({ kind: 'restart', processes: ['n3'], disk: 'kept' })
    await pass(world, 1_500)
    expect(textOf(await world.ask('n1', ['INFO', 'replication']))).toContain('connected_slaves:2')
    expect(textsOf(await world.ask('n3', ['CONFIG', 'GET', 'replica-priority']))[1]).toBe('7')
  })

  test('what a killed node has written still leaves', async () => {
    const world = await startWorld()
    // More than a door reads at once: the end of it is on the way when the node dies.
    const value = 'x'.repeat(300_000)
    await world.ask('n1', ['SET', 'large', value])
    await world.apply({ kind: 'kill', processes: ['n1'] })
    expect(await lengthOfLarge(world, 'n2', value.length)).toBe(value.length)
    expect(await lengthOfLarge(world, 'n3', value.length)).toBe(value.length)
  })

  test('a stall leads into TILT, as a jump of the clock does', async () => {
    const world = await startWorld()
    await world.apply({ kind: 'stall', processes: ['s1'], forMs: 2_500 })
    await world.apply({ kind: 'clockJump', process: 's2', byMs: -60_000 })
    await pass(world, 4_000)
    const tilted = world.happenings().filter((one) => one.kind === 'event' && one.name === '+tilt')
    expect(tilted.map(({ process }) => process).sort()).toEqual(['s1', 's2'])
  })

  test('a host without power says nothing: its peers keep their connections', async () => {
    const world = await startWorld()
    await world.apply({ kind: 'powerLoss', hosts: ['c'] })
    await pass(world, 500)
    expect(textOf(await world.ask('n1', ['INFO', 'replication']))).toContain('connected_slaves:2')
  })

  test('a reset ends connections, and they are opened again', async () => {
    const world = await startWorld()
    expect(textOf(await world.ask('n1', ['INFO', 'stats']))).toContain('sync_partial_ok:0')
    await world.apply({ kind: 'reset', host: 'b', peer: 'a' })
    await pass(world, 1_500)
    expect(textOf(await world.ask('n1', ['INFO', 'stats']))).toContain('sync_partial_ok:1')
  })

  test('a host with a new address is found there', async () => {
    const world = await startWorld()
    const old = await world.ask('n3', ['ROLE'])
    await world.apply({ kind: 'readdress', host: 'c', disk: 'kept' })
    await pass(world, 2_000)
    expect(await world.ask('n3', ['ROLE'])).toMatchObject({ kind: old?.kind })
    const replication = textOf(await world.ask('n1', ['INFO', 'replication']))
    const [, ip = '', port] =
      /slave\d:ip=([\d.]+),port=(\d+),state=online,offset=\d+,lag=[01]\b/.exec(
        replication
          .split('\r\n')
          .filter((line) => line.startsWith('slave'))
          .at(-1) ?? '',
      ) ?? []
    expect(world.nameOf({ host: ip, port: Number(port) })).toBe('n3')
  })

  test('ends at the happening that is waited for, not later', async () => {
    const world = await start()
    const atMs = await world.runUntil(30_000, (one) => one.kind === 'view')
    expect(atMs).toBeLessThan(3_000)
    expect(world.happenings().some((one) => one.kind === 'view')).toBe(true)
  })

  test('does not let strangers in, and takes no part in another world', async () => {
    const [one, other] = [await startWorld(), await startWorld()]
    const master = await one.ask('s1', ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster'])
    const [host = '', port] = textsOf(master)
    expect(other.nameOf({ host, port: Number(port) })).toBe(`${host}:${port}`)
    expect(await answerTo(host, Number(port))).toBe('')
  })

  test('leaves nothing behind', async () => {
    const timers = countResources('Timeout')
    const world = await startWorld()
    expect(countResources('TCPSocketWrap')).toBeGreaterThan(50)
    await world.apply({ kind: 'pause', processes: ['s2'] })
    const unanswered = world.ask('s2', ['PING'])
    await world.close()
    expect(await unanswered).toBeUndefined()
    expect(countResources('TCPSocketWrap')).toBe(0)
    expect(countResources('TCPServerWrap')).toBe(0)
    // Besides, the test runner has one of its own that comes and goes.
    expect(countResources('Timeout')).toBeLessThanOrEqual(timers + 1)
  })
})

test('the shipped scenarios have the same verdict as in the simulator', async () => {
  const engine = createTcpEngine()
  const results = await Promise.all(
    SHIPPED.map((name) => runScenario(read(name), { seed: '1', engine, graceMs: GRACE_MS })),
  )
  for (const result of results) {
    const broken = result.expectations.filter(({ passed }) => !passed)
    expect(broken.map(({ text, finding }) => `${result.file}: ${text}: ${finding}`)).toEqual([])
    expect(result.violations).toEqual([])
  }
  const simulated = await Promise.all(SHIPPED.map((name) => runScenario(read(name), { seed: '1' })))
  expect(results.map(({ verdict }) => verdict)).toEqual(simulated.map(({ verdict }) => verdict))
})

async function start(): Promise<TcpWorld> {
  const world = await createTcpWorld(TOPOLOGY, '1')
  worlds.push(world)
  return world
}

/** Everybody is up and has found everybody. */
async function startWorld(): Promise<TcpWorld> {
  const world = await start()
  await world.runUntil(10_000, () => {
    const ups = world.happenings().filter((one) => isRole(one) && one.role.kind === 'replica')
    return new Set(ups.filter((one) => isRole(one) && isUp(one)).map(nameOf)).size === 2
  })
  await pass(world, 2_500)
  return world
}

type Role = Happening & { readonly kind: 'role' }

function isRole(happening: Happening): happening is Role {
  return happening.kind === 'role'
}

function isUp({ role }: Role): boolean {
  return role.kind === 'replica' && role.isLinkUp
}

function nameOf({ process }: Happening): string | undefined {
  return process
}

function logLines(world: TcpWorld, process: string): readonly Happening[] {
  return world.happenings().filter((one) => one.process === process && one.kind !== 'status')
}

async function pass(world: TcpWorld, ms: number): Promise<'time passed'> {
  const nowMs = await world.runUntil(0)
  await world.runUntil(nowMs + ms)
  return 'time passed'
}

function textOf(reply: Reply | undefined): string {
  return reply?.kind === 'bulk' ? reply.bytes : ''
}

function textsOf(reply: Reply | undefined): readonly string[] {
  return reply?.kind === 'array' ? reply.items.map(textOf) : []
}

function nameIn(world: TcpWorld, peer: Reply): string {
  const texts = textsOf(peer)
  const field = (key: string) => texts[texts.indexOf(key) + 1] ?? ''
  return world.nameOf({ host: field('ip'), port: Number(field('port')) })
}

/** What comes back, up to the end of the connection. */
function answerTo(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect({ host, port }, () => socket.write('PING\r\n'))
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(answer))
  })
}

function countResources(kind: string): number {
  return process.getActiveResourcesInfo().filter((name) => name === kind).length
}

function read(name: string) {
  const path = new URL(`../../scenarios/${name}`, import.meta.url)
  const parsed = parseScenario(readFileSync(path, 'utf8'), name)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return parsed.value
}
