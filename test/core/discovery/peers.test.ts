import { describe, expect, test } from 'vitest'
import { DEFAULT_GROUP, type GroupConfig } from '../../../src/core/config.ts'
import { askPeers } from '../../../src/core/detection/ask.ts'
import { receiveHello } from '../../../src/core/discovery/hello-receive.ts'
import { meetPeer } from '../../../src/core/discovery/peers.ts'
import { noteWho } from '../../../src/core/discovery/proof.ts'
import { staggerMs } from '../../../src/core/election/failover-start.ts'
import { votesNeeded } from '../../../src/core/election/quorum.ts'
import { savedState } from '../../../src/core/persistence/save.ts'
import { step } from '../../../src/core/step.ts'
import { onWake } from '../../../src/core/wake.ts'
import { array, bulk, error, integer } from '../../../src/resp/reply.ts'
import { SentinelBench } from '../../support/sentinel-bench.ts'
import { MYID, PEERS, TestSentinel } from '../../support/sentinel-builder.ts'

const PEER = { runId: 'b'.repeat(40), host: '10.0.0.12', port: 26379 }
const STRANGER = { ...PEER, runId: 'c'.repeat(40) }
const STRANGER_ELSEWHERE = { ...STRANGER, host: '10.0.0.13' }
const NO_PERMISSION = error(
  "NOPERM this user has no permissions to run the 'sentinel|myid' command",
)

function group(name: string, host: string): GroupConfig {
  return { ...DEFAULT_GROUP, name, host, port: 6379, quorum: 2 }
}

function meet(sentinel: TestSentinel, name: string, seen: typeof PEER): void {
  const found = sentinel.state.groups.get(name)
  if (found === undefined) throw new Error(`no group ${name}`)
  sentinel.run((turn) => meetPeer(turn, found, seen))
}

function peersOf(sentinel: TestSentinel): string[][] {
  return [...sentinel.state.groups.values()].map(({ peers }) => [...peers.keys()])
}

test('a Sentinel met in a second group stays known in the first', () => {
  const sentinel = new TestSentinel({ groups: [group('a', '10.0.0.1'), group('b', '10.0.0.2')] })
  meet(sentinel, 'a', PEER)
  meet(sentinel, 'b', PEER)
  expect(peersOf(sentinel)).toEqual([[PEER.runId], [PEER.runId]])
})

/** It answers as a Sentinel, with this run id. */
function answerAs(sentinel: TestSentinel, name: string, runId: string, claims = runId): void {
  const peer = sentinel.state.groups.get(name)?.peers.get(runId)
  if (peer === undefined) throw new Error(`no peer ${runId}`)
  const connection = peer.link.command
  if (connection === undefined) throw new Error(`no connection to ${runId}`)
  sentinel.run((turn) => noteWho(turn, peer, connection, bulk(claims)))
}

test('who proves to have replaced another at its address is alone there, in every group', () => {
  const sentinel = new TestSentinel({ groups: [group('a', '10.0.0.1'), group('b', '10.0.0.2')] })
  meet(sentinel, 'a', PEER)
  meet(sentinel, 'b', PEER)
  answerAs(sentinel, 'a', PEER.runId)
  answerAs(sentinel, 'b', PEER.runId)
  meet(sentinel, 'b', STRANGER)
  expect(peersOf(sentinel)).toEqual([[PEER.runId], [PEER.runId, STRANGER.runId]])
  answerAs(sentinel, 'b', STRANGER.runId)
  expect(peersOf(sentinel)).toEqual([[], [STRANGER.runId]])
})

test('a hello that gives a Sentinel another run id is forgotten when that one says its own', () => {
  const sentinel = new TestSentinel({ peers: [PEER] })
  meet(sentinel, 'mymaster', STRANGER)
  answerAs(sentinel, 'mymaster', STRANGER.runId, PEER.runId)
  expect(peersOf(sentinel)).toEqual([[PEER.runId]])
})

