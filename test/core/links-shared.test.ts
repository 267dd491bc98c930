import { describe, expect, test } from 'vitest'
import { DEFAULT_GROUP, type GroupConfig } from '../../src/core/config.ts'
import { dropPeerLinks } from '../../src/core/links/links.ts'
import type { SavedState } from '../../src/core/persistence/saved.ts'
import { array, bulk, integer } from '../../src/resp/reply.ts'
import { MYID, SentinelBench } from '../support/sentinel-bench.ts'

const PEER = { runId: 'b'.repeat(40), host: '10.1.0.2', port: 26379 }
const AT = '10.1.0.2:26379'
const MOVED = { ...PEER, host: '10.1.0.7' }
const MOVED_AT = '10.1.0.7:26379'

function group(name: string, change: Partial<GroupConfig> = {}): GroupConfig {
  const host = `10.0.0.${name.charCodeAt(0)}`
  return { ...DEFAULT_GROUP, name, host, port: 6379, quorum: 2, downAfterMs: 5_000, ...change }
}

/** Two groups or more, and a peer that has said hello for each of them. */
function acquainted(groups: readonly GroupConfig[] = [group('a'), group('b')]): SentinelBench {
  const bench = new SentinelBench({ groups })
  bench.run(10)
  for (const { name } of groups) bench.hello(name, PEER)
  bench.run(10)
  return bench
}

function peerIn(bench: SentinelBench, name: string) {
  const peer = bench.group(name).peers.get(PEER.runId)
  if (peer === undefined) throw new Error(`the peer is not known in ${name}`)
  return peer
}

function opened(bench: SentinelBench, address: string): number {
  return bench.links.filter((line) => line === `open ${address}`).length
}

function masterOf(argv: readonly string[] | undefined): string | undefined {
  return argv?.at(2)?.split(',')[4]
}

