/** [client-addresses] What the Sentinel tells data nodes, whose handoffs and redirections name members too. */
import { expect, test } from 'vitest'
import type { ClientAddress } from '../../../src/base/network-addresses.ts'
import { onInfoReply } from '../../../src/core/discovery/info-reply.ts'
import { dataInstancesOf, type Replica } from '../../../src/core/state.ts'
import { bulk } from '../../../src/resp/reply.ts'
import { MYMASTER, REPLICAS, TestSentinel } from '../../support/sentinel-builder.ts'

const OUTSIDE = '203.0.113.0/24'
const TABLE: readonly ClientAddress[] = [
  [OUTSIDE, '10.0.0.1:6379', '198.51.100.7:7001'],
  [OUTSIDE, '10.0.0.2:6380', '198.51.100.7:7002'],
]
const LINE = `${OUTSIDE} 10.0.0.1:6379 198.51.100.7:7001 ${OUTSIDE} 10.0.0.2:6380 198.51.100.7:7002`
const [OURS, REDIS] = [
  'server_name:vedette\r\nrole:slave\r\n',
  'redis_version:7.0.15\r\nrole:slave\r\n',
]

function sentinelWith(clientAddresses = TABLE): { sentinel: TestSentinel; replica: Replica } {
  const groups = [{ ...MYMASTER, clientAddresses }]
  const sentinel = new TestSentinel({ groups, replicas: REPLICAS })
  const [replica] = sentinel.group.replicas.values()
  if (replica === undefined) throw new Error('no replica')
  return { sentinel, replica }
}

/** The tables that the Sentinel has sent since the last call, one for each CONFIG SET. */
function told(sentinel: TestSentinel): readonly string[] {
  const sent = sentinel.effects.flatMap((effect) => (effect.kind === 'send' ? [effect.argv] : []))
  sentinel.effects.length = 0
  return sent.filter(([, , name]) => name === 'client-addresses').map((argv) => argv[3] ?? '')
}

test('a node of ours is told the table with its first INFO, and not again', () => {
  const { sentinel, replica } = sentinelWith()
  sentinel.run((turn) => onInfoReply(turn, replica, bulk(OURS)))
  expect(told(sentinel)).toEqual([LINE])
  sentinel.run((turn) => onInfoReply(turn, replica, bulk(OURS)))
  expect(told(sentinel)).toEqual([])
})

test('on a new connection it is told again, because it may have forgotten', () => {
  const { sentinel, replica } = sentinelWith()
  sentinel.run((turn) => onInfoReply(turn, replica, bulk(OURS)))
  Object.assign(replica.link.command ?? {}, { id: 77 })
  told(sentinel)
  sentinel.run((turn) => onInfoReply(turn, replica, bulk(OURS)))
  expect(told(sentinel)).toEqual([LINE])
})

test('a redis-server, which makes no handoffs, is told nothing', () => {
  const { sentinel, replica } = sentinelWith()
  sentinel.run((turn) => onInfoReply(turn, replica, bulk(REDIS)))
  expect(told(sentinel)).toEqual([])
})

test('no node is told anything where the option is not set', () => {
  const { sentinel, replica } = sentinelWith([])
  sentinel.run((turn) => onInfoReply(turn, replica, bulk(OURS)))
  expect(told(sentinel)).toEqual([])
})

test('SENTINEL SET tells every node of ours at once, also that the last entry is gone', () => {
  const { sentinel } = sentinelWith([])
  for (const one of dataInstancesOf(sentinel.group)) one.infoText = OURS
  const set = `SENTINEL SET mymaster client-addresses ${OUTSIDE} 10.0.0.1:6379`
  sentinel.connect().ask(`${set} 198.51.100.7:7001`)
  const line = `${OUTSIDE} 10.0.0.1:6379 198.51.100.7:7001`
  expect(told(sentinel)).toEqual([line, line, line])
  sentinel.connect().ask(`${set} ""`)
  expect(told(sentinel)).toEqual(['', '', ''])
})

test('a member with a host name is told under every name by which the nodes may know it', () => {
  const table: readonly ClientAddress[] = [[OUTSIDE, 'redis-2.inside:6380', '198.51.100.7:7002']]
  const { sentinel, replica } = sentinelWith(table)
  sentinel.state.names.known.set('redis-2.inside', {
    ...{ address: '10.0.0.2', askedAtMs: 0, isAsked: false, isAnswered: true },
    ...{ failure: undefined, heldHellos: new Map() },
  })
  sentinel.run((turn) => onInfoReply(turn, replica, bulk(OURS)))
  const [first, second] = ['redis-2.inside:6380', '10.0.0.2:6380']
  expect(told(sentinel)).toEqual([
    `${OUTSIDE} ${first} 198.51.100.7:7002 ${OUTSIDE} ${second} 198.51.100.7:7002`,
  ])
})
