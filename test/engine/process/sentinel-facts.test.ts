import { expect, test } from 'vitest'
import { SentinelEventFacts } from '../../../src/engine/process/sentinel-facts.ts'
import type { Occurrence } from '../../../src/history/happening.ts'

const MASTER = 'master mymaster 10.208.0.1 6379'
const ME = 'a'.repeat(40)

function listen(groups = ['mymaster']): { facts: SentinelEventFacts; told: Occurrence[] } {
  const told: Occurrence[] = []
  const facts = new SentinelEventFacts(groups, (what) => {
    if (what.kind !== 'event') told.push(what)
  })
  facts.id = ME
  return { facts, told }
}

test('who is elected after O_DOWN leads in the epoch of its attempt', () => {
  const { facts, told } = listen()
  facts.published('+odown', `${MASTER} #quorum 2/2`)
  facts.published('+new-epoch', '7')
  facts.published('+try-failover', MASTER)
  // Somebody else is ahead meanwhile: the attempt keeps its own epoch.
  facts.published('+new-epoch', '8')
  facts.published('+elected-leader', MASTER)
  expect(told).toEqual([{ kind: 'leader', sentinelId: ME, group: 'mymaster', epoch: 7 }])
})

test("an operator's failover elects nobody", () => {
  const { facts, told } = listen()
  facts.published('+new-epoch', '1')
  facts.published('+try-failover', MASTER)
  facts.published('+elected-leader', MASTER)
  expect(told).toEqual([])
})

test('a vote is told where there is one group only', () => {
  const one = listen()
  one.facts.published('+vote-for-leader', `${ME} 3`)
  expect(one.told).toEqual([
    { kind: 'vote', sentinelId: ME, group: 'mymaster', epoch: 3, leader: ME },
  ])
  const two = listen(['mymaster', 'other'])
  two.facts.published('+vote-for-leader', `${ME} 3`)
  expect(two.told).toEqual([])
})

test('nothing is said of a Sentinel whose run id is not known yet', () => {
  const { facts, told } = listen()
  facts.forget()
  facts.published('+vote-for-leader', `${ME} 3`)
  expect(told).toEqual([])
})

test('a view is told when it changes, and again after a restart', () => {
  const { facts, told } = listen()
  const master = { host: '10.208.0.1', port: 6379 }
  facts.named('mymaster', master)
  facts.named('mymaster', master)
  expect(told).toHaveLength(1)
  facts.forget()
  facts.named('mymaster', master)
  expect(told).toHaveLength(2)
})
