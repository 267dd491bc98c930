/** Under which name a node offers its place in a history, and who can go on from whom because of it. */
import { expect, test } from 'vitest'
import { idToOffer, type OwnPosition } from '../../../src/server/replication/history/divergence.ts'
import type { Lineage } from '../../../src/server/replication/history/lineage.ts'
import { ReplicationWorld, type TestNode } from '../../support/replication-harness.ts'

const A = 'a'.repeat(40)
const B = 'b'.repeat(40)
const C = 'c'.repeat(40)
const NONE = '0'.repeat(40)

function place(id: string, offset: number, previousId = NONE, secondOffset = -1): OwnPosition {
  return { id, offset, previousId, secondOffset }
}

function lineage(id: string, previousId = NONE, secondOffset = -1): Lineage {
  return { id, offset: 100, previousId, secondOffset, isReplica: false, keys: 1 }
}

test('a master that tells what it knows is offered that', () => {
  const unused = place(B, 50, A, 51)
  expect(idToOffer(unused, lineage(B), A)).toBe(B)
  expect(idToOffer(unused, lineage(A), B)).toBe(A)
  expect(idToOffer(unused, lineage(C, B, 51), A)).toBe(B)
  expect(idToOffer(unused, lineage(C, A, 51), B)).toBe(A)
})

test('a place the master has never been at is not offered in its words', () => {
  // It left that history before we were there.
  expect(idToOffer(place(B, 50, A, 51), lineage(C, B, 50), A)).toBe(A)
  // What we have of our history is not in the one before.
  expect(idToOffer(place(B, 60, A, 51), lineage(A), B)).toBe(B)
  // Two nodes without a previous history have none in common.
  expect(idToOffer(place(A, 50, NONE, 51), lineage(C), 'usual')).toBe('usual')
})

test('a master that does not tell gets what it is most likely to know', () => {
  expect(idToOffer(place(B, 50, A, 51), 'untold', A)).toBe(A)
  expect(idToOffer(place(B, 50, A, 51), 'unasked', B)).toBe(B)
})

function fullCopies(...nodes: TestNode[]): number[] {
  return nodes.map(
    (node) => node.logs.filter((line) => line.includes('full resynchronisation to')).length,
  )
}

/** A master and three replicas in step that hear of nobody's PING for the length of a test. */
function family() {
  const world = new ReplicationWorld()
  const quiet = { 'repl-ping-replica-period': '1000' }
  const master = world.node(quiet)
  const replicas = [1, 2, 3].map(() => world.replicaOf(master, quiet))
  master.call('SET', 'k', 'v')
  for (const replica of replicas) world.untilInStep(master, replica)
  const [first, second, third] = replicas as [TestNode, TestNode, TestNode]
  return { world, master, first, second, third }
}

test('two promotions in a row, and nothing written: who has gone through both continues', () => {
  const { world, master, first, second, third } = family()
  master.kill()
  first.promote()
  second.follow(first)
  third.follow(first)
  world.run(200)
  expect([second, third].map((node) => node.info('master_link_status'))).toEqual(['up', 'up'])
  // A PING would hide it: nothing at all has been written in the second history.
  second.promote()
  third.follow(second)
  first.follow(second)
  world.untilInStep(second, third)
  world.untilInStep(second, first)
  expect(fullCopies(first, second, third)).toEqual([1, 1, 1])
})

test('two promotions in a row: who has gone through one continues below who has gone through none', () => {
  const { world, master, first, second, third } = family()
  master.kill()
  first.promote()
  second.follow(first)
  world.run(200)
  // Its master is gone before the third has heard of it, and the third takes its place.
  first.kill()
  third.promote()
  second.follow(third)
  world.untilInStep(third, second)
  expect(fullCopies(second, third)).toEqual([1, 1])
})

test('a promotion that is taken back leaves its name to those who stand below', () => {
  const { world, master, first } = family()
  first.promote()
  const promotedId = first.info('master_replid')
  const offset = first.offset
  first.follow(master)
  world.run(200)
  expect([first.info('master_replid'), first.info('master_replid2')]).toEqual([
    master.info('master_replid'),
    promotedId,
  ])
  // A redis-server below offers the name it has heard last.
  const below = world.client(first)
  below.call('REPLCONF', 'capa', 'psync2')
  below.send('PSYNC', String(promotedId), String(offset + 1))
  world.run(50)
  expect(below.take()).toContain(`+CONTINUE ${master.info('master_replid')}`)
  // And it goes on with its own master as before when the connection breaks.
  world.network.drop(master, first)
  world.untilInStep(master, first)
  expect(fullCopies(first)).toEqual([1])
})
