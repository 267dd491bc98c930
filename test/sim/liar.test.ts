/** What a liar can say, and what becomes of it: here with numbers that are honest enough to be believed. */
import { describe, expect, test } from 'vitest'
import type { Lie } from '../../src/history/lie.ts'
import { describeLie, epochOf, isEpochWord } from '../../src/history/lie.ts'
import type { Topology } from '../../src/history/topology.ts'
import { SimWorld } from '../../src/sim/world.ts'
import { createTopology } from './topology.ts'

const ONCE = { times: 1, everyMs: 100 }
const HELLO = {
  ...{ kind: 'hello' as const, id: 'made-up', at: 'self', epoch: '7', group: 'mymaster' },
  ...{ master: undefined, configEpoch: 'config', ...ONCE },
} as const
const ANSWER = {
  ...{
    kind: 'answer' as const,
    isDown: false,
    leader: 'nobody' as const,
    epoch: 'asked',
    replicas: 0,
  },
} as const

/** The usual cluster with a liar, in which lies are told 8 s after the start, and 10 s more. */
function lied(
  to: readonly string[],
  lies: readonly Lie[],
  more: Partial<Topology> = {},
  knowsPassword = false,
): SimWorld {
  const liars = [{ name: 'mallory', host: 'evil', port: 26_379, knowsPassword }]
  const world = new SimWorld({ ...createTopology(), liars, ...more }, '1')
  world.runUntil(8_000)
  for (const lie of lies) {
    world.apply({ kind: 'lie', process: 'mallory', audience: lie.kind === 'answer' ? [] : to, lie })
  }
  world.runUntil(18_000)
  return world
}

function events(world: SimWorld, name: string): string[] {
  return world.happenings.flatMap((one) => {
    return one.kind === 'event' && one.name === name ? [`${one.process} ${one.payload}`] : []
  })
}

describe('epochs in words', () => {
  test.each([
    ['current', 5n],
    ['current + 3', 8n],
    ['config - 1', 1n],
    ['2^48', 2n ** 48n],
    ['2^64 - 1', 2n ** 64n - 1n],
    ['-1', -1n],
    ['asked+1', 10n],
    ['18446744073709551615', 2n ** 64n - 1n],
  ])('%s', (word, epoch) => {
    expect(isEpochWord(word)).toBe(true)
    expect(epochOf(word, { current: 5n, config: 2n, asked: 9n })).toBe(epoch)
  })

  test.each(['', 'soon', '2^', '1.5', '2^48 +', 'current * 2'])('no epoch: "%s"', (word) => {
    expect(isEpochWord(word)).toBe(false)
  })
})

test('a hello on one node is heard by every Sentinel', () => {
  const world = lied(['n1'], [HELLO])
  expect(events(world, '+new-epoch').sort()).toEqual(['s1', 's2', 's3'].map((name) => `${name} 7`))
})

test('what the liar does not say is the truth: nobody takes another master, and clients go on', () => {
  const world = lied(['n1', 's2'], [HELLO])
  expect(events(world, '+switch-master')).toEqual([])
  expect(world.writes.at(-2)?.outcome.kind).toBe('acknowledged')
})

test('it hears what it needs: the next epoch is one more than that of the Sentinels', () => {
  const world = lied(['s1'], [HELLO, { ...HELLO, epoch: 'current + 1', times: 3, everyMs: 3_000 }])
  const s1 = events(world, '+new-epoch').filter((event) => event.startsWith('s1'))
  expect(s1.slice(0, 2)).toEqual(['s1 7', 's1 8'])
})

test('a vote it asks for is given, under the id it goes by', () => {
  const vote = { kind: 'vote', id: 'made-up', epoch: '7', group: 'mymaster', ...ONCE } as const
  const world = lied(['s1', 's2'], [vote])
  expect(events(world, '+vote-for-leader').map((event) => event.split(' ')[0])).toEqual([
    ...['s1', 's2'],
  ])
})

test('a made-up Sentinel that answers is missed when the liar dies; one that never did is nobody', () => {
  const isMissed = (world: SimWorld): boolean => {
    world.apply({ kind: 'kill', processes: ['mallory'] })
    world.runUntil(24_000)
    return events(world, '+sdown').some((event) => event.includes(' sentinel '))
  }
  expect(isMissed(lied(['n1'], [HELLO]))).toBe(false)
  expect(isMissed(lied(['n1'], [ANSWER, HELLO]))).toBe(true)
})

test('in the name of a true Sentinel that answers it moves nobody', () => {
  const world = lied(['s1'], [{ ...HELLO, id: 's2', at: 'nowhere', epoch: 'current' }])
  expect(events(world, '+sentinel-address-switch')).toEqual([])
})

test('a master tells of a made-up replica, which nobody can reach', () => {
  const world = lied(['n1'], [{ kind: 'replica', at: 'new', ...ONCE }])
  // Until everybody has asked the master again.
  world.runUntil(25_000)
  expect(events(world, '+slave').filter((event) => event.includes(':30000'))).toHaveLength(3)
})

test('whoever names another master in a newer epoch is believed, and overruled when it is gone', () => {
  const usurper = { ...HELLO, master: 'nowhere', configEpoch: '7' }
  const world = lied(['n1'], [usurper])
  expect(events(world, '+switch-master').length).toBeGreaterThan(3)
  expect(world.happenings.filter(({ kind }) => kind === 'violation')).toEqual([])
})

test('its death ends its lies', () => {
  const world = lied(['n1'], [{ ...HELLO, epoch: 'current + 1', times: 1_000, everyMs: 1_000 }])
  world.apply({ kind: 'kill', processes: ['mallory'] })
  world.runUntil(21_000)
  const before = events(world, '+new-epoch').length
  world.runUntil(40_000)
  expect(events(world, '+new-epoch')).toHaveLength(before)
})

describe('with a password', () => {
  const SECRET = { password: 'sesame' }
  const vote = { kind: 'vote', id: 'made-up', epoch: '7', group: 'mymaster', ...ONCE } as const

  test('a stranger is heard by nobody, and the cluster works', () => {
    const world = lied(['n1', 's1'], [HELLO, vote], SECRET)
    expect(events(world, '+new-epoch')).toEqual([])
    world.apply({ kind: 'kill', processes: ['n1'] })
    world.runUntil(23_000)
    expect(events(world, '+switch-master')).toHaveLength(3)
    expect(world.writes.at(-2)?.outcome.kind).toBe('acknowledged')
  })

  test('an insider is heard', () => {
    expect(events(lied(['n1'], [HELLO], SECRET, true), '+new-epoch')).toHaveLength(3)
    expect(events(lied(['s1'], [vote], SECRET, true), '+vote-for-leader')).toHaveLength(1)
  })
})

test('a lie reads as what it is', () => {
  expect(describeLie({ ...HELLO, times: 3, master: 'nowhere' })).toBe(
    'hello of made-up at self, epoch 7, mymaster, master nowhere in config epoch config, 3 times every 100 ms',
  )
})
