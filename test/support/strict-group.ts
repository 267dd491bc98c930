/** A strict group of three data nodes, and what a leader says to them. */
import { expect } from 'vitest'
import { OK } from '../../src/resp/reply.ts'
import { ReplicationWorld, type TestNode } from './replication-harness.ts'

export const STRICT = { 'sync-replication': 'yes', save: '' }
export const LEADER = 'a'.repeat(40)
export const VOTERS = ['10.0.0.1:6379', '10.0.0.2:6379', '10.0.0.3:6379']

export function fence(node: TestNode, term: number, leader = LEADER, reads = 'normal') {
  return node.call('FENCE', String(term), leader, 'ASK', '1', reads, ...VOTERS)
}

export function promote(node: TestNode, term: number, leader = LEADER) {
  return node.call('FENCE', String(term), leader, 'PROMOTE')
}

/** A master in term 1 with two replicas that vote. */
export function group(reads = 'normal') {
  const world = new ReplicationWorld()
  const nodes = [1, 2, 3].map(() => world.node(STRICT))
  const [master, one, two] = nodes as [TestNode, TestNode, TestNode]
  for (const node of nodes) fence(node, 1, LEADER, reads)
  expect(promote(master, 1)).toEqual(OK)
  for (const node of [one, two]) node.follow(master)
  for (const node of [one, two]) world.until(() => node.info('sync_voter') === '1')
  return { world, master, one, two }
}
