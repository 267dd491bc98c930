/** `vedette/testing`: clusters inside this process, harmed in every way it offers. */
import { readFileSync } from 'node:fs'
import { Redis } from 'ioredis'
import { afterEach, describe, expect, onTestFailed, test, vi } from 'vitest'
import { runScenario } from '../../src/exports/scenario.ts'
import {
  type Cluster,
  NotInTime,
  type StartClusterOptions,
  startCluster,
  startSentinel,
  startServer,
} from '../../src/exports/testing.ts'
import { clusterTest } from '../../src/exports/vitest.ts'
import { Certificates, HAS_OPENSSL } from '../support/certificates.ts'

const open: Cluster[] = []

afterEach(async () => {
  for (const cluster of open.splice(0)) await cluster.stop()
})

async function cluster(options: StartClusterOptions = {}): Promise<Cluster> {
  const made = await startCluster({ seed: 'test', ...options })
  open.push(made)
  onTestFailed(() => void process.stderr.write(`${made.timeline()}\n`))
  return made
}

const shared = clusterTest({ seed: 'shared' })

describe('one cluster for many tests', () => {
  shared('a killed master is replaced, and ioredis writes to the next one', async ({ cluster }) => {
    const client = new Redis({ sentinels: cluster.addresses, name: 'mymaster' })
    client.on('error', () => undefined)
    try {
      await client.set('before', '1')
      await cluster.until.replicated()
      const old = cluster.master
      old.kill()
      const next = await cluster.until.switched()
      await client.set('after', '2')
      expect(await client.mget('before', 'after')).toEqual(['1', '2'])
      expect(next).not.toBe(old)
      expect(cluster.master).toBe(next)
      expect(cluster.history.map(({ name }) => name)).toContain('+switch-master')
    } finally {
      client.disconnect()
    }
  })

  shared('a reset starts what was killed, and empties what was written', async ({ cluster }) => {
    expect(cluster.members.map(({ status }) => status)).toEqual(Array(6).fill('running'))
    expect(cluster.replicas.every(({ replication }) => replication?.isLinkUp)).toBe(true)
    const client = new Redis(cluster.master.port)
    expect(await client.dbsize()).toBe(0)
    client.disconnect()
    expect(cluster.history.map(({ name }) => name)).not.toContain('+switch-master')
  })

  shared('a stopped master is replaced, and follows when it goes on', async ({ cluster }) => {
    const old = cluster.master
    old.stop()
    const next = await cluster.until.switched()
    old.resume()
    await cluster.until.settled()
    expect(old.replication).toMatchObject({ role: 'replica', masterPort: next.port })
  })

  shared('a coordinated failover loses no write', async ({ cluster }) => {
    const writes = cluster.writes()
    writes.start({ perSecond: 200 })
    await cluster.until.true('fifty writes', () => (writes.acknowledged < 50 ? ['fewer'] : []))
    await cluster.failover({ coordinated: true })
    await cluster.until.switched()
    const before = writes.acknowledged
    await cluster.until.true('writes at the new master', () => {
      return writes.acknowledged < before + 50 ? [`${writes.acknowledged} of ${before + 50}`] : []
    })
    await writes.stop()
    expect(await writes.lost()).toEqual([])
  })

  shared('the replica that the test names is promoted', async ({ cluster }) => {
    const [, second] = cluster.replicas
    await cluster.failover({ to: second })
    expect(await cluster.until.switched()).toBe(second)
  })

  shared('a Sentinel whose clock jumps goes into TILT', async ({ cluster }) => {
    cluster.sentinels[0]?.clock.jump(60_000)
    await cluster.until.true('TILT', () =>
      cluster.history.some(({ name, sentinel }) => name === '+tilt' && sentinel === 's1')
        ? []
        : ['s1 has not announced +tilt'],
    )
  })
})

test('a master that only its clients reach loses what it acknowledged, and the recorder names each write', async () => {
  const one = await cluster()
  const { master } = one
  one.partition({ from: master, to: one.members.filter((member) => member !== master) })
  const client = new Redis(master.port)
  await client.set('mine', 'written behind the cut')
  one.writes().note('mine', 'written behind the cut', master)
  await one.until.switched()
  one.heal()
  await one.until.settled()
  client.disconnect()
  const [lost, ...more] = await one.writes().lost()
  expect(more).toEqual([])
  expect(lost).toMatchObject({ key: 'mine', by: 'n1', found: undefined })
  expect(lost?.cause).toBe('split-brain')
  expect(lost?.story).toMatch(/^n1 acknowledged it while it was cut off .* n\d took over without/)
})

