import { expect, test } from 'vitest'
import {
  clusterDocument,
  clusterInSlices,
  type GroupDocument,
} from '../../src/http/cluster-document.ts'
import { KnownFacts } from '../../src/http/replication-facts.ts'
import { MYMASTER, PEERS, REPLICAS, TestSentinel } from '../support/sentinel-builder.ts'
import { SentinelStage } from '../support/sentinel-stage.ts'

function groupOf(stage: SentinelStage): GroupDocument {
  const [group] = stage.look(({ state, now }) => clusterDocument(state, now, '1.2.3')).groups
  if (group === undefined) throw new Error('no group')
  return group
}

test('a settled group is ok, reaches its quorum, and is confirmed by all three Sentinels', () => {
  const stage = new SentinelStage()
  stage.run(15_000)
  expect(groupOf(stage)).toMatchObject({
    name: 'g',
    master: { host: '10.0.0.1', port: 6379 },
    status: 'ok',
    paused: null,
    reachability: { usable: 3, known: 3, quorum: 2, majority: 2, isQuorumReachable: true },
    confirmed: { by: 3, of: 3, isMajority: true },
    failover: null,
  })
})

test('a Sentinel that hears of no other within down-after is confirmed by nobody but itself', () => {
  const stage = new SentinelStage({ group: { downAfterMs: 5_000 } })
  stage.run(10_000)
  for (const peer of ['peer1', 'peer2']) stage.part(peer).mood = 'gone'
  stage.run(2_400)
  expect(groupOf(stage).confirmed).toEqual({ by: 3, of: 3, isMajority: true })
  stage.run(2_000)
  expect(groupOf(stage)).toMatchObject({
    status: 'ok',
    confirmed: { by: 1, of: 3, isMajority: false },
  })
})

test('with a short down-after the view lapses before the others can replace the master', () => {
  const stage = new SentinelStage({ group: { downAfterMs: 500 } })
  stage.run(10_000)
  for (const peer of ['peer1', 'peer2']) stage.part(peer).mood = 'gone'
  stage.run(501)
  expect(groupOf(stage).confirmed).toEqual({ by: 1, of: 3, isMajority: false })
})

test('a peer that names another master in the same epoch confirms nothing', () => {
  const stage = new SentinelStage()
  stage.run(4_000)
  for (const peer of ['peer1', 'peer2']) stage.part(peer).view.master = '10.0.0.2:6379'
  stage.run(4_000)
  expect(groupOf(stage).confirmed).toEqual({ by: 1, of: 3, isMajority: false })
})

test('in TILT a Sentinel confirms nothing, not even by itself', () => {
  const stage = new SentinelStage({ peers: 0, group: { quorum: 1 } })
  stage.run(4_000)
  expect(groupOf(stage).confirmed).toEqual({ by: 1, of: 1, isMajority: true })
  stage.jump(60_000)
  stage.run(200)
  expect(groupOf(stage).confirmed).toEqual({ by: 0, of: 1, isMajority: false })
})

test('it says which replica would be promoted, and why not the other', () => {
  const stage = new SentinelStage()
  stage.part('replica2').offset = 250
  stage.run(15_000)
  expect(groupOf(stage).ifMasterDied).toMatchObject({
    canAgree: true,
    canElect: true,
    promoted: { host: '10.0.0.3', port: 6379 },
    text: '10.0.0.3:6379 would become the master.',
    others: [
      { host: '10.0.0.2', port: 6379, reason: '10.0.0.3:6379 has 150 bytes more of the data' },
    ],
  })
})

test('what it promises for the death of the master is what a failover then does', () => {
  const stage = new SentinelStage()
  stage.part('replica2').offset = 250
  for (const peer of ['peer1', 'peer2']) stage.part(peer).seesDown = true
  stage.run(15_000)
  const { promoted } = groupOf(stage).ifMasterDied
  stage.kill('master')
  stage.until('+switch-master')
  stage.run(2_000)
  expect(groupOf(stage).master).toEqual(promoted)
})

test('two dead Sentinels of three: nothing would happen, and it says how many are missing', () => {
  const stage = new SentinelStage()
  stage.run(5_000)
  for (const peer of ['peer1', 'peer2']) stage.kill(peer)
  stage.run(5_000)
  const { ifMasterDied, reachability } = groupOf(stage)
  expect(reachability.text).toBe('1 of 3 Sentinels in reach, 2 needed: no failover can be decided')
  expect(ifMasterDied).toMatchObject({ canAgree: false, promoted: null, leader: null })
  expect(ifMasterDied.text).toContain('1 Sentinel is in reach and 2 (quorum)')
})

test('in TILT it says that the others act without it, if they are enough', () => {
  const stage = new SentinelStage()
  stage.part('replica2').offset = 250
  stage.run(15_000)
  stage.jump(60_000)
  stage.run(2_000)
  const { promoted, text, leader } = groupOf(stage).ifMasterDied
  expect(promoted).toEqual({ host: '10.0.0.3', port: 6379 })
  expect(text).toBe(
    '10.0.0.3:6379 would become the master, but not by this Sentinel: it is in TILT, and the others act without it.',
  )
  expect(leader).not.toBe(stage.look(({ state }) => state.myid))
})

test('in TILT nothing happens without it if the others are too few', () => {
  const stage = new SentinelStage({ group: { quorum: 3 } })
  stage.run(15_000)
  stage.jump(60_000)
  stage.run(200)
  expect(groupOf(stage).ifMasterDied).toMatchObject({ promoted: null })
  expect(groupOf(stage).ifMasterDied.text).toMatch(/^Nothing for now: .*too few without it/)
})

test('a replica of priority 0 is shown with its reason', () => {
  const stage = new SentinelStage()
  stage.part('replica1').moreInfo.push('slave_priority:0')
  stage.run(15_000)
  const replica = groupOf(stage).nodes.find(({ host }) => host === '10.0.0.2')
  expect(replica).toMatchObject({ role: 'replica', notPromotable: 'its replica-priority is 0' })
})

test('lag is what the master says that the replica has acknowledged', () => {
  const stage = new SentinelStage({ replicas: 1 })
  stage.part('master').moreInfo.push('master_repl_offset:501')
  stage.run(15_000)
  const [master, replica] = groupOf(stage).nodes
  expect(master?.offset).toBe(501)
  // The master on the stage lists its replica with offset 1.
  expect(replica).toMatchObject({ offset: 100, lagBytes: 500, linkStatus: 'up' })
})

test('in slices it is the same document, without a group that is removed meanwhile', () => {
  const groups = Array.from({ length: 20 }, (_, at) => ({ ...MYMASTER, name: `g${at}` }))
  const { state, now } = new TestSentinel({ groups, replicas: REPLICAS, peers: PEERS })
  const inSlices = (between: () => void) => {
    const made = clusterInSlices(state, now, '1.2.3', new KnownFacts())
    while (made.slice(now)) between()
    return JSON.parse(made.pieces().join(''))
  }
  expect(inSlices(() => {})).toEqual(clusterDocument(state, now, '1.2.3'))
  const rest = inSlices(() => state.groups.delete('g19')).groups
  expect(rest.map(({ name }: GroupDocument) => name)).toEqual(
    groups.slice(0, -1).map((g) => g.name),
  )
})