function flood(sentinel: TestSentinel, hellos: number): void {
  for (let number = 0; number < hellos; number++) {
    const runId = number.toString(16).padStart(40, '0')
    const host = `10.9.${number >> 8}.${number & 255}`
    const payload = `${host},26379,${runId},0,mymaster,10.0.0.1,6379,0`
    sentinel.run((turn) => receiveHello(turn, payload))
  }
}

describe('a hello that puts a Sentinel at the address of another one', () => {
  const [first, second] = PEERS as [typeof PEER, typeof PEER]
  const LIE = { ...second, host: first.host, port: first.port }

  function voteOf(sentinel: TestSentinel, runId: string) {
    return sentinel.group.peers.get(runId)?.vote
  }

  /** Both links answer that question; what stands at an address says one run id to everybody. */
  function voteIn(sentinel: TestSentinel, runId: string): void {
    const link = sentinel.group.peers.get(runId)?.link.command?.id ?? 0
    const { host, port, name } = sentinel.group.config
    const purpose = { kind: 'ask', group: name, host, port, epoch: 1 } as const
    const reply = array([integer(1), bulk(MYID), integer(1)])
    const event = { kind: 'reply', link, purpose, reply } as const
    sentinel.run((turn) => turn.effects.push(...step(turn.state, turn.now, event)))
  }

  test('moves nobody who answers where he is', () => {
    const sentinel = new TestSentinel({ peers: PEERS })
    meet(sentinel, 'mymaster', LIE)
    expect(sentinel.group.peers.get(second.runId)?.host).toBe(second.host)
  })

  test('makes one vote of one, and no majority smaller', () => {
    const sentinel = new TestSentinel({ peers: PEERS })
    const command = sentinel.group.peers.get(second.runId)?.link.command
    if (command !== undefined) command.up = false
    meet(sentinel, 'mymaster', LIE)
    expect(sentinel.group.peers.get(second.runId)?.host).toBe(first.host)
    voteIn(sentinel, first.runId)
    voteIn(sentinel, second.runId)
    answerAs(sentinel, 'mymaster', second.runId, first.runId)
    voteIn(sentinel, second.runId)
    expect(voteOf(sentinel, first.runId)).toMatchObject({ leader: MYID, epoch: 1 })
    expect(voteOf(sentinel, second.runId)).toBeUndefined()
    expect(votesNeeded(sentinel.group)).toBe(2)
    expect(peersOf(sentinel)[0]).toHaveLength(2)
  })

  test('silences the other one where it is true, but nobody is forgotten', () => {
    const sentinel = new TestSentinel({ peers: PEERS })
    voteIn(sentinel, first.runId)
    const command = sentinel.group.peers.get(second.runId)?.link.command
    if (command !== undefined) command.up = false
    meet(sentinel, 'mymaster', LIE)
    answerAs(sentinel, 'mymaster', second.runId)
    voteIn(sentinel, first.runId)
    voteIn(sentinel, second.runId)
    expect(voteOf(sentinel, first.runId)).toBeUndefined()
    expect(voteOf(sentinel, second.runId)).toMatchObject({ leader: MYID })
    expect(peersOf(sentinel)[0]).toHaveLength(2)
  })
})

test('a peer at whose address another Sentinel answers counts, and cannot be used', () => {
  const sentinel = new TestSentinel({ peers: PEERS })
  const usable = () => sentinel.connect().ask('SENTINEL CKQUORUM mymaster')
  expect(usable()).toContain('OK 3 usable Sentinels')
  for (const { runId } of PEERS) answerAs(sentinel, 'mymaster', runId, STRANGER.runId)
  expect(usable()).toContain('NOQUORUM 1 usable Sentinels')
  expect(votesNeeded(sentinel.group)).toBe(2)
  sentinel.effects.length = 0
  sentinel.run((turn) => askPeers(turn, sentinel.group))
  expect(sentinel.effects.filter(({ kind }) => kind === 'send')).toEqual([])
})