test('with min-replicas-to-write the same master refuses the write', async () => {
  const directives = { 'min-replicas-to-write': '1', 'min-replicas-max-lag': '1' }
  const one = await cluster({ directives, downAfterMs: 60_000, detection: 'ping' })
  one.partition({ from: one.master, to: one.members.filter((member) => member !== one.master) })
  const client = new Redis(one.master.port)
  await expect
    .poll(() => client.set('key', 'value').catch((error: Error) => error.message), {
      timeout: 10_000,
    })
    .toMatch(/^NOREPLICAS/)
  client.disconnect()
})

test('what is cut in one direction still goes in the other', async () => {
  const one = await cluster({ replicas: 1, downAfterMs: 60_000, detection: 'ping' })
  const [replica] = one.replicas
  one.partition({ from: replica ?? '', to: one.master, oneWay: true })
  const client = new Redis(one.master.port)
  await client.set('key', 'value')
  const behind = new Redis(replica?.port ?? 0)
  await expect.poll(() => behind.get('key'), { timeout: 10_000 }).toBe('value')
  client.disconnect()
  behind.disconnect()
})

test('a cluster without clients in reach is cut off from them, and back after heal', async () => {
  const one = await cluster({ replicas: 0, sentinels: 1 })
  const client = new Redis(one.master.port)
  await client.set('key', 'value')
  one.partition({ from: 'clients' })
  const answer = client.get('key')
  let isAnswered = false
  void answer.then(() => {
    isAnswered = true
  })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(isAnswered).toBe(false)
  one.heal()
  expect(await answer).toBe('value')
  client.disconnect()
})

test('a slow way takes as long as it is told', async () => {
  const one = await cluster({ replicas: 0, sentinels: 1, downAfterMs: 60_000 })
  const client = new Redis(one.master.port)
  await client.ping()
  one.slow({ from: 'clients', to: one.master, ms: 40 })
  const startedMs = performance.now()
  await client.ping()
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(79)
  client.disconnect()
})

test('a replica behind a slow link has what was written, although the master writes on', async () => {
  const one = await cluster({ clock: 'manual', replicas: 1 })
  const [replica] = one.replicas
  replica?.slow(200, { to: one.master })
  const writes = one.writes()
  writes.start({ perSecond: 100 })
  await one.advance(1_000)
  // It is late, and gets as much as is sent.
  const { offset = 0 } = one.master.replication ?? {}
  expect(replica?.replication?.offset).toBeGreaterThan(offset / 2)
  await one.until.replicated({ withinMs: 1_000 })
  await writes.stop()
})

test('a node that lost its disk comes back empty and copies its master', async () => {
  const one = await cluster({ directives: { appendonly: 'yes' }, replicas: 1 })
  await one.seed({ key: 'value' })
  const [first] = one.replicas
  first?.loseData()
  first?.restart()
  await one.until.settled()
  await one.until.replicated()
  const client = new Redis(first?.port ?? 0)
  expect(await client.get('key')).toBe('value')
  client.disconnect()
})

test('a node with a full disk refuses writes, and takes them again when there is room', async () => {
  const one = await cluster({ directives: { appendonly: 'yes' }, replicas: 0, sentinels: 1 })
  const { master } = one
  master.fillDisk()
  const client = new Redis(master.port)
  const set = () => client.set('key', 'value').catch((error: Error) => error.message)
  await expect.poll(set, { timeout: 10_000 }).toMatch(/^MISCONF/)
  master.emptyDisk()
  await expect.poll(set, { timeout: 10_000 }).toBe('OK')
  client.disconnect()
})

test('several groups share their Sentinels, and only the one that lost its master switches', async () => {
  const one = await cluster({ groups: ['orders', 'users'], replicas: 1 })
  const [orders, users] = [one.group('orders'), one.group('users')]
  const kept = users.master
  orders.master.kill()
  await one.until.switched({ group: 'orders' })
  expect(users.master).toBe(kept)
  expect(() => one.master).toThrow('which group? There are orders, users')
})

