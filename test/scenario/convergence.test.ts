import { describe, expect, test } from 'vitest'
import { array, bulk, error, integer, type Reply, simple } from '../../src/resp/reply.ts'
import { awaitConvergence, differences } from '../../src/scenario/final-checks/convergence.ts'
import { SIM_ENGINE } from '../../src/scenario/sim-engine.ts'
import type { World } from '../../src/scenario/world.ts'
import { altered, parse, SOUND } from './support.ts'

const FILE = parse(SOUND)
const SAME = '0'.repeat(40)

interface Node {
  readonly role: Reply
  readonly digest: Reply
  /** Keys with their strings, or the members of a set. */
  readonly data: Readonly<Record<string, string | readonly string[]>>
}

interface Cluster {
  readonly nodes: Record<string, Node>
  /** Whom each Sentinel names, and the config epoch. */
  readonly sentinels: Record<string, readonly [master: string, epoch: number] | 'silent'>
  readonly down: readonly string[]
}

/** As a decoder makes them. */
const bulks = (texts: readonly string[]): Reply => array(texts.map((text) => bulk(text)))
const master = (offset = 100): Reply => ({
  kind: 'array',
  items: [bulk('master'), integer(offset), { kind: 'array', items: [] }],
})
const replica = (of: string, offset = 100, link = 'connected'): Reply => ({
  kind: 'array',
  items: [bulk('slave'), bulk(of), integer(6_379), bulk(link), integer(offset)],
})
const node = (role: Reply, change: Partial<Node> = {}): Node => ({
  ...{ role, digest: simple(SAME), data: {} },
  ...change,
})

/** n1 is the master of two replicas, and everybody says so. */
function atRest(change: Partial<Cluster> = {}): Cluster {
  return {
    nodes: { n1: node(master()), n2: node(replica('n1')), n3: node(replica('n1')) },
    sentinels: { s1: ['n1', 3], s2: ['n1', 3], s3: ['n1', 3] },
    down: [],
    ...change,
  }
}

function answer(cluster: Cluster, process: string, argv: readonly string[]): Reply | undefined {
  const sentinel = cluster.sentinels[process]
  if (sentinel === 'silent') return undefined
  if (sentinel !== undefined) {
    const [named, epoch] = sentinel
    if (argv[1] === 'get-master-addr-by-name') return bulks([named, '6379'])
    return bulks(['name', 'mymaster', 'config-epoch', String(epoch)])
  }
  const { role, digest, data } = cluster.nodes[process] ?? node(error('ERR who?'))
  if (argv[0] === 'ROLE') return role
  if (argv[0] === 'DEBUG') return digest
  if (argv[0] === 'KEYS') return bulks(Object.keys(data))
  if (argv[0] === 'SMEMBERS') return bulks(data[argv[1] ?? ''] as readonly string[])
  const strings = argv.slice(1).map((key) => data[key])
  const items = strings.map(
    (one): Reply => (typeof one === 'string' ? bulk(one) : { kind: 'null' }),
  )
  return { kind: 'array', items }
}

/** A world that shows one cluster after the other, each for 100 ms; the last one stays. */
function createWorld(...course: readonly Cluster[]): World {
  let nowMs = 0
  const now = (): Cluster => course[Math.floor(nowMs / 100)] ?? course.at(-1) ?? atRest()
  const all = ['n1', 'n2', 'n3', 's1', 's2', 's3']
  return {
    runUntil: async (atMs) => {
      nowMs = Math.max(nowMs, atMs)
      return nowMs
    },
    apply: async () => {},
    ask: async (process, argv) => answer(now(), process, argv),
    nameOf: ({ host }) => host,
    happenings: () =>
      all
        .filter((name) => !now().down.includes(name))
        .map((process) => ({ atMs: 0, process, kind: 'status', status: 'running' })),
    writes: () => [],
    reads: () => [],
    questions: () => [],
    latestMs: () => undefined,
    close: async () => {},
  }
}

async function found(cluster: Cluster, isLoadStopped = true): Promise<readonly string[]> {
  return await differences(createWorld(cluster), FILE, isLoadStopped)
}

test('a cluster at rest has no differences', async () => {
  expect(await found(atRest())).toEqual([])
})

describe('it is not at rest when', () => {
  const sentinels = atRest().sentinels
  const nodes = atRest().nodes

  test.each<[string, Partial<Cluster>, string]>([
    [
      'a Sentinel names another master',
      { sentinels: { ...sentinels, s3: ['n2', 3] } },
      'mymaster: s3 names n2 in config epoch 3',
    ],
    [
      'a Sentinel is at another config epoch',
      { sentinels: { ...sentinels, s3: ['n1', 2] } },
      'mymaster: s3 names n1 in config epoch 2',
    ],
    [
      'a Sentinel is silent',
      { sentinels: { ...sentinels, s2: 'silent' } },
      'mymaster: s2 does not tell the master',
    ],
    [
      'the master they name does not run',
      { down: ['n1'] },
      'mymaster: n1, whom the Sentinels name, does not run',
    ],
    [
      'the master they name is a replica',
      { nodes: { ...nodes, n1: node(replica('n2')) } },
      'mymaster: n1 is named as master, and is a replica',
    ],
    [
      'there is a second master',
      { nodes: { ...nodes, n2: node(master()) } },
      'mymaster: n2 should be a replica, and is a master',
    ],
    [
      'a replica is not connected',
      { nodes: { ...nodes, n2: node(replica('n1', 100, 'sync')) } },
      'mymaster: n2 is not connected to n1',
    ],
    [
      'a replica follows another one without having been told to',
      { nodes: { ...nodes, n3: node(replica('n2')) } },
      'mymaster: n3 is a replica of n2 instead of n1',
    ],
    [
      'a replica is behind',
      { nodes: { ...nodes, n2: node(replica('n1', 90)) } },
      'mymaster: n2 is at offset 90, its master at 100',
    ],
    [
      'a replica holds something else',
      { nodes: { ...nodes, n2: node(replica('n1'), { digest: simple('1'.repeat(40)) }) } },
      'n2 does not hold what n1 holds',
    ],
    ['no Sentinel runs', { down: ['s1', 's2', 's3'] }, 'mymaster: no Sentinel runs'],
  ])('%s', async (_, change, text) => {
    expect(await found(atRest(change))).toContain(text)
  })
})

