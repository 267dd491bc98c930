/** Which address of a member a client is told, by the network that it comes from. */
import { describe, expect, test } from 'vitest'
import { type ClientAddress, networkOf, tableFault } from '../../../src/base/network-addresses.ts'
import { announce } from '../../../src/core/events.ts'
import { switchMaster } from '../../../src/core/failover/switch.ts'
import { unknownMembers } from '../../../src/core/names/told-address.ts'
import { MYMASTER, PEERS, REPLICAS, TestSentinel } from '../../support/sentinel-builder.ts'
import { wireBulks } from '../../support/wire.ts'

const OUTSIDE = '203.0.113.0/24'
const TABLE: readonly ClientAddress[] = [
  [OUTSIDE, '10.0.0.1:6379', '198.51.100.7:7001'],
  [OUTSIDE, '10.0.0.2:6380', '198.51.100.7:7002'],
  [OUTSIDE, '10.0.0.11:26379', 'sentinel.example.com:7101'],
]

function sentinelWith(clientAddresses = TABLE): TestSentinel {
  return new TestSentinel({
    groups: [{ ...MYMASTER, clientAddresses }],
    replicas: REPLICAS,
    peers: PEERS,
  })
}

/** The values of a field, one for each instance in the answer. */
function valuesOf(answer: string, field: string): readonly (string | undefined)[] {
  const pattern = new RegExp(`\\r\\n${field}\\r\\n\\$\\d+\\r\\n(.*?)\\r\\n`, 'g')
  return [...answer.matchAll(pattern)].map(([, value]) => value)
}

const ASK = 'SENTINEL GET-MASTER-ADDR-BY-NAME mymaster'

test('a client from a listed network is told the address there, any other one the address inside', () => {
  const sentinel = sentinelWith()
  expect(sentinel.connect('203.0.113.40').ask(ASK)).toBe(wireBulks('198.51.100.7', '7001'))
  expect(sentinel.connect('::ffff:203.0.113.40').ask(ASK)).toBe(wireBulks('198.51.100.7', '7001'))
  for (const host of ['203.0.114.1', '10.0.0.9', '127.0.0.1', '[2001:db8::1]']) {
    expect(sentinel.connect(host).ask(ASK)).toBe(wireBulks('10.0.0.1', '6379'))
  }
})

test('REPLICAS, SENTINELS, MASTER and MASTERS show the same addresses; a member without one keeps its own', () => {
  const sentinel = sentinelWith()
  for (const replica of sentinel.group.replicas.values()) {
    Object.assign(replica, { masterHost: '10.0.0.1', masterPort: 6379 })
  }
  const client = sentinel.connect('203.0.113.40')
  const replicas = client.ask('SENTINEL REPLICAS mymaster')
  expect(valuesOf(replicas, 'ip')).toEqual(['198.51.100.7', '10.0.0.3'])
  expect(valuesOf(replicas, 'port')).toEqual(['7002', '6381'])
  expect(valuesOf(replicas, 'name')).toEqual(['10.0.0.2:6380', '10.0.0.3:6381'])
  expect(valuesOf(replicas, 'master-port')).toEqual(['7001', '7001'])
  const peers = client.ask('SENTINEL SENTINELS mymaster')
  expect(valuesOf(peers, 'ip')).toEqual(['sentinel.example.com', '10.0.0.12'])
  for (const words of ['SENTINEL MASTER mymaster', 'SENTINEL MASTERS']) {
    expect(valuesOf(client.ask(words), 'port')).toEqual(['7001'])
  }
})

test('each subscriber hears of a switch by the addresses that fit, and so do those who come later', () => {
  const sentinel = sentinelWith()
  const [inside, outside] = [sentinel.connect('10.0.0.9'), sentinel.connect('203.0.113.40')]
  inside.ask('SUBSCRIBE +switch-master')
  outside.ask('PSUBSCRIBE +switch-master*')
  sentinel.run((turn) => switchMaster(turn, sentinel.group, { host: '10.0.0.2', port: 6380 }))
  expect(inside.read()).toContain('mymaster 10.0.0.1 6379 10.0.0.2 6380')
  const heard = outside.read()
  expect(heard.split('mymaster 198.51.100.7 7001 198.51.100.7 7002')).toHaveLength(3)
  expect(heard).not.toContain('10.0.0.')
  const asking = sentinel.connect('203.0.113.40')
  expect(asking.ask('SENTINEL LAST-SWITCH mymaster')).toContain('7002')
  const late = sentinel.connect('203.0.113.41')
  expect(late.ask('SUBSCRIBE +switch-master-retained')).toContain('7001 198.51.100.7 7002')
})

test('the log, scripts and peers keep the addresses inside', () => {
  const sentinel = sentinelWith()
  sentinel.connect('203.0.113.40').ask('SUBSCRIBE +switch-master')
  sentinel.run((turn) => switchMaster(turn, sentinel.group, { host: '10.0.0.2', port: 6380 }))
  expect(JSON.stringify(sentinel.effects)).not.toContain('198.51.100.7')
})

test('events about an instance describe it by the address that fits', () => {
  const sentinel = sentinelWith()
  const outside = sentinel.connect('203.0.113.40')
  outside.ask('SUBSCRIBE +sdown')
  sentinel.run((turn) => announce(turn, '+sdown', sentinel.group.master))
  expect(outside.read()).toContain('master mymaster 198.51.100.7 7001')
})

