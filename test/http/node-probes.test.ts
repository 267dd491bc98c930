import { expect, test } from 'vitest'
import { nodeDocument } from '../../src/http/node-document.ts'
import { answerNodeProbe } from '../../src/http/node-probes.ts'
import type { RoleProbe } from '../../src/http/probe.ts'
import { NodeHarness, type TestClient } from '../support/node-harness.ts'
import type { TestNode } from '../support/replication-harness.ts'
import { group } from '../support/strict-group.ts'

const IDS = ['a', 'b', 'c'].map((digit) => digit.repeat(40))

/** A node and three Sentinels, which say hello once. */
function watched(directives: Record<string, string> = {}) {
  const node = new NodeHarness(directives)
  const sentinels = IDS.map(() => node.client())
  for (const at of IDS.keys()) hello(sentinels, at)
  return { node, sentinels }
}

function hello(
  sentinels: readonly TestClient[],
  at: number,
  master = '127.0.0.1,6379',
  epoch = 0,
): void {
  const words = `10.1.0.${at},26379,${IDS[at]},${epoch},mymaster,${master},${epoch}`
  sentinels[at]?.send('PUBLISH', '__sentinel__:hello', words)
}

function ask(node: NodeHarness, probe: RoleProbe = 'primary', needed?: number) {
  node.node.wake(node.now)
  const document = nodeDocument(node.node.services, '1.2.3')
  const { status, body } = answerNodeProbe(document, { probe, lag: undefined, needed })
  return [status, body.text]
}

test('a master that a majority of its Sentinels names is the primary', () => {
  expect(ask(watched().node)).toEqual([200, 'the node is a master'])
})

test('a master that no Sentinel has spoken to is not, unless none is required', () => {
  const node = new NodeHarness()
  expect(ask(node)).toEqual([
    503,
    'of 0 Sentinels heard of, 0 confirm this master; 2 are needed (http-primary-sentinels)',
  ])
  expect(ask(node, 'primary', 0)[0]).toBe(200)
})

test('a master that two of three say has been replaced is not the primary', () => {
  const { node, sentinels } = watched()
  for (const at of [0, 1]) hello(sentinels, at, '10.0.0.9,6379', 1)
  expect(ask(node)).toEqual([
    503,
    'of 3 Sentinels heard of, 1 confirm this master, 2 name another master; 2 are needed (http-primary-sentinels)',
  ])
})

test('a hello that names this port at another address is not about this node', () => {
  const { node, sentinels } = watched()
  for (const at of IDS.keys()) hello(sentinels, at, '10.0.0.9,6379')
  expect(ask(node)[0]).toBe(503)
})

test('a master behind an address that it announces is known by that', () => {
  const { node, sentinels } = watched({
    'replica-announce-ip': '192.0.2.7',
    'replica-announce-port': '7000',
  })
  for (const at of IDS.keys()) hello(sentinels, at, '192.0.2.7,7000')
  expect(ask(node)[0]).toBe(200)
})

test('Sentinels that are silent for three seconds confirm nothing any more', () => {
  const { node, sentinels } = watched()
  node.monoMs += 2_400
  for (const one of sentinels.slice(1)) one.send('PING')
  node.monoMs += 2_000
  expect(ask(node)[0]).toBe(200)
  node.monoMs += 1_000
  expect(ask(node)[0]).toBe(503)
})

test('PINGs alone do not do: without hellos for six seconds a master is not the primary', () => {
  const { node, sentinels } = watched()
  for (let second = 0; second < 7; second++) {
    node.monoMs += 1_000
    for (const one of sentinels) one.send('PING')
  }
  expect(ask(node)[0]).toBe(503)
})

test('a Sentinel whose connection is gone confirms nothing', () => {
  const { node, sentinels } = watched()
  for (const one of sentinels.slice(1)) node.node.closed(node.now, one.id, 'gone')
  expect(ask(node)[0]).toBe(503)
})

test('a fenced master is not the primary, and says why', () => {
  const { node } = watched({ 'min-replicas-to-write': '1' })
  expect(ask(node)).toEqual([
    503,
    'the node refuses writes: NOREPLICAS Not enough good replicas to write.',
  ])
})

