import { expect, test } from 'vitest'
import type { Answer } from '../../../src/core/external-query.ts'
import { canPause, order } from '../../support/pausing-peers.ts'
import { ME, SentinelStage, type StageSetup } from '../../support/sentinel-stage.ts'

const HOOK = '/etc/vedette/may-fail-over'
const YES: Answer = { kind: 'preFailover', allows: true, reason: '' }
const no = (reason: string): Answer => ({ kind: 'preFailover', allows: false, reason })

/** Everybody sees the master down and would vote for us; the hook answers this after so long. */
function asking(
  answer: Answer | undefined,
  afterMs = 100,
  { group, ...setup }: StageSetup = {},
): SentinelStage {
  const stage = new SentinelStage({ ...setup, group: { preFailoverHook: HOOK, ...group } })
  for (const part of stage.cast.values()) part.seesDown = true
  stage.hook = { answer, afterMs }
  return stage
}

test('without a hook nobody is asked', () => {
  const stage = asking(YES, 0, { group: { preFailoverHook: '' } })
  stage.kill('master')
  stage.until('+promoted-slave')
  expect(stage.asked).toEqual([])
})

test('the hook is asked before the Sentinel stands, and told what it would do', () => {
  const stage = asking(YES)
  stage.kill('master')
  const odownAtMs = stage.until('+odown')
  const stoodAtMs = stage.until('+try-failover')
  expect(stage.asked).toHaveLength(1)
  expect(stage.asked[0]).toMatchObject({
    atMs: odownAtMs,
    request: {
      ...{ group: 'g', master: { host: '10.0.0.1', port: 6379 }, epoch: 1, quorum: 2, by: ME },
      replicas: [
        { host: '10.0.0.2', port: 6379 },
        { host: '10.0.0.3', port: 6379 },
      ],
    },
  })
  expect(stoodAtMs - odownAtMs).toBeGreaterThanOrEqual(100)
  expect(stoodAtMs - odownAtMs).toBeLessThan(150)
})

test('a hook that refuses keeps the Sentinel from standing: no epoch is begun, and no vote taken', () => {
  const stage = asking(no('maintenance'))
  stage.kill('master')
  stage.until('-failover-refused-by-hook master g 10.0.0.1 6379 # maintenance')
  stage.run(120_000)
  expect(stage.times('+try-failover')).toEqual([])
  expect(stage.times('+new-epoch')).toEqual([])
  expect(stage.saved).toMatchObject({ currentEpoch: 0 })
  expect(stage.saved.groups[0]?.leaderEpoch ?? 0).toBe(0)
})

test('after a refusal the hook is asked again with growing pauses, and the same reason announced once', () => {
  const stage = asking(no('maintenance'))
  stage.kill('master')
  stage.run(125_000)
  const times = stage.asked.map(({ atMs }) => atMs)
  const pauses = times.slice(1).map((atMs, at) => atMs - (times[at] ?? 0) - 100)
  expect(pauses.slice(0, 5).map((ms) => Math.floor(Math.log2(ms / 1_000)))).toEqual([0, 1, 2, 3, 4])
  expect(Math.max(...pauses)).toBeLessThanOrEqual(33_000)
  const announced = stage.done.filter(
    (one) => one.kind === 'log' && one.level === 'warning' && one.text.includes('refused-by-hook'),
  )
  expect(announced).toHaveLength(1)
})

test('another Sentinel that is allowed gets our vote while ours is refused', () => {
  const stage = asking(no('not from here'))
  stage.kill('master')
  stage.until('-failover-refused-by-hook')
  const { runId } = stage.part('peer1')
  expect(stage.askedBy('peer1', 1, runId)).toMatchObject({
    items: [{ value: 1 }, { bytes: runId }, { value: 1 }],
  })
})

test('a hook that changes its mind lets the next attempt through', () => {
  const stage = asking(no('wait'))
  stage.kill('master')
  stage.until('-failover-refused-by-hook')
  stage.hook = { answer: YES, afterMs: 10 }
  stage.until('+promoted-slave', 3_000)
  expect(stage.asked).toHaveLength(2)
})

test.each([
  ['does not answer', undefined, 'it did not answer within 2000 ms'],
  ['fails', { kind: 'failed', reason: 'connect ECONNREFUSED' } as const, 'connect ECONNREFUSED'],
])(
  'a hook that %s delays a failover no longer than its bound, and prevents none',
  (_, answer, why) => {
    const stage = asking(answer, 50, { group: { preFailoverHookTimeoutMs: 2_000 } })
    stage.kill('master')
    const odownAtMs = stage.until('+odown')
    const line = `-failover-hook-failed master g 10.0.0.1 6379 # ${why}: on-error says proceed`
    stage.until(line, 3_000)
    expect(stage.until('+promoted-slave', 3_000) - odownAtMs).toBeLessThan(2_500)
  },
)

