/** What a Sentinel counts of its own events: each failover once, and only what it has seen of it. */
import { expect, test } from 'vitest'
import { tallyOf } from '../../../src/core/report/tally.ts'
import { SentinelStage, type StageSetup } from '../../support/sentinel-stage.ts'

/** All parts see the master down once it is. */
function stageOf(setup: StageSetup = {}): SentinelStage {
  const stage = new SentinelStage(setup)
  for (const [name, part] of stage.cast) if (name.startsWith('peer')) part.seesDown = true
  return stage
}

function counts(stage: SentinelStage) {
  const { tally } = stage.state.stats
  const group = stage.state.groups.get('g')!
  const { switches, led, givenUp, falseAlarms, last } = tallyOf(tally, group)
  return { switches, led, givenUp, falseAlarms, last }
}

function observed({ state }: SentinelStage, part: 'leader' | 'observer') {
  const phases = Object.entries(state.stats.tally.phases[part])
  const times = phases.map(([phase, { counts }]) => [phase, counts.reduce((a, b) => a + b)])
  return Object.fromEntries(times.filter(([, count]) => count !== 0))
}

test('a failover that this Sentinel leads is measured phase by phase, and the phases add up', () => {
  const stage = stageOf()
  const killedMs = stage.ms
  stage.kill('master')
  const promotedMs = stage.until('+promoted-slave')
  const switchedMs = stage.until('+switch-master')
  const { last, ...numbers } = counts(stage)
  expect(numbers).toEqual({ switches: 1, led: 1, givenUp: 0, falseAlarms: 0 })
  const durations = Object.fromEntries(last!.durationsMs)
  expect(Object.keys(durations)).toEqual([
    ...['detected', 'agreed', 'elected', 'promoted', 'reconfigured', 'switched'],
  ])
  expect(durations.detected).toBe(1_001)
  const sum = Object.values(durations).reduce((a, b) => a + b)
  expect(sum).toBe(switchedMs - killedMs)
  const { whole } = stage.state.stats.tally
  expect(whole.leader.sum).toBeCloseTo((promotedMs - killedMs) / 1000)
  expect(Object.values(observed(stage, 'leader'))).toEqual([1, 1, 1, 1, 1, 1])
  expect(observed(stage, 'observer')).toEqual({})
})

test('of a failover that a peer leads, only what was seen here is measured', () => {
  const stage = stageOf()
  stage.kill('master')
  stage.until('+sdown master')
  stage.hello('peer1', {
    currentEpoch: 5,
    configEpoch: 5,
    masterHost: stage.part('replica1').host,
    masterPort: 6379,
  })
  expect(counts(stage)).toMatchObject({ switches: 1, led: 0, last: { part: 'observer' } })
  expect(observed(stage, 'observer')).toMatchObject({ detected: 1, switched: 1 })
  expect(observed(stage, 'leader')).toEqual({})
})

test('a master that answers again before anybody acts is a false alarm, and no failover', () => {
  const stage = stageOf({ peers: 0, group: { quorum: 2 } })
  stage.part('master').mood = 'gone'
  stage.until('+sdown master')
  stage.part('master').mood = 'answers'
  stage.cut('master')
  stage.until('-sdown master')
  expect(counts(stage)).toMatchObject({ switches: 0, falseAlarms: 1, givenUp: 0, last: undefined })
  expect(observed(stage, 'leader')).toEqual({})
})

test('a replica or a peer that comes and goes is no incident', () => {
  const stage = stageOf()
  stage.kill('replica1')
  stage.until('+sdown slave')
  stage.revive('replica1')
  stage.until('-sdown slave')
  expect(counts(stage)).toMatchObject({ falseAlarms: 0, switches: 0 })
})

test('a lost election counts as given up, and the incident goes on from its first moment', () => {
  const stage = stageOf()
  const killedMs = stage.ms
  stage.part('peer1').votesFor = 'nobody'
  stage.part('peer2').votesFor = 'nobody'
  for (const name of ['peer1', 'peer2']) stage.part(name).counsel = undefined
  stage.kill('master')
  stage.until('-failover-abort-not-elected')
  expect(counts(stage)).toMatchObject({ switches: 0, givenUp: 1, falseAlarms: 0 })
  stage.part('peer1').votesFor = 'candidate'
  const promotedMs = stage.until('+promoted-slave')
  stage.until('+switch-master')
  expect(counts(stage).led).toBe(1)
  expect(stage.state.stats.tally.whole.leader.sum).toBeCloseTo((promotedMs - killedMs) / 1000)
})

test('an ordered failover has no detection', () => {
  const stage = stageOf()
  stage.ask('SENTINEL', 'FAILOVER', 'g')
  stage.until('+switch-master')
  const { last } = counts(stage)
  expect([...last!.durationsMs.keys()]).toEqual(['elected', 'promoted', 'reconfigured', 'switched'])
})