describe('a peer met in several groups', () => {
  test('is one connection and one stream of PINGs, with hellos for each group', () => {
    const bench = acquainted()
    bench.run(10_000)
    expect(opened(bench, AT)).toBe(1)
    const sent = bench.sentTo(AT)
    const pings = sent.filter(([verb]) => verb === 'PING').length
    expect(pings).toBeGreaterThanOrEqual(10)
    expect(pings).toBeLessThanOrEqual(12)
    const hellos = sent.filter(([verb]) => verb === 'PUBLISH').map(masterOf)
    for (const name of ['a', 'b']) {
      expect(hellos.filter((one) => one === name).length).toBeGreaterThanOrEqual(5)
    }
    expect(sent.filter(([verb]) => verb === 'CLIENT')).toHaveLength(1)
  })

  test('shows the number of its groups as link-refcount', () => {
    const bench = acquainted()
    expect(peerIn(bench, 'a').link.owners).toEqual([peerIn(bench, 'a'), peerIn(bench, 'b')])
    expect(peerIn(bench, 'b').link).toBe(peerIn(bench, 'a').link)
  })

  test('hears our hello for a further group at once, on the connection that is there', () => {
    const bench = new SentinelBench({ groups: [group('a'), group('b')] })
    bench.hello('a', PEER)
    bench.run(500)
    bench.hello('b', PEER)
    const hellos = bench.sent.filter(({ purpose }) => purpose.kind === 'hello')
    expect(hellos.at(-1)).toMatchObject({ address: AT, atMs: 500, purpose: { group: 'b' } })
  })

  test('is PINGed as often as the shortest down-after of its groups needs', () => {
    const bench = acquainted([
      group('a', { downAfterMs: 30_000 }),
      group('b', { downAfterMs: 500 }),
    ])
    bench.forget()
    bench.run(5_000)
    expect(bench.sentTo(AT).filter(([verb]) => verb === 'PING')).toHaveLength(10)
  })

  test('is down for each group after that group’s own down-after', () => {
    const groups = [group('a', { downAfterMs: 1_000 }), group('b', { downAfterMs: 4_000 })]
    const bench = acquainted(groups)
    bench.silent.add(AT)
    bench.run(2_000)
    expect([bench.isDown(peerIn(bench, 'a')), bench.isDown(peerIn(bench, 'b'))]).toEqual([
      true,
      false,
    ])
    bench.run(3_100)
    expect([bench.isDown(peerIn(bench, 'a')), bench.isDown(peerIn(bench, 'b'))]).toEqual([
      true,
      true,
    ])
    bench.silent.clear()
    bench.cut(AT)
    bench.run(1_000)
    expect([bench.isDown(peerIn(bench, 'a')), bench.isDown(peerIn(bench, 'b'))]).toEqual([
      false,
      false,
    ])
  })

  test('is asked about the master of each group, and each answer counts for its own', () => {
    const bench = acquainted([group('a', { downAfterMs: 500 }), group('b', { downAfterMs: 500 })])
    // It sees the master of `b` down and that of `a` not.
    bench.answer = (argv, address) => {
      if (address !== AT || argv[0] !== 'SENTINEL') return undefined
      return array([
        integer(argv[2] === bench.group('b').config.host ? 1 : 0),
        bulk('*'),
        integer(0),
      ])
    }
    for (const name of ['a', 'b']) bench.silent.add(`${bench.group(name).config.host}:6379`)
    bench.run(1_500)
    expect([peerIn(bench, 'a').masterDown, peerIn(bench, 'b').masterDown]).toEqual([false, true])
    expect([bench.group('a').odownSinceMs, bench.group('b').odownSinceMs]).toEqual([
      undefined,
      expect.any(Number),
    ])
  })

  test('known from the state file is one connection from the start', () => {
    const groups = [group('a'), group('b')]
    const memory = { configEpoch: 0, leaderEpoch: 0, leader: '', replicas: [], peers: [PEER] }
    const saved: SavedState = {
      myid: MYID,
      currentEpoch: 0,
      groups: groups.map((one) => ({ file: one, current: one, ...memory })),
      removed: [],
      settings: undefined,
      users: undefined,
    }
    const bench = new SentinelBench({ groups }, saved)
    bench.run(100)
    expect(opened(bench, AT)).toBe(1)
    const hellos = bench.sentTo(AT).filter(([verb]) => verb === 'PUBLISH')
    expect(hellos.map(masterOf)).toEqual(['a', 'b'])
  })
})

describe('when one of several groups lets go of a peer', () => {
  test('the connection stays, and closes behind the last', () => {
    const bench = acquainted()
    bench.forget()
    bench.command('SENTINEL', 'REMOVE', 'a')
    bench.run(2_000)
    expect(bench.links).not.toContain(`close ${AT}`)
    expect(peerIn(bench, 'b').link.owners).toHaveLength(1)
    bench.command('SENTINEL', 'REMOVE', 'b')
    expect(bench.links).toContain(`close ${AT}`)
    bench.forget()
    bench.run(5_000)
    expect(bench.sent).toEqual([])
  })

  test('a reply it is still owed is passed over, and one the others are owed is not', () => {
    const bench = acquainted()
    bench.silent.add(AT)
    bench.run(2_500)
    const owed = bench.sent.filter(
      ({ address, purpose }) => address === AT && purpose.kind === 'hello',
    )
    const { link, ...peer } = peerIn(bench, 'b')
    bench.command('SENTINEL', 'REMOVE', 'a')
    expect(peer.helloPending).toBe(true)
    const pending = link.command?.pending ?? 0
    for (const { link: id, purpose } of owed.slice(-2)) {
      bench.feed({ kind: 'reply', link: id, purpose, reply: integer(1) })
    }
    expect(peerIn(bench, 'b').helloPending).toBe(false)
    expect(link.command?.pending).toBe(pending - 2)
  })

  test('RESET of one group forgets the peer there, and the next hello takes up the same connection', () => {
    const bench = acquainted()
    bench.forget()
    bench.command('SENTINEL', 'RESET', 'a')
    expect(bench.group('a').peers.size).toBe(0)
    bench.hello('a', PEER)
    bench.run(100)
    expect(opened(bench, AT)).toBe(0)
    expect(peerIn(bench, 'a').link).toBe(peerIn(bench, 'b').link)
  })
})