describe('0.0.0.0/0', () => {
  const table: readonly ClientAddress[] = [
    ['0.0.0.0/0', '10.0.0.1:6379', '198.51.100.7:7001'],
    ['10.0.0.0/8', '10.0.0.1:6379', '10.0.0.1:6379'],
  ]

  test.each([
    ['198.18.0.1', '0.0.0.0/0'],
    ['10.200.0.1', '10.0.0.0/8'],
    ['127.0.0.1', undefined],
    ['::1', undefined],
    ['/run/vedette.sock', undefined],
  ])('a client at %s comes from %s', (host, network) => {
    expect(networkOf(table, host)).toBe(network)
  })

  test('it holds for those who come from no other network, and not for the own machine', () => {
    const sentinel = sentinelWith(table)
    expect(sentinel.connect('198.18.0.1').ask(ASK)).toBe(wireBulks('198.51.100.7', '7001'))
    expect(sentinel.connect('10.200.0.1').ask(ASK)).toBe(wireBulks('10.0.0.1', '6379'))
  })
})

describe('what is refused, and why', () => {
  const entry = (network: string, member = '10.0.0.1:6379', announced = '198.51.100.7:7001') =>
    [network, member, announced] as const

  test.each<readonly [ClientAddress[], string]>([
    [[entry('2001:db8::/32')], 'IPv6 network'],
    [[entry('203.0.113.0')], '203.0.113.0/32'],
    [[entry('203.0.113.9/24')], 'that is 203.0.113.0/24'],
    [[entry('203.0.113.0/33')], 'is no network'],
    [[entry('everywhere')], 'is no network'],
    [[entry(OUTSIDE, '10.0.0.1')], 'is no address of a member'],
    [[entry(OUTSIDE, '10.0.0.1:0')], 'is no address of a member'],
    [[entry(OUTSIDE, '10.0.0.300:6379')], 'is no address of a member'],
    [[entry(OUTSIDE, '[::1]:6379')], 'IPv6 address'],
    [[entry(OUTSIDE, '10.0.0.1:6379', '2001:db8::1:6379')], 'IPv6 address'],
    [[entry('10.0.0.0/8'), entry('10.1.0.0/16')], 'overlap'],
    [[entry('128.0.0.0/2'), entry('191.0.0.0/8')], 'overlap'],
    [[entry(OUTSIDE), entry(OUTSIDE, '10.0.0.1:6379', 'x:1')], 'two addresses of 10.0.0.1:6379'],
    [[entry(OUTSIDE), entry(OUTSIDE, '10.0.0.2:6380')], 'could not tell them apart'],
  ])('%j', (table, reason) => {
    expect(tableFault(table)).toContain(reason)
  })

  test('neighbours do not overlap, and 0.0.0.0/0 overlaps nothing', () => {
    const table = [entry('10.0.0.0/9'), entry('10.128.0.0/9'), entry('0.0.0.0/0')]
    expect(tableFault(table)).toBeUndefined()
  })
})

describe('SENTINEL SET', () => {
  const SET = 'SENTINEL SET mymaster client-addresses'

  test('adds, changes and takes away one entry', () => {
    const sentinel = sentinelWith([])
    const client = sentinel.connect()
    const set = (announced: string) => client.ask(`${SET} ${OUTSIDE} 10.0.0.2:6380 ${announced}`)
    expect(set('198.51.100.7:7002')).toBe('+OK\r\n')
    expect(set('198.51.100.7:7003')).toBe('+OK\r\n')
    expect(sentinel.group.config.clientAddresses).toEqual([
      [OUTSIDE, '10.0.0.2:6380', '198.51.100.7:7003'],
    ])
    expect(set('""')).toBe('+OK\r\n')
    expect(sentinel.group.config.clientAddresses).toEqual([])
  })

  test('says what is wrong, and changes nothing', () => {
    const sentinel = sentinelWith()
    const client = sentinel.connect()
    expect(client.ask(`${SET} 203.0.113.0/25 10.0.0.3:6381 198.51.100.7:7003`)).toContain('overlap')
    expect(client.ask(`${SET} ${OUTSIDE} 10.0.0.77:6379 198.51.100.7:7003`)).toBe(
      "-ERR client-addresses: '10.0.0.77:6379' is no member of mymaster: it has 10.0.0.1:6379, 10.0.0.2:6380, 10.0.0.3:6381, 10.0.0.11:26379, 10.0.0.12:26379\r\n",
    )
    expect(sentinel.group.config.clientAddresses).toEqual(TABLE)
  })

  test('knows the Sentinel itself as a member', () => {
    const sentinel = sentinelWith([])
    Object.assign(sentinel.group.master.link.command ?? {}, { localHost: '10.0.0.10' })
    const answer = sentinel.connect().ask(`${SET} ${OUTSIDE} 10.0.0.10:26379 198.51.100.7:7103`)
    expect(answer).toBe('+OK\r\n')
  })
})

test('a member in the file that is not there is remarked on', () => {
  const sentinel = sentinelWith([...TABLE, [OUTSIDE, '10.0.0.9:6379', '198.51.100.7:7009']])
  expect(unknownMembers(sentinel.state, sentinel.group)).toEqual(['10.0.0.9:6379'])
  expect(sentinel.connect().ask('INFO vedette')).toContain('names no member: 10.0.0.9:6379')
})
