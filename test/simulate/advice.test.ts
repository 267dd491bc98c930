import { expect, test } from 'vitest'
import { adviceFor } from '../../src/simulate/advice.ts'
import type { MeasuredHistory } from '../../src/simulate/measure.ts'
import { type ClusterDraft, clusterOf, measured } from './support.ts'

function settings(draft: ClusterDraft, all: readonly MeasuredHistory[]): string[] {
  return adviceFor(clusterOf(draft), all).map(({ setting }) => setting)
}

const QUIET = Array.from({ length: 20 }, (_, index) => measured(`${index + 1}`))

test('a sound configuration and quiet histories get no advice', () => {
  expect(settings({}, QUIET)).toEqual([])
})

test('quorum 3 of 3: one dead Sentinel blocks every failover', () => {
  const blocked = measured('7', { outcome: 'missing', ableSentinels: 2 })
  expect(adviceFor(clusterOf({ quorum: 3 }), [...QUIET, blocked])).toMatchObject([
    {
      setting: 'quorum 3 of 3',
      effect: 'one dead Sentinel blocks every failover',
      histories: 1,
      seed: '7',
      tryThis: 'quorum 2',
    },
  ])
})

test('nodes that come back with nothing are told to keep an append-only file', () => {
  const lost = { asynchronous: 0, splitBrain: 0, emptyRestart: 40 }
  const outage = { ...measured('8', { lost }), kind: 'siteOutage' } as const
  const [advice] = adviceFor(clusterOf({ settings: { save: '' } }), [...QUIET, outage])
  expect(advice).toMatchObject({ setting: 'appendonly no', histories: 1, seed: '8' })
  expect(advice?.seen).toContain('In 1 of 1 histories in which nodes came back that cost 40')
})

test('with an append-only file only an outage of all nodes is put down to its syncing', () => {
  const lost = { asynchronous: 3, splitBrain: 0, emptyRestart: 0 }
  const restart = { ...measured('7', { lost }), kind: 'restart' } as const
  const outage = { ...measured('8', { lost }), kind: 'siteOutage' } as const
  const kept = { appendonly: 'yes' }
  expect(settings({ settings: kept }, [...QUIET, restart])).toEqual([])
  expect(settings({ settings: kept }, [...QUIET, outage])).toEqual(['appendfsync everysec'])
  const always = { ...kept, appendfsync: 'always' }
  expect(settings({ settings: always }, [...QUIET, outage])).toEqual([])
})

test('what a configuration invites is said even if no history came to it', () => {
  expect(adviceFor(clusterOf({ quorum: 3 }), QUIET)[0]?.seen).toBe(
    'None of the 20 histories came to that.',
  )
})

test('a failover that others than the quorum prevented is not put down to the quorum', () => {
  const other = measured('7', { outcome: 'missing', ableSentinels: 3 })
  expect(adviceFor(clusterOf({ quorum: 3 }), [other])[0]).toMatchObject({ histories: 0 })
})

test('two Sentinels, and an even number of them', () => {
  expect(settings({ options: { sentinels: 2 } }, QUIET)).toEqual(['2 Sentinels'])
  expect(settings({ options: { sentinels: 4 } }, QUIET)).toEqual(['4 Sentinels'])
})

test('a box that takes the majority with it', () => {
  const text = `sentinel monitor mymaster 10.0.0.1 6379 2
    sentinel known-sentinel mymaster 10.0.0.1 26380 ${'a'.repeat(40)}
    sentinel known-sentinel mymaster 10.0.0.2 26379 ${'b'.repeat(40)}
    sentinel announce-ip 10.0.0.1
    sentinel down-after-milliseconds mymaster 2000`
  expect(settings({ text }, QUIET)).toEqual(['3 Sentinels on 2 boxes'])
})

test('a down-after is too short only if failovers were needless, and the next one is named by what it spares', () => {
  const needless = [2_300, 2_600, 9_000].map((unusableMs, index) =>
    measured(`${index + 30}`, { failovers: 1, needless: 1, unusableMs }),
  )
  const [advice] = adviceFor(clusterOf(), [...QUIET, ...needless])
  expect(advice).toMatchObject({ setting: 'down-after 2 s', histories: 3, seed: '30' })
  expect(advice?.tryThis).toBe(
    'down-after 5 s, which would have spared 2 of them; every other failover takes 3 s longer',
  )
})

test('a master that was proven dead waited for no down-after', () => {
  const proven = measured('3', { outcome: 'came', odownMs: 254 })
  expect(settings({ downAfterMs: 30_000 }, [...QUIET, proven])).toEqual([])
  const hung = measured('4', { unusableMs: 20_000 })
  const [advice] = adviceFor(clusterOf({ downAfterMs: 30_000 }), [...QUIET, proven, hung])
  expect(advice).toMatchObject({ setting: 'down-after 30 s', histories: 1, seed: '4' })
  expect(advice?.seen).toBe('In 1 of 22 histories trouble of 5 s or more was waited out.')
})

test('a long down-after is most of every outage of a silent master', () => {
  const waited = measured('3', { outcome: 'came', odownMs: 30_100 })
  expect(settings({ downAfterMs: 30_000 }, [...QUIET, waited])).toEqual(['down-after 30 s'])
})

test('writes that were lost in a split brain are put down to min-replicas-to-write, or to its lag', () => {
  const lost = { asynchronous: 0, splitBrain: 40, emptyRestart: 0 }
  const all = [...QUIET, measured('9', { lost })]
  expect(adviceFor(clusterOf(), all)).toMatchObject([
    { setting: 'min-replicas-to-write 0', seed: '9', histories: 1 },
  ])
  const guarded = { 'min-replicas-to-write': '1', 'min-replicas-max-lag': '9' }
  expect(adviceFor(clusterOf({ settings: guarded }), all)).toMatchObject([
    { setting: 'min-replicas-max-lag 9', tryThis: 'min-replicas-max-lag 3' },
  ])
})

test('a single replica that must be there stops all writes when it is not', () => {
  const draft = { settings: { 'min-replicas-to-write': '1' }, options: { replicas: 1 } }
  const refused = measured('4', { refused: 300 })
  expect(adviceFor(clusterOf(draft), [...QUIET, refused])).toMatchObject([
    { setting: 'min-replicas-to-write 1 with 1 replica', histories: 1 },
  ])
})

test('replica-priority 0 on every replica', () => {
  const draft = { settings: { 'replica-priority': '0' } }
  expect(settings(draft, QUIET)).toEqual(['replica-priority 0 on every replica'])
})

test('groups are named where there are several', () => {
  const text = 'sentinel monitor a 10.0.0.1 6379 1\nsentinel monitor b 10.0.0.2 6379 2'
  const [first] = adviceFor(clusterOf({ text }), [])
  expect(first).toMatchObject({ group: 'a', setting: 'quorum 1' })
})
