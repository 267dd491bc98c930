import { expect, test } from 'vitest'
import type { AnnouncedEvent } from '../../src/core/announced-event.ts'
import { ME, SentinelStage } from '../support/sentinel-stage.ts'

function eventsOf(stage: SentinelStage): AnnouncedEvent[] {
  return stage.done.flatMap((one) => (one.kind === 'log' && one.event ? [one.event] : []))
}

test('an event travels with its line: instance, group, epoch, evidence and the Sentinel that says it', () => {
  const stage = new SentinelStage()
  for (const part of stage.cast.values()) part.seesDown = true
  stage.kill('master')
  stage.until('+odown')
  const odown = eventsOf(stage).find(({ name }) => name === '+odown')
  expect(odown).toMatchObject({
    level: 'warning',
    payload: 'master g 10.0.0.1 6379 #quorum 2/2',
    instance: { role: 'master', host: '10.0.0.1', port: 6379 },
    group: { name: 'g', failover: undefined, master: { host: '10.0.0.1', port: 6379 } },
    evidence: 'quorum 2/2',
    details: { agreeing: 2, needed: 2 },
    by: ME,
  })
})

test('during a failover the epoch of an event is that of the failover', () => {
  const stage = new SentinelStage()
  for (const part of stage.cast.values()) part.seesDown = true
  stage.kill('master')
  stage.until('+switch-master')
  const events = eventsOf(stage)
  const elected = events.find(({ name }) => name === '+elected-leader')
  const switched = events.find(({ name }) => name === '+switch-master')
  expect(elected).toMatchObject({ group: { failover: 'automatic' } })
  expect(switched).toMatchObject({ epoch: elected?.epoch, details: { oldPort: 6379 } })
  expect(elected?.epoch).toBeGreaterThan(0)
})
