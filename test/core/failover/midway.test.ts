/**
 * An operator changes the group, or a connection comes back, in the middle of an election or a failover: what was
 * promised stays promised, and what was decided stays decided.
 */
import { describe, expect, test } from 'vitest'
import { array, bulk, error, integer } from '../../../src/resp/reply.ts'
import { GROUP, ME, SentinelStage, type StageSetup } from '../../support/sentinel-stage.ts'

const B = 'b'.repeat(40)
const C = 'c'.repeat(40)

function voteOf(stage: SentinelStage, epoch: number, candidate: string) {
  return stage.askedBy('peer2', epoch, candidate)
}

describe('a vote outlives', () => {
  test.each([
    [
      'REMOVE and MONITOR',
      (stage: SentinelStage) => {
        stage.ask('SENTINEL', 'remove', 'g')
        stage.ask('SENTINEL', 'monitor', 'g', '10.0.0.1', '6379', '2')
      },
    ],
    [
      'REMOVE, a restart and MONITOR',
      (stage: SentinelStage) => {
        stage.ask('SENTINEL', 'remove', 'g')
        stage.restart()
        stage.ask('SENTINEL', 'monitor', 'g', '10.0.0.1', '6379', '2')
      },
    ],
    ['RESET', (stage: SentinelStage) => void stage.ask('SENTINEL', 'reset', 'g')],
  ])('%s', (_name, change) => {
    const stage = new SentinelStage()
    expect(stage.askedBy('peer1', 7, B)).toEqual(array([integer(0), bulk(B), integer(7)]))
    change(stage)
    expect(voteOf(stage, 7, C)).not.toEqual(array([integer(0), bulk(C), integer(7)]))
    expect(voteOf(stage, 8, C)).toEqual(array([integer(0), bulk(C), integer(8)]))
  })
})

/** `replica1` is promoted, and `replica2` does not follow it yet. */
function promoted(setup: StageSetup = {}): SentinelStage {
  const stage = new SentinelStage(setup)
  for (const part of stage.cast.values()) part.seesDown = true
  stage.part('replica1').offset = 200
  stage.part('replica2').obeys = false
  stage.kill('master')
  stage.until('+promoted-slave')
  return stage
}

test('RESET after a promotion keeps the promoted master, whose epoch is out already', () => {
  const stage = promoted()
  const { configEpoch } = stage.state.groups.get('g') ?? {}
  stage.ask('SENTINEL', 'reset', 'g')
  expect(stage.state.groups.get('g')).toMatchObject({ configEpoch, config: { host: '10.0.0.2' } })
  expect(stage.times('+switch-master')).toHaveLength(1)
  expect(stage.saved.groups[0]).toMatchObject({ configEpoch, current: { host: '10.0.0.2' } })
  stage.forget()
  stage.run(3_000)
  const said = stage.sentTo('replica1', 'PUBLISH').map(({ argv }) => argv[2] ?? '')
  expect(said.length).toBeGreaterThan(0)
  for (const hello of said) expect(hello).toContain(`g,10.0.0.2,6379,${configEpoch}`)
})

const VOTES = 'is-master-down-by-addr'

function askedForVotes(stage: SentinelStage, name: string): number {
  return stage.sentTo(name, 'SENTINEL').filter(({ argv }) => argv[1] === VOTES && argv[5] === ME)
    .length
}

test('an election by order asks a peer that can be reached only after it began', () => {
  const stage = new SentinelStage({ group: { ...GROUP } })
  stage.part('master').moreInfo.push('master_failover_state:no-failover')
  stage.kill('peer1')
  stage.part('peer2').votesFor = 'nobody'
  stage.run(11_000)
  stage.ask('SENTINEL', 'failover', 'g', 'coordinated')
  stage.run(100)
  expect(stage.times('+try-failover')).toHaveLength(1)
  stage.revive('peer1')
  stage.run(2_000)
  expect(askedForVotes(stage, 'peer1')).toBeGreaterThan(0)
  expect(stage.times('+elected-leader')).toHaveLength(1)
})

test('an order that needs votes is refused while the epoch could be forgotten', () => {
  const stage = new SentinelStage()
  stage.part('master').moreInfo.push('master_failover_state:no-failover')
  stage.run(11_000)
  stage.savesWork = false
  stage.ask('SENTINEL', 'flushconfig')
  stage.forget()
  stage.wire(['SENTINEL', 'failover', 'g', 'coordinated'])
  stage.run(100)
  expect(askedForVotes(stage, 'peer1')).toBe(0)
})

test('a refusal of the order before this one ends nothing', () => {
  const stage = new SentinelStage({ group: { downAfterMs: 10_000 } })
  const master = stage.part('master')
  master.moreInfo.push('master_failover_state:no-failover')
  stage.run(11_000)
  let answers = 0
  master.says = ([verb]) => (verb === 'EXEC' && ++answers === 1 ? REFUSED : undefined)
  master.delayMs = 1_000
  stage.ask('SENTINEL', 'failover', 'g', 'coordinated')
  stage.until('+failover-state-wait-promotion')
  stage.hello('peer1', { currentEpoch: 9, configEpoch: 9 })
  stage.ask('SENTINEL', 'failover', 'g', 'coordinated')
  while (answers === 0) stage.run(1)
  expect(stage.times('+failover-state-wait-promotion')).toHaveLength(2)
  expect(stage.state.groups.get('g')?.failover).toMatchObject({ epoch: 10, refusal: undefined })
})

const REFUSED = array([error('ERR FAILOVER requires connected replicas.')])

test('an order chooses by offsets that were told after it, however fresh the earlier ones are', () => {
  const stage = new SentinelStage()
  stage.part('replica1').offset = 200
  stage.run(11_000)
  const fromMs = stage.now().monoMs
  for (const name of ['replica1', 'replica2']) stage.cut(name)
  const replicas = [...(stage.state.groups.get('g')?.replicas.values() ?? [])]
  while (replicas.some(({ infoAtMs = 0 }) => infoAtMs <= fromMs)) stage.run(1)
  stage.run(5)
  stage.part('replica2').offset = 300
  expect(stage.wire(['SENTINEL', 'failover', 'g'])).toBe('+OK\r\n')
  stage.run(10)
  expect(stage.times('+selected-slave slave 10.0.0.3:6379')).toHaveLength(1)
})