test('with on-error refuse a hook that does not answer prevents the failover, and is asked again', () => {
  const stage = asking(undefined, 0, {
    group: { preFailoverHookTimeoutMs: 2_000, preFailoverHookOnError: 'refuse' },
  })
  stage.kill('master')
  stage.until('-failover-hook-failed', 10_000)
  stage.run(60_000)
  expect(stage.times('+try-failover')).toEqual([])
  expect(stage.asked.length).toBeGreaterThan(3)
  stage.hook = { answer: YES, afterMs: 10 }
  stage.until('+promoted-slave', 40_000)
})

test('an answer that comes after its bound is ignored', () => {
  const stage = asking(YES, 1_500, {
    group: { preFailoverHookTimeoutMs: 1_000, preFailoverHookOnError: 'refuse' },
  })
  stage.kill('master')
  stage.until('-failover-hook-failed', 10_000)
  stage.run(600)
  expect(stage.times('+try-failover')).toEqual([])
})

test('a master that answers again while the hook thinks is left alone, whatever the hook says', () => {
  const stage = asking(YES, 3_000)
  stage.kill('master')
  stage.until('+odown')
  stage.run(500)
  stage.revive('master')
  for (const part of stage.cast.values()) part.seesDown = false
  stage.run(20_000)
  expect(stage.times('+try-failover')).toEqual([])
})

test('Sentinels that hear yes at the same moment do not stand at the same moment', () => {
  const first = asking(YES, 100, { me: '0'.repeat(40) })
  const last = asking(YES, 100, { me: 'f'.repeat(40) })
  const waits = [first, last].map((stage) => {
    stage.kill('master')
    const stoodAtMs = stage.until('+try-failover', 10_000)
    return stoodAtMs - (stage.asked[0]!.atMs + 100)
  })
  expect(waits[0]).toBeLessThanOrEqual(2)
  expect(waits[1]).toBeGreaterThan(waits[0]! + 10)
})

test('a lost election is repeated on the same permission, until that is half a minute old', () => {
  const stage = asking(YES, 10)
  for (const name of ['peer1', 'peer2']) stage.part(name).votesFor = 'nobody'
  stage.kill('master')
  stage.run(25_000)
  expect(stage.times('+try-failover').length).toBeGreaterThan(1)
  expect(stage.asked).toHaveLength(1)
  stage.run(60_000)
  expect(stage.asked.length).toBeGreaterThan(1)
})

test('a failover that an operator asks for is not put to the hook', () => {
  const stage = asking(no('never'))
  stage.ask('SENTINEL', 'FAILOVER', 'g')
  stage.until('+promoted-slave', 5_000)
  expect(stage.asked).toEqual([])
})

test('a paused group does not ask its hook, and a yes from before the pause starts nothing', () => {
  const stage = asking(YES, 2_000)
  stage.run(5_000)
  for (const name of ['peer1', 'peer2']) canPause(stage, name)
  stage.kill('master')
  stage.until('+failover-hook-asked')
  order(stage, 'SENTINEL PAUSE g 600 new kernel')
  stage.run(60_000)
  expect(stage.asked).toHaveLength(1)
  expect(stage.times('+try-failover')).toEqual([])
  order(stage, 'SENTINEL RESUME g')
  stage.until('+promoted-slave', 5_000)
  expect(stage.asked).toHaveLength(2)
})

test('a question that is open when the group is removed is forgotten', () => {
  const stage = asking(YES, 2_000)
  stage.kill('master')
  stage.until('+failover-hook-asked')
  stage.ask('SENTINEL', 'REMOVE', 'g')
  stage.run(10_000)
  expect(stage.times('+try-failover')).toEqual([])
})

test('SENTINEL SET takes a path or a URL, and only where scripts may be changed', () => {
  const setup = { denyScriptsReconfig: false }
  const stage = asking(YES, 0, setup)
  const set = (...words: string[]) => stage.ask('SENTINEL', 'SET', 'g', ...words)
  expect(set('pre-failover-hook', 'https://example.com/may')).toMatchObject({ text: 'OK' })
  expect(set('pre-failover-hook-on-error', 'refuse')).toMatchObject({ text: 'OK' })
  expect(set('pre-failover-hook-on-error', 'maybe')).toMatchObject({ kind: 'error' })
  expect(stage.show('master')).toMatchObject({ 'pre-failover-hook': 'https://example.com/may' })
  const denied = asking(YES, 0, { denyScriptsReconfig: true })
  const refused = denied.ask('SENTINEL', 'SET', 'g', 'pre-failover-hook', 'https://example.com')
  expect(refused).toMatchObject({ kind: 'error' })
})

test('while failover-block holds the hook is not asked, and once it is over it is', () => {
  const stage = asking(YES, 50, { replicas: 3, group: { failoverBlockMs: 120_000 } })
  stage.kill('master')
  const blockedAtMs = stage.until('+failover-block')
  expect(stage.asked).toHaveLength(1)
  stage.kill('replica1')
  stage.run(60_000)
  expect(stage.times('+odown')).toHaveLength(2)
  expect(stage.asked).toHaveLength(1)
  stage.run(90_000)
  expect(stage.asked).toHaveLength(2)
  expect(stage.asked[1]?.atMs).toBeGreaterThanOrEqual(blockedAtMs + 120_000)
})