describe('a peer that moves', () => {
  test('is told once, and moves in all groups', () => {
    const bench = acquainted([group('a'), group('b'), group('c')])
    bench.cut(AT)
    bench.forget()
    bench.hello('b', MOVED)
    bench.run(100)
    for (const name of ['a', 'b', 'c']) expect(peerIn(bench, name).host).toBe(MOVED.host)
    expect([...bench.links].sort()).toEqual([`open ${MOVED_AT}`])
    const told = bench.logs.filter((line) => line.startsWith('+sentinel-address'))
    expect(told).toEqual([
      `+sentinel-address-switch master b 10.0.0.98 6379 ip 10.1.0.7 port 26379 for ${PEER.runId}`,
      `+sentinel-address-update sentinel ${PEER.runId} 10.1.0.7 26379 @ b 10.0.0.98 6379 2 additional matching instances`,
    ])
    bench.hello('a', MOVED)
    bench.hello('c', MOVED)
    expect(bench.logs.filter((line) => line.startsWith('+sentinel-address'))).toHaveLength(2)
    expect(peerIn(bench, 'a').link.owners).toHaveLength(3)
  })

  test('keeps in the other groups what it thinks of their masters', () => {
    const bench = acquainted()
    peerIn(bench, 'a').masterDown = true
    bench.cut(AT)
    bench.hello('b', MOVED)
    expect(peerIn(bench, 'a').masterDown).toBe(true)
  })

  test('hears from every group at its new address', () => {
    const bench = acquainted()
    bench.cut(AT)
    bench.hello('b', MOVED)
    bench.run(10)
    const hellos = bench.sentTo(MOVED_AT).filter(([verb]) => verb === 'PUBLISH')
    expect(hellos.map(masterOf).sort()).toEqual(['a', 'b'])
  })

  test('is asked to confer there, also in a group that it owed an answer', () => {
    const bench = acquainted()
    const { host } = bench.group('b').config
    bench.silent.add(AT)
    bench.silent.add(`${host}:6379`)
    bench.run(3_000)
    expect(peerIn(bench, 'b').conferPending).toBe(true)
    bench.hello('a', MOVED)
    expect(peerIn(bench, 'b')).toMatchObject({ host: MOVED.host, conferPending: false })
    bench.run(4_000)
    const asked = bench
      .sentTo(MOVED_AT)
      .filter(([, sub, about]) => sub === 'CONFER' && about === host)
    expect(asked.length).toBeGreaterThan(0)
  })

  test('with one group says nothing of others', () => {
    const bench = acquainted([group('a')])
    bench.cut(AT)
    bench.hello('a', MOVED)
    expect(bench.logs.join('\n')).not.toContain('+sentinel-address-update')
  })
})

test('who is replaced at its address under another id is let go of by all groups', () => {
  const bench = acquainted()
  bench.hello('a', { ...PEER, runId: 'c'.repeat(40) })
  bench.run(10)
  expect(bench.logs.filter((line) => line.startsWith('+sentinel-invalid-addr'))).toHaveLength(2)
  expect(bench.group('b').peers.size).toBe(0)
  expect(bench.links.filter((line) => line === `close ${AT}`)).toHaveLength(1)
})

test('new credentials for peers open every peer’s connection anew, once each', () => {
  const bench = acquainted()
  bench.forget()
  bench.state.config = { ...bench.state.config, sentinelPass: 'open sesame' }
  bench.act(dropPeerLinks)
  bench.run(1_500)
  expect(opened(bench, AT)).toBe(1)
  expect(bench.sentTo(AT)[0]).toEqual(['AUTH', 'open sesame'])
})