test('a strict master whose voters do not acknowledge is not the primary', () => {
  const { world, master, one, two } = group()
  expect(asked(master)).toEqual([200, 'the node is a master'])
  for (const voter of [one, two]) world.network.cut(master, voter)
  world.client(master).send('SET', 'a', '1')
  world.run(5_100)
  const refused = 'the node refuses writes: NOSYNCREPLICAS too few voters'
  expect(asked(master)).toEqual([503, expect.stringContaining(refused)])
})

test('a replica of a strict group is no server of reads', () => {
  const { one } = group()
  const refused = 'the node refuses reads: READONLY this node is a replica of a strict group'
  for (const probe of ['replica', 'read-only'] as const) {
    expect(asked(one, probe)).toEqual([503, expect.stringContaining(refused)])
  }
})

function asked({ node }: TestNode, probe: RoleProbe = 'primary') {
  const document = nodeDocument(node.services, '1.2.3')
  const { status, body } = answerNodeProbe(document, {
    probe,
    lag: undefined,
    needed: 0,
  })
  return [status, body.text]
}

test('a master whose disk cannot be written is not the primary', () => {
  const { node } = watched({ appendonly: 'yes' })
  const client = node.client()
  client.send('SET', 'a', '1')
  node.files.failWith({ operation: 'write', code: 'ENOSPC' })
  client.send('SET', 'a', '2')
  expect(ask(node)).toEqual([503, expect.stringContaining('the node refuses writes: MISCONF')])
})

test('a demoted master is not the primary, whatever was said of it before', () => {
  const { node } = watched()
  node.client().send('REPLICAOF', '10.0.0.9', '6379')
  expect(ask(node)).toEqual([503, 'the node is a replica'])
  expect(ask(node, 'replica')).toEqual([503, 'the link to the master is down'])
})

test('made-up hellos take a bounded amount of memory, and malformed ones none', () => {
  const node = new NodeHarness()
  const client = node.client()
  for (let at = 0; at < 1_000; at++) {
    const id = at.toString(16).padStart(40, '0')
    client.send('PUBLISH', '__sentinel__:hello', `10.1.0.1,1,${id},0,g,127.0.0.1,6379,0`)
  }
  for (const text of ['', 'a,b', `${'9'.repeat(5_000)},,,,,,,`, '1,2,3,4,5,6,7,8']) {
    client.send('PUBLISH', '__sentinel__:hello', text)
  }
  expect(node.node.services.sentinels.present(node.monoMs)).toHaveLength(64)
})

/** Sentinels that PING every so often and say hello every two seconds. */
function pinged(everyMs: number, forMs: number) {
  const { node, sentinels } = watched()
  for (let ms = everyMs; ms <= forMs; ms += everyMs) {
    node.monoMs += everyMs
    for (const one of sentinels) one.send('PING')
    if (ms % 2_000 === 0) for (const at of IDS.keys()) hello(sentinels, at)
  }
  return { node, sentinels }
}

/** For how long a node that is cut off after six seconds goes on saying that it is the primary. */
function yesAfterCutMs(everyMs: number): number {
  const { node } = pinged(everyMs, 6_000)
  let ms = 0
  for (; ask(node)[0] === 200; ms += 10) node.monoMs += 10
  return ms
}

test.each([
  [500, 100],
  [1_000, 200],
  [2_000, 400],
])(
  'with a down-after of %s ms, for which ours PING every %s, a cut is noticed before it is over',
  (downAfterMs, everyMs) => {
    expect(yesAfterCutMs(everyMs)).toBeLessThan(downAfterMs)
    // Two PINGs may be lost or late.
    expect(yesAfterCutMs(everyMs)).toBeGreaterThan(2 * everyMs)
  },
)

test('Sentinels that PING once a second may be silent for two and a half', () => {
  expect(yesAfterCutMs(1_000)).toBeGreaterThan(2_000)
  expect(yesAfterCutMs(1_000)).toBeLessThanOrEqual(2_510)
})

test('a burst of PINGs makes nobody impatient', () => {
  const { node, sentinels } = pinged(1_000, 6_000)
  for (const one of sentinels) for (let at = 0; at < 50; at++) one.send('PING')
  node.monoMs += 1_000
  for (const at of IDS.keys()) hello(sentinels, at)
  node.monoMs += 2_000
  expect(ask(node)[0]).toBe(200)
})