test('a Sentinel is found by a hello whose epoch is out of reach, and nothing else in it is believed', () => {
  const sentinel = new TestSentinel({ peers: PEERS })
  const peer = sentinel.group.peers.get(PEER.runId)
  if (peer?.link.command !== undefined) peer.link.command.up = false
  const payload = `10.0.0.99,26379,${PEER.runId},${2 ** 60},mymaster,10.0.0.66,6379,${2 ** 60}`
  sentinel.run((turn) => receiveHello(turn, payload))
  expect(sentinel.group.peers.get(PEER.runId)?.host).toBe('10.0.0.99')
  expect(sentinel.group.config.host).toBe('10.0.0.1')
})

test('made-up hellos fill a hundred places, and the oldest makes room', () => {
  const sentinel = new TestSentinel()
  flood(sentinel, 1_200)
  expect(sentinel.group.peers.size).toBe(100)
  expect([...sentinel.group.peers.keys()].at(-1)).toBe((1_199).toString(16).padStart(40, '0'))
})

test('a flood of made-up hellos drives nobody out who has proven himself, and writes nothing to disk', () => {
  const sentinel = new TestSentinel({ peers: PEERS })
  flood(sentinel, 1_200)
  expect(peersOf(sentinel)[0]).toEqual(expect.arrayContaining(PEERS.map(({ runId }) => runId)))
  expect(sentinel.effects.filter(({ kind }) => kind === 'save')).toHaveLength(0)
})

test('who has not proven himself counts neither for the majority nor for our place in the queue', () => {
  const sentinel = new TestSentinel({ peers: PEERS })
  const before = [votesNeeded(sentinel.group), staggerMs(sentinel.state, sentinel.group)]
  flood(sentinel, 1_200)
  expect([votesNeeded(sentinel.group), staggerMs(sentinel.state, sentinel.group)]).toEqual(before)
})

test('who has proven himself counts for ever, restarts included', () => {
  const sentinel = new TestSentinel({ peers: PEERS })
  meet(sentinel, 'mymaster', STRANGER_ELSEWHERE)
  answerAs(sentinel, 'mymaster', STRANGER_ELSEWHERE.runId)
  expect(votesNeeded(sentinel.group)).toBe(3)
  const [saved] = savedState(sentinel.state).groups
  const restarted = new TestSentinel({ peers: saved?.peers ?? [] })
  expect(votesNeeded(restarted.group)).toBe(3)
})

test('as long as fewer than three have proven themselves everyone we have heard of counts', () => {
  const sentinel = new TestSentinel({ groups: [{ ...group('a', '10.0.0.1'), quorum: 1 }] })
  meet(sentinel, 'a', PEER)
  meet(sentinel, 'a', STRANGER_ELSEWHERE)
  meet(sentinel, 'a', { ...STRANGER, runId: 'd'.repeat(40), host: '10.0.0.14' })
  answerAs(sentinel, 'a', PEER.runId)
  expect(votesNeeded(sentinel.group)).toBe(3)
})

test.each([
  ['where the group is complete, within seconds', PEERS, 12_000],
  ['where everyone counts, within minutes', [], 602_000],
])('who never answers and is not heard of any more is forgotten: %s', (_, peers, withinMs) => {
  const sentinel = new TestSentinel({ peers })
  flood(sentinel, 3)
  for (let ms = 0; ms < withinMs; ms += 1_000) {
    sentinel.advance(1_000)
    sentinel.run(onWake)
  }
  expect(sentinel.group.peers.size).toBe(peers.length)
})

// Where MYID may not be asked for, the question every peer answers has to do.
test.each([
  ['a Sentinel that refuses MYID', NO_PERMISSION, 1],
  ['a data node', error("ERR unknown command 'SENTINEL'"), 0],
])('%s is known by its answer to the question Sentinels ask', (_, says, proven) => {
  const bench = new SentinelBench({ groups: [group('a', '10.0.0.1')] })
  const answers = array([integer(0), bulk('*'), integer(0)])
  bench.answer = (argv) => {
    if (argv[0] !== 'SENTINEL') return undefined
    return argv[1] === 'MYID' || proven === 0 ? says : answers
  }
  bench.hello('a', PEER)
  bench.run(100)
  const { peers } = bench.group('a')
  expect([...peers.values()].filter(({ isProven }) => isProven)).toHaveLength(proven)
})