test('with a password nothing is open to those without', async () => {
  const one = await cluster({ password: 'secret', replicas: 1 })
  await one.seed({ key: 'value' })
  const client = new Redis({
    ...{ sentinels: one.addresses, name: 'mymaster' },
    ...{ password: 'secret', sentinelPassword: 'secret' },
  })
  expect(await client.get('key')).toBe('value')
  client.disconnect()
})

test('users log in with what they may do, and a line that is wrong is refused', async () => {
  const one = await cluster({ users: ['app on >secret ~app:* +@all'], replicas: 0, sentinels: 1 })
  const client = new Redis(one.master.port, { username: 'app', password: 'secret' })
  expect(await client.set('app:1', 'value')).toBe('OK')
  await expect(client.set('other', 'value')).rejects.toThrow('NOPERM')
  client.disconnect()
  await expect(startCluster({ users: ['app fly'] })).rejects.toThrow('users: ')
})

test.skipIf(!HAS_OPENSSL)(
  'with TLS everything goes through a handshake, and a failover as before',
  async () => {
    const certificates = new Certificates()
    const authority = certificates.authority('ca')
    const { cert, key } = certificates.issue(authority, 'own')
    const tls = { certFile: cert, keyFile: key, caFile: authority.cert }
    const one = await cluster({ tls, replicas: 1 })
    const ca = readFileSync(authority.cert, 'utf8')
    const checks = { ca, checkServerIdentity: () => undefined }
    const client = new Redis({
      ...{ sentinels: one.addresses, name: 'mymaster', retryStrategy: () => 20 },
      ...{ tls: checks, sentinelTLS: checks, enableTLSForSentinelMode: true },
    })
    client.on('error', () => undefined)
    await client.set('key', 'value')
    await one.seed({ more: 'values' })
    one.master.kill()
    await one.until.switched()
    expect(await client.get('key')).toBe('value')
    client.disconnect()
    const plain = new Redis(one.master.port, { retryStrategy: () => null, maxRetriesPerRequest: 0 })
    plain.on('error', () => undefined)
    await expect(plain.ping()).rejects.toThrow()
    certificates.remove()
    await expect(startCluster({ tls })).rejects.toThrow(cert)
  },
)

