import { expect, test } from 'vitest'
import { HELLO_CHANNEL } from '../../../src/core/discovery/hello-format.ts'
import { SentinelStage } from '../../support/sentinel-stage.ts'

const HELLOS_MS = 2_000

/** A replica's channel carries what its master is told, as the network of real nodes does. */
function passing(stage: SentinelStage, name: string): void {
  const told = stage.sentTo('master', 'PUBLISH').at(-1)?.argv[2] ?? ''
  stage.hear(name, HELLO_CHANNEL, told)
}

function told(stage: SentinelStage, name: string): number {
  return stage.sentTo(name, 'PUBLISH').length
}

/** Ten periods, in which the replicas pass on what they hear if they do. */
function talk(stage: SentinelStage, passers: readonly string[]): void {
  stage.run(5_000)
  stage.forget()
  for (let round = 0; round < 20; round++) {
    stage.run(HELLOS_MS / 2)
    for (const name of passers) passing(stage, name)
  }
}

test('a replica that passes on what its master is told is not told as well', () => {
  const stage = new SentinelStage()
  talk(stage, ['replica1'])
  expect(told(stage, 'master')).toBe(10)
  expect(told(stage, 'replica1')).toBe(0)
})

test('a replica on whose channel nothing is heard is told itself', () => {
  const stage = new SentinelStage()
  talk(stage, ['replica1'])
  expect(told(stage, 'replica2')).toBeGreaterThanOrEqual(5)
})

test('a replica that has lost its master is told itself', () => {
  const stage = new SentinelStage()
  stage.part('replica1').linkUp = false
  talk(stage, ['replica1'])
  expect(told(stage, 'replica1')).toBe(10)
})

test('a replica of another master is told itself', () => {
  const stage = new SentinelStage({ group: { failoverTimeoutMs: 600_000 } })
  for (const name of ['peer1', 'peer2']) stage.part(name).talks = false
  stage.part('replica1').master = '10.0.0.9:6379'
  talk(stage, ['replica1'])
  expect(told(stage, 'replica1')).toBe(10)
})

test('replicas of a master that is out of reach are told', () => {
  const stage = new SentinelStage({ group: { quorum: 3 } })
  stage.run(5_000)
  stage.kill('master')
  talk(stage, ['replica1'])
  expect(told(stage, 'replica1')).toBeGreaterThanOrEqual(9)
})
