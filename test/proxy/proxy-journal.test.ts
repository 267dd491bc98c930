/** What a proxy puts on record of itself [black-box]. */
import { expect, test } from 'vitest'
import { A, B, ProxyStage } from '../support/proxy-stage.ts'

const kindsOf = ({ notes }: ProxyStage) => notes.map(({ kind }) => kind)

test('which Sentinels it hears, where it forwards to, and why no longer', () => {
  const stage = new ProxyStage({}, true)
  stage.pass(1_000)
  expect(stage.notes[0]).toEqual({ kind: 'proxyStarted' })
  expect(kindsOf(stage).filter((kind) => kind === 'sentinelHeard')).toHaveLength(3)
  expect(stage.notes).toContainEqual({ kind: 'forwards', group: 'mymaster', to: A })
  const before = stage.notes.length
  stage.switchTo(B)
  stage.pass(1_000)
  expect(stage.notes.slice(before)).toEqual([
    { kind: 'forwardsNoMore', group: 'mymaster', from: A, why: `${B} is confirmed instead` },
    { kind: 'forwards', group: 'mymaster', to: B },
  ])
  // The same master again and again is no news.
  const [known] = [stage.notes.length]
  stage.pass(10_000)
  expect(stage.notes).toHaveLength(known)
})

test('that it holds commands, how many clients wait and how long, and what it refuses', () => {
  const stage = new ProxyStage({ holdMs: 3_000 }, true)
  stage.pass(1_000)
  const before = stage.notes.length
  for (const sentinel of stage.names.keys()) stage.names.set(sentinel, undefined)
  stage.pass(2_000)
  const clients = [stage.client(), stage.client()]
  for (const client of clients) client.sends('SET k v')
  stage.pass(10_000)
  const all = stage.notes.slice(before)
  const told = all.filter(({ kind }) => kind !== 'sentinelLost')
  expect(all.length - told.length).toBe(3)
  expect(told).toMatchObject([
    {
      ...{ kind: 'forwardsNoMore', from: A },
      why: 'no majority of the Sentinels confirms it',
    },
    { kind: 'holding', clients: 2 },
    { kind: 'held', clients: 2 },
    { kind: 'refusing', code: 'NOMASTER' },
    { kind: 'refused', code: 'NOMASTER', count: 2 },
  ])
  const { forMs = 0 } = told[2] as { forMs?: number }
  expect(Math.abs(forMs - 3_000)).toBeLessThanOrEqual(500)
})

test('that it stood still, and its end', () => {
  const stage = new ProxyStage({}, true)
  stage.pass(1_000)
  stage.nowMs += 4_000
  stage.pass(1)
  expect(kindsOf(stage)).toContain('stalled')
  stage.proxy.stopRequested(stage.now)
  expect(stage.notes.slice(-2)).toEqual([
    { kind: 'proxyStopping', clients: 0 },
    { kind: 'proxyStopped' },
  ])
})

test('nothing without a record', () => {
  const stage = new ProxyStage()
  stage.pass(5_000)
  expect(stage.notes).toEqual([])
})
