import { expect, test } from 'vitest'
import { BridgePaths } from '../../../src/engine/process/paths.ts'
import type { Topology } from '../../../src/history/topology.ts'

const TOPOLOGY: Topology = {
  ...{ groups: [], nodes: [], sentinels: [], clients: [], liars: [], zones: new Map() },
  password: undefined,
  latency: { baseMs: 1, jitterMs: 1 },
  ways: [{ hosts: ['a', 'b'], latency: { baseMs: 40, jitterMs: 0 } }],
}

function createWays(canDelay: boolean): BridgePaths {
  const ipOf = (host: string): string => `ip-${host}`
  return new BridgePaths({ hosts: ['a', 'b', 'c'], topology: TOPOLOGY, canDelay, ipOf })
}

test('a partition drops what crosses it, both ways, and nothing else', () => {
  const ways = createWays(false)
  ways.apply({ kind: 'partition', groups: [['a'], ['b', 'c']] })
  expect(ways.drops().map(({ fromIp, toIp }) => `${fromIp} ${toIp}`)).toEqual([
    'ip-a ip-b',
    'ip-a ip-c',
    'ip-b ip-a',
    'ip-c ip-a',
  ])
  expect(ways.converses('b', 'c')).toBe(true)
  expect(ways.converses('a', 'b')).toBe(false)
})

test('a hold is dropped until it is released', () => {
  const ways = createWays(false)
  ways.apply({ kind: 'hold', from: 'a', to: 'b' })
  expect(ways.drops()).toEqual([{ fromIp: 'ip-a', toIp: 'ip-b', share: 1 }])
  ways.apply({ kind: 'release' })
  expect(ways.drops()).toEqual([])
})

test('loss is a share of what is not cut', () => {
  const ways = createWays(false)
  ways.apply({ kind: 'shape', from: 'a', to: undefined, shape: { loss: 0.1 } })
  ways.apply({ kind: 'cut', from: 'a', to: 'b' })
  expect(ways.drops().map(({ toIp, share }) => [toIp, share])).toEqual([
    ['ip-b', 1],
    ['ip-c', 0.1],
  ])
})

test('heal leaves the latencies of the topology', () => {
  const ways = createWays(true)
  ways.apply({ kind: 'shape', from: 'a', to: 'b', shape: { latencyMs: 500 } })
  ways.apply({ kind: 'heal' })
  expect(ways.queues().get('b')).toEqual([
    { fromIp: 'ip-a', shape: { latencyMs: 40, jitterMs: 0 } },
    { fromIp: 'ip-c', shape: { latencyMs: 1, jitterMs: 1 } },
  ])
})

test('without delays a way is only as slow as a fault makes it', () => {
  const ways = createWays(false)
  ways.apply({ kind: 'shape', from: 'a', to: 'b', shape: { bytesPerSecond: 100 } })
  expect(ways.queues().get('b')).toEqual([
    { fromIp: 'ip-a', shape: { bytesPerSecond: 100 } },
    { fromIp: 'ip-c', shape: {} },
  ])
})
