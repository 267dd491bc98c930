/** The address of a replica that is gone is given to a node of another deployment, which this Sentinel watches too. */
import { expect, test } from 'vitest'
import { SentinelStage } from '../../support/sentinel-stage.ts'

/** At the address of `replica2` is a new process now, a master with a history of its own. */
function reused(isWatched: boolean): SentinelStage {
  const stage = new SentinelStage()
  for (const part of stage.cast.values()) part.seesDown = true
  stage.part('replica1').offset = 200
  stage.run(11_000)
  stage.kill('replica2')
  stage.run(5_000)
  Object.assign(stage.part('replica2'), { runId: 'e'.repeat(40), wasReplica: false })
  stage.part('replica2').master = undefined
  if (isWatched) stage.ask('SENTINEL', 'monitor', 'h', '10.0.0.3', '6379', '2')
  stage.revive('replica2')
  stage.forget()
  return stage
}

function slavesMade(stage: SentinelStage): number {
  return stage.sentTo('replica2', 'SLAVEOF').length
}

test('a replica that came back as a master is turned', () => {
  const stage = reused(false)
  stage.run(20_000)
  expect(slavesMade(stage)).toBeGreaterThan(0)
})

test('the master of another group of ours is left alone, and a remark says so', () => {
  const stage = reused(true)
  stage.run(20_000)
  expect(slavesMade(stage)).toBe(0)
  expect(stage.wire(['INFO', 'vedette'])).toContain(
    'instance=replica 10.0.0.3:6379,text=is the master of h and left alone; SENTINEL RESET g forgets it here',
  )
})

test('a failover neither promotes it nor waits for it', () => {
  const stage = reused(true)
  stage.run(5_000)
  stage.kill('master')
  stage.until('+switch-master', 3_000)
  expect(slavesMade(stage)).toBe(0)
  stage.run(20_000)
  expect(slavesMade(stage)).toBe(0)
})

test('if nothing else is left, nothing is promoted', () => {
  const stage = reused(true)
  stage.run(5_000)
  stage.kill('replica1')
  stage.kill('master')
  stage.run(60_000)
  expect(stage.times('+odown master g')).toHaveLength(1)
  expect(stage.times('+switch-master')).toEqual([])
  expect(slavesMade(stage)).toBe(0)
})

test('what another name of the same deployment has left behind is turned', () => {
  const stage = new SentinelStage()
  stage.ask('SENTINEL', 'monitor', 'h', '10.0.0.1', '6379', '2')
  stage.run(11_000)
  stage.ask('SENTINEL', 'failover', 'g')
  stage.until('+switch-master g', 3_000)
  stage.part('master').obeys = true
  stage.run(5_000)
  expect(stage.sentTo('master', 'SLAVEOF').length).toBeGreaterThan(0)
})
