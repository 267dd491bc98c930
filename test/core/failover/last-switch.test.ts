/** What a client that comes late can learn of the last switch, and what stock clients are spared. */
import { expect, test } from 'vitest'
import { RETAINED_CHANNEL } from '../../../src/core/failover/last-switch.ts'
import { switchMaster } from '../../../src/core/failover/switch.ts'
import {
  MYMASTER,
  REPLICAS,
  type TestClient,
  TestSentinel,
} from '../../support/sentinel-builder.ts'
import { wireBulk, wireBulks } from '../../support/wire.ts'

const [FIRST, SECOND] = REPLICAS as readonly [{ host: string; port: number }, (typeof REPLICAS)[0]]
const OTHER = { ...MYMASTER, name: 'other', host: '10.0.1.1' }
const TO_FIRST = 'mymaster 10.0.0.1 6379 10.0.0.2 6380'
const NONE = '*-1\r\n'

function subscribed(client: TestClient, channel: string): string {
  return client
    .ask(`SUBSCRIBE ${channel}`)
    .replace(/^\*3\r\n\$9\r\nsubscribe\r\n.*\r\n.*\r\n:\d+\r\n/, '')
}

function switchTo(
  sentinel: TestSentinel,
  to: { host: string; port: number },
  group = sentinel.group,
) {
  group.configEpoch++
  sentinel.run((turn) => switchMaster(turn, group, to))
}

test('LAST-SWITCH is null until there was one, and then says from where, to where, in which epoch, how long ago', () => {
  const sentinel = new TestSentinel({ replicas: REPLICAS, configEpoch: 6 })
  const client = sentinel.connect()
  expect(client.ask('SENTINEL LAST-SWITCH mymaster')).toBe(NONE)
  switchTo(sentinel, FIRST)
  sentinel.advance(1_500.7)
  const words = ['10.0.0.1', '6379', '10.0.0.2', '6380'].map(wireBulk).join('')
  expect(client.ask('SENTINEL LAST-SWITCH mymaster')).toBe(`*6\r\n${words}:7\r\n:1500\r\n`)
})

test('LAST-SWITCH of an unknown group is an error like that of other questions', () => {
  const client = new TestSentinel().connect()
  expect(client.ask('SENTINEL LAST-SWITCH nope')).toBe('-ERR No such master with that name\r\n')
})

test('a new subscriber is told the last switch of each group right behind the confirmation, oldest first', () => {
  const sentinel = new TestSentinel({ groups: [MYMASTER, OTHER] })
  const other = sentinel.state.groups.get('other')
  switchTo(sentinel, SECOND, other)
  sentinel.advance(10)
  switchTo(sentinel, SECOND)
  sentinel.advance(10)
  switchTo(sentinel, FIRST)
  expect(subscribed(sentinel.connect(), RETAINED_CHANNEL)).toBe(
    wireBulks('message', RETAINED_CHANNEL, 'other 10.0.1.1 6379 10.0.0.3 6381') +
      wireBulks('message', RETAINED_CHANNEL, 'mymaster 10.0.0.3 6381 10.0.0.2 6380'),
  )
})

test('a subscriber hears every later switch as it happens, in the words of +switch-master', () => {
  const sentinel = new TestSentinel({ replicas: REPLICAS })
  const client = sentinel.connect()
  expect(subscribed(client, RETAINED_CHANNEL)).toBe('')
  client.ask('SUBSCRIBE +switch-master')
  switchTo(sentinel, FIRST)
  expect(client.read()).toBe(
    wireBulks('message', '+switch-master', TO_FIRST) +
      wireBulks('message', RETAINED_CHANNEL, TO_FIRST),
  )
})

test('+switch-master itself is never replayed', () => {
  const sentinel = new TestSentinel()
  switchTo(sentinel, FIRST)
  expect(subscribed(sentinel.connect(), '+switch-master')).toBe('')
})

test('a pattern that matches is told of later switches only', () => {
  const sentinel = new TestSentinel()
  switchTo(sentinel, FIRST)
  const client = sentinel.connect()
  expect(client.ask('PSUBSCRIBE +switch-master-*')).not.toContain('mymaster')
  expect(client.ask(`PSUBSCRIBE ${RETAINED_CHANNEL}`)).not.toContain('mymaster')
  switchTo(sentinel, SECOND)
  expect(client.read()).toContain('mymaster 10.0.0.2 6380 10.0.0.3 6381')
})

test('the switch outlives RESET, and goes with REMOVE', () => {
  const sentinel = new TestSentinel()
  switchTo(sentinel, FIRST)
  const client = sentinel.connect()
  client.ask('SENTINEL RESET *')
  expect(client.ask('SENTINEL LAST-SWITCH mymaster')).toContain('10.0.0.2')
  client.ask('SENTINEL REMOVE mymaster')
  client.ask('SENTINEL MONITOR mymaster 10.0.0.9 6379 2')
  expect(client.ask('SENTINEL LAST-SWITCH mymaster')).toBe(NONE)
})

test('a user needs the permission for the command, and for the channel', () => {
  const users = [
    ['asks', 'on', 'nopass', '+sentinel|last-switch'],
    ['listens', 'on', 'nopass', '+subscribe', 'resetchannels', `&${RETAINED_CHANNEL}`],
  ]
  const sentinel = new TestSentinel({ users })
  const [asks, listens] = [sentinel.connect(), sentinel.connect()]
  asks.ask('AUTH asks x')
  listens.ask('AUTH listens x')
  expect(asks.ask('SENTINEL LAST-SWITCH mymaster')).toBe(NONE)
  expect(asks.ask(`SUBSCRIBE ${RETAINED_CHANNEL}`)).toMatch(/^-NOPERM/)
  expect(listens.ask('SENTINEL LAST-SWITCH mymaster')).toMatch(/^-NOPERM/)
  expect(listens.ask(`SUBSCRIBE ${RETAINED_CHANNEL}`)).toMatch(/^\*3/)
})