test('a wait that is over says what was missing', async () => {
  const one = await cluster({ replicas: 1 })
  one.replicas[0]?.kill()
  one.sentinels[0]?.kill()
  one.sentinels[1]?.kill()
  one.master.kill()
  const failure = await one.until.switched({ withinMs: 100 }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(NotInTime)
  expect(String(failure)).toContain('s3 still tells clients n1')
})

test('a timeline ends with what is waited for and missing, and a reset ends the wait', async () => {
  const one = await cluster({ replicas: 1 })
  const waiting = one.until.switched().catch((error: unknown) => `${error}`)
  await one.until.settled()
  expect(one.timeline()).toContain(
    '** waits for another master of mymaster than n1: s1 still tells clients n1',
  )
  await one.reset()
  expect(await waiting).toContain('the cluster was reset while a test waited for another master')
  expect(one.timeline()).toBe('')
})

test('a reset ends the pauses of clients', async () => {
  const one = await cluster({
    clock: 'manual',
    replicas: 1,
    downAfterMs: 60_000,
    detection: 'ping',
  })
  const client = new Redis(one.master.port)
  await client.client('PAUSE', 3_600_000, 'ALL')
  await one.reset()
  expect(await client.ping()).toBe('PONG')
  client.disconnect()
})

test.each([
  ['advance', (one: Cluster) => one.advance(3_600_000)],
  ['script', (one: Cluster) => one.at([{ at: '1h', kill: 'n1' }])],
] as const)('a reset ends the %s that a test did not await', async (_, begin) => {
  const one = await cluster({ clock: 'manual', replicas: 1, sentinels: 1 })
  const begun = begin(one).catch(String)
  await vi.waitUntil(() => one.timeline().includes('waits for 3600000 ms to pass'))
  await one.reset()
  expect(await begun).toMatch('the cluster was reset while a test waited for 3600000 ms to pass')
  expect(one.master.status).toBe('running')
})

test('who waits for a switch in vain learns which Sentinel is in TILT', async () => {
  const one = await cluster({ clock: 'manual', replicas: 1, sentinels: 1 })
  one.sentinels[0]?.clock.jump(60_000)
  one.master.kill()
  await expect(one.until.switched({ withinMs: 2_000 })).rejects.toThrow(
    's1 still tells clients n1 and is in TILT, in which it decides nothing',
  )
})

test('a script does its steps at their times and after events, and its mistakes are named before it begins', async () => {
  const one = await cluster({ clock: 'manual', replicas: 1, downAfterMs: 500 })
  const { labels } = await one.at([
    { at: '1s', as: 'death', kill: 'the-master' },
    { after: { event: { name: '+switch-master' } }, within: '5s', as: 'return', start: 'n1' },
    { after: { converged: true }, within: '10s', as: 'rest' },
    { at: 'rest + 1s', partition: [['n1', 's1']] },
    { at: 'rest + 2s', heal: true },
  ])
  const [death = 0, back = 0, rest = 0] = [...labels.values()]
  expect([...labels.keys()]).toEqual(['death', 'return', 'rest'])
  expect(back - death).toBeLessThan(2_000)
  expect(rest).toBeGreaterThan(back)
  expect(one.master.name).toBe('n2')
  expect(one.timeline()).toMatch(/cut: n1 s1 - n2 s2 s3$/m)
  const before = one.history.length
  await expect(one.at([{ at: '0s', kill: 'n7' }])).rejects.toThrow('n7')
  const odd = [
    { at: '0s', kill: 'n1' },
    { at: '1s', 'power-loss': 'n1' },
  ]
  await expect(one.at(odd)).rejects.toThrow(
    'step 2: power-loss cannot be done to a cluster in a test',
  )
  expect(one.history.length).toBe(before)
})

test('the timeline names members in place of ports and run ids, and makes a page', async () => {
  const one = await cluster({ replicas: 1 })
  one.master.kill()
  await one.until.switched()
  const text = one.timeline()
  expect(text).toMatch(/ms {2}\*\* n1 is killed$/m)
  expect(text).toMatch(/ms {2}s\d {3}\+switch-master mymaster n1 n2$/m)
  expect(text).toMatch(/ms {2}s\d {3}\+vote-for-leader s\d 1$/m)
  expect(one.timeline({ withLogs: true }).length).toBeGreaterThan(text.length)
  const page = one.timeline({ format: 'html' })
  expect(page).toMatch(/^<!doctype html>/)
  expect(page).toContain('<td class="done">n1 is killed</td>')
  expect(() => one.timeline({ format: 'pdf' as 'html' })).toThrow('text, html')
})

test('a test hears the events that subscribers hear, and those of the log alone with the logs', async () => {
  const one = await cluster({ replicas: 1 })
  one.master.kill()
  await one.until.switched()
  expect(one.history.map(({ name }) => name)).not.toContain('-cmd-link-reconnection')
  expect(one.timeline()).not.toContain('-link-reconnection')
  expect(one.timeline({ withLogs: true })).toContain('(debug) -cmd-link-reconnection master')
})

test('each cause of a loss is told: replicated too late, restarted empty, overwritten, unknown', async () => {
  const one = await cluster({ replicas: 1 })
  const { master } = one
  master.partition({ to: one.replicas, oneWay: true })
  const client = new Redis(master.port)
  await client.set('late', '1')
  one.writes().note('late', '1', master)
  one.writes().note('unknown', '1')
  client.disconnect()
  master.kill()
  const next = await one.until.switched()
  one.heal()
  await one.seed({ changed: 'by another' })
  one.writes().note('changed', '1', next)
  const causes = (await one.writes().lost()).map(({ key, cause }) => [key, cause])
  expect(causes).toEqual([
    ['late', 'asynchronous'],
    ['unknown', 'unknown'],
    ['changed', 'overwritten'],
  ])
})

test('what a master loses by a restart is told as such', async () => {
  const one = await cluster({ replicas: 0, sentinels: 1, downAfterMs: 60_000, detection: 'ping' })
  await one.seed({ key: 'value' })
  one.writes().note('key', 'value', one.master)
  one.master.restart()
  await one.until.settled()
  expect(await one.writes().lost()).toMatchObject([{ key: 'key', cause: 'empty-restart' }])
})

test.each([
  [{ sentinels: 0 }, 'sentinels: a whole number from 1 to 32, not 0'],
  [{ quorum: 4 }, 'quorum: a whole number from 1 to 3, not 4'],
  [{ downAfterMs: 5 }, 'downAfterMs: a whole number from 20 on, not 5'],
  [{ replica: 2 }, "there is no option 'replica'; did you mean replicas? There are groups"],
  [{ clock: 'slow' }, "clock: one of running, manual, not 'slow'"],
  [{ engine: 'docker' }, "engine: one of tcp, process-lite, redis, not 'docker'"],
  [{ engine: 'redis', clock: 'manual' }, "clock: 'manual' is for engine: 'tcp'"],
  [{ groups: ['a b'] }, "groups: letters, digits, '.', '-' and '_', not 'a b'"],
  [{ directives: { maxmemry: '1' } }, 'directives: maxmemry 1: there is no such directive'],
])('%j is refused in words', async (options, text) => {
  await expect(startCluster(options as StartClusterOptions)).rejects.toThrow(text)
})

test('after a reset no clock is wrong and no Sentinel in TILT', async () => {
  const one = await cluster({ clock: 'manual', replicas: 1, downAfterMs: 100 })
  const [first, second, third] = one.sentinels
  first?.stop()
  second?.clock.jump(60_000)
  one.master.clock.jump(60_000)
  await one.advance(3_000)
  third?.clock.jump(60_000)
  await one.reset()
  const client = new Redis(one.master.port)
  const [seconds = 0] = await client.time()
  client.disconnect()
  expect(Number(seconds) * 1_000).toBeLessThan(Date.now() + 30_000)
  one.master.kill()
  await one.until.switched()
  expect(one.history.map(({ name }) => name)).not.toContain('+tilt')
})

test('with a manual clock nothing passes by itself: expiry and down-after come when the test lets them', async () => {
  const one = await cluster({ clock: 'manual', downAfterMs: 10_000, detection: 'ping' })
  const client = new Redis(one.master.port)
  await client.set('key', 'value', 'EX', 20)
  await one.advance(19_000)
  expect(await client.ttl('key')).toBe(1)
  await one.advance(2_000)
  expect(await client.get('key')).toBeNull()
  one.master.stop()
  await one.advance(9_000)
  expect(one.history.map(({ name }) => name)).not.toContain('+sdown')
  await one.advance(2_000)
  expect(one.history.map(({ name }) => name)).toContain('+sdown')
  await one.until.switched()
  client.disconnect()
})

describe('what nobody has to wait for', () => {
  test('the Sentinels of a new cluster are told of each other and of the replicas', async () => {
    const one = await cluster({ clock: 'manual' })
    expect(one.timeline({ withLogs: true })).not.toMatch(/\+(slave|sentinel) /)
    expect(elapsedMs(one)).toBeLessThan(20)
  })

  test('a reset after a failover waits for no period', async () => {
    const one = await cluster({ clock: 'manual', downAfterMs: 5_000 })
    one.master.kill()
    await one.until.switched()
    const beforeMs = elapsedMs(one)
    await one.reset()
    expect(elapsedMs(one) - beforeMs).toBeLessThan(50)
  })

  test('a cluster at rest can fail over: each Sentinel has heard that the replicas follow', async () => {
    const one = await cluster({ clock: 'manual', downAfterMs: 50 })
    for (let round = 0; round < 3; round++) {
      const beforeMs = elapsedMs(one)
      one.master.kill()
      await one.until.switched()
      expect(elapsedMs(one) - beforeMs).toBeLessThan(200)
      await one.reset()
    }
  })

  test('a Sentinel that is stopped as soon as it has found a returned node keeps its periods', async () => {
    const one = await cluster({ clock: 'manual', downAfterMs: 500 })
    const [replica] = one.replicas
    replica?.kill()
    await one.advance(100)
    replica?.restart()
    await one.until.settled()
    const [sentinel] = one.sentinels
    sentinel?.stop()
    await one.advance(20)
    sentinel?.resume()
    await one.until.settled()
    await one.advance(20)
    const client = new Redis(sentinel?.port ?? 0)
    const periods = (await client.call('SENTINEL', 'DEBUG')) as string[]
    client.disconnect()
    expect(periods[periods.indexOf('PING-PERIOD') + 1]).toBe('1000')
    expect(periods[periods.indexOf('INFO-PERIOD') + 1]).toBe('1000')
  })

  /** By the cluster's own clock, which nothing moves but the waits. */
  function elapsedMs(one: Cluster): number {
    one.note('now')
    const [, ms] = /(\d+) ms +\*\* now$/.exec(one.timeline().trim()) ?? []
    return Number(ms)
  }
})

const REPLACED = [
  ...(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate'] as const),
  ...(['clearImmediate', 'queueMicrotask', 'Date', 'performance', 'hrtime'] as const),
] as const

test.each(['running', 'manual'] as const)(
  'fake timers of the runner do not touch a cluster, clock %s',
  async (clock) => {
    await using cluster = await startCluster({ replicas: 1, clock, downAfterMs: 100 })
    // Those of Vitest by default and of Jest, but for nextTick, which Vitest does not replace in a process.
    vi.useFakeTimers({ toFake: [...REPLACED] })
    try {
      cluster.writes().start({ perSecond: 100 })
      cluster.master.kill()
      await cluster.until.switched()
      await cluster.writes().stop()
      await cluster.reset()
    } finally {
      vi.useRealTimers()
    }
  },
)

test('fake timers of the runner do not touch a scenario on real sockets', async () => {
  const text = `
name: A quiet second
story: Nothing happens.
topology:
  groups: { mymaster: { master: n1, quorum: 1, down-after: 1s } }
  nodes: { n1: { host: a } }
  sentinels: { s1: { host: b } }
workload: { clients: { app: { rate: 50 } } }
duration: 1s
timeline: []
expect:
  - { writes-work: true, within: 1s }
`
  vi.useFakeTimers({ toFake: [...REPLACED] })
  try {
    expect(await runScenario(text, { engine: 'tcp' })).toMatchObject({ ok: true })
  } finally {
    vi.useRealTimers()
  }
})

test('a clock that passes by itself cannot be advanced', async () => {
  const one = await cluster({ replicas: 0, sentinels: 1 })
  await expect(one.advance(1)).rejects.toThrow("start it with clock: 'manual'")
})

test('a Sentinel alone finds the replicas of a foreign master, and promotes one', async () => {
  const nodes = await cluster({
    replicas: 1,
    sentinels: 1,
    detection: 'ping',
    downAfterMs: 600_000,
  })
  const { host, port } = nodes.master
  const alone = await startSentinel({ masters: { orders: { host, port } } })
  try {
    await expect.poll(() => alone.masterOf('orders').port, { timeout: 10_000 }).toBe(port)
    const client = new Redis({ sentinels: [alone], name: 'orders' })
    expect(await client.ping()).toBe('PONG')
    client.disconnect()
    expect(() => alone.masterOf('users')).toThrow("does not watch 'users'")
  } finally {
    await alone.stop()
  }
})

test('events are told as they come, and end with the cluster', async () => {
  const one = await cluster({ replicas: 1 })
  const heard: string[] = []
  const listening = (async () => {
    for await (const { name } of one.events) heard.push(name)
  })()
  one.master.kill()
  await one.until.switched()
  await one.stop()
  await listening
  expect(heard).toContain('+switch-master')
})

test('events that came between asking for them and reading them are told', async () => {
  const one = await cluster({ replicas: 1 })
  const { events } = one
  one.master.kill()
  await one.until.switched()
  await one.stop()
  const heard: string[] = []
  for await (const { name } of events) heard.push(name)
  expect(heard).toContain('+switch-master')
})

test('a server alone is there at once, keeps what it was told to keep, and can be emptied', async () => {
  const server = await startServer({ password: 'secret', directives: { appendonly: 'yes' } })
  const client = new Redis({ port: server.port, password: 'secret', retryStrategy: () => 20 })
  client.on('error', () => undefined)
  try {
    await client.set('key', 'value')
    server.node.restart()
    await expect.poll(() => client.get('key'), { timeout: 10_000 }).toBe('value')
    await server.flush()
    expect(await client.dbsize()).toBe(0)
  } finally {
    client.disconnect()
    await server.stop()
  }
})

test('a stopped cluster leaves no listener and no connection', async () => {
  // What an earlier test has closed is gone a few turns later.
  let before = -1
  const isAtRest = () => {
    const last = before
    before = socketCount()
    return before === last
  }
  await expect.poll(isAtRest, { interval: 100 }).toBe(true)
  const one = await startCluster()
  expect(socketCount()).toBeGreaterThan(before)
  one.writes().start()
  one.replicas[0]?.stall(60_000)
  one.partition({ from: one.master })
  await one.stop()
  await expect.poll(socketCount, { timeout: 10_000 }).toBeLessThanOrEqual(before)
})

function socketCount(): number {
  const ours = ['TCPServerWrap', 'TCPSocketWrap']
  return process.getActiveResourcesInfo().filter((name) => ours.includes(name)).length
}
