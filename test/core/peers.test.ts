import { expect, test } from 'vitest'
import { DEFAULT_GROUP, type GroupConfig } from '../../src/core/config.ts'
import { receiveHello } from '../../src/core/hello.ts'
import { meetPeer } from '../../src/core/peers.ts'
import { TestSentinel } from '../support/sentinel-builder.ts'

const PEER = { runId: 'b'.repeat(40), host: '10.0.0.12', port: 26379 }
const STRANGER = { ...PEER, runId: 'c'.repeat(40) }

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

test('who is replaced at its address under a new id is gone from every group', () => {
  const sentinel = new TestSentinel({ groups: [group('a', '10.0.0.1'), group('b', '10.0.0.2')] })
  meet(sentinel, 'a', PEER)
  meet(sentinel, 'b', PEER)
  meet(sentinel, 'b', STRANGER)
  expect(peersOf(sentinel)).toEqual([[], [STRANGER.runId]])
})

test('made-up hellos do not fill the memory: a group has at most a thousand Sentinels', () => {
  const sentinel = new TestSentinel()
  for (let number = 0; number < 1_200; number++) {
    const runId = number.toString(16).padStart(40, 'f')
    const host = `10.9.${number >> 8}.${number & 255}`
    const payload = `${host},26379,${runId},0,mymaster,10.0.0.1,6379,0`
    sentinel.run((turn) => receiveHello(turn, payload))
  }
  expect(sentinel.group.peers.size).toBe(1_000)
})