test('who does not run is not asked', async () => {
  const change = { sentinels: { ...atRest().sentinels, s3: 'silent' as const } }
  expect(await found(atRest({ ...change, down: ['n3', 's3'] }))).toEqual([])
})

test('a replica may follow another one if the topology says so', async () => {
  const file = parse(altered('n3: { host: c, replica-of: n1 }', 'n3: { host: c, replica-of: n2 }'))
  const cluster = atRest({ nodes: { ...atRest().nodes, n3: node(replica('n2')) } })
  expect(await differences(createWorld(cluster), file, true)).toEqual([])
})

test('neither offsets nor data are compared while somebody writes', async () => {
  const behind = node(replica('n1', 90), { digest: simple('1'.repeat(40)) })
  expect(await found(atRest({ nodes: { ...atRest().nodes, n2: behind } }), false)).toEqual([])
})

describe('without DEBUG DIGEST', () => {
  const refused = error('ERR DEBUG command not allowed.')
  const holding = (role: Reply, data: Node['data']): Node => ({ role, digest: refused, data })
  const data = { a: '1', b: '2', s: ['x', 'y'] }
  const compared = async (other: Node['data']): Promise<readonly string[]> => {
    const n1 = holding(master(), data)
    return await found(
      atRest({
        nodes: { n1, n2: holding(replica('n1'), data), n3: holding(replica('n1'), other) },
      }),
    )
  }

  test.each<[string, Node['data'], readonly string[]]>([
    ['the same', { s: ['y', 'x'], b: '2', a: '1' }, []],
    ['a key less', { a: '1', s: ['x', 'y'] }, ['n3 misses b (its master: n1)']],
    ['a set less', { a: '1', b: '2' }, ['n3 misses s (its master: n1)']],
    ['another value', { ...data, b: '3' }, ['n3 holds something else in b (its master: n1)']],
    ['another member', { ...data, s: ['x'] }, ['n3 holds something else in s (its master: n1)']],
    ['a key more', { ...data, c: '' }, ['n3 has c, which should not be there (its master: n1)']],
  ])('%s is seen', async (_, other, differing) => {
    expect(await compared(other)).toEqual(differing)
  })
})

test('it waits until the cluster has come to rest', async () => {
  const restless = atRest({ sentinels: { ...atRest().sentinels, s3: ['n2', 3] } })
  const world = createWorld(restless, restless, restless, atRest())
  const options = { fromMs: 0, budgetMs: 1_000, isLoadStopped: true }
  expect(await awaitConvergence(world, FILE, options)).toEqual([])
  expect(await world.runUntil(0)).toBe(300)
})

test('it waits no longer than its budget', async () => {
  const restless = atRest({ sentinels: { ...atRest().sentinels, s3: ['n2', 3] } })
  const world = createWorld(restless)
  const options = { fromMs: 100, budgetMs: 1_000, isLoadStopped: true }
  expect(await awaitConvergence(world, FILE, options)).not.toEqual([])
  expect(await world.runUntil(0)).toBe(1_100)
})

describe('a simulated cluster', () => {
  const allOperations = altered(
    'app: { host: d, rate: 20 }',
    `app: { host: d, rate: 20 }
    set: { host: d, rate: 20, operation: set }
    counter: { host: d, rate: 20, operation: counter }
    register: { host: d, think: 20ms, operation: register }`,
  )
  const clients = ['app', 'set', 'counter', 'register']

  test('comes to rest when the load ends after a failover, whatever was written', async () => {
    const file = parse(allOperations)
    const world = await SIM_ENGINE.create(file, '1')
    await world.runUntil(5_000)
    await world.apply({ kind: 'kill', processes: ['n1'] })
    await world.runUntil(9_000)
    await world.apply({ kind: 'restart', processes: ['n1'], disk: 'kept' })
    await world.apply({ kind: 'stop', processes: clients })
    const options = { fromMs: 9_000, budgetMs: 20_000, isLoadStopped: true }
    expect(await awaitConvergence(world, file, options)).toEqual([])
  })

  test('is not at rest when a replica was told something its master does not know', async () => {
    const file = parse(allOperations)
    const world = await SIM_ENGINE.create(file, '1')
    await world.runUntil(5_000)
    await world.apply({ kind: 'stop', processes: clients })
    await world.ask('n2', ['CONFIG', 'SET', 'replica-read-only', 'no'])
    await world.ask('n2', ['SET', 'of my own', '1'])
    const options = { fromMs: 6_000, budgetMs: 1_000, isLoadStopped: true }
    const text = 'n2 does not hold what n1 holds'
    expect(await awaitConvergence(world, file, options)).toEqual([text])
  })
})
