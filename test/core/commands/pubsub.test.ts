import { expect, test } from 'vitest'
import { MAX_SUBSCRIBED_BYTES, publish } from '../../../src/core/clients/subscriptions.ts'
import { HELLO_CHANNEL } from '../../../src/core/discovery/hello-format.ts'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { MYID, TestSentinel } from '../../support/sentinel-builder.ts'
import { wireBulks } from '../../support/wire.ts'

function frame(verb: string, name: string | null, count: number): string {
  const topic = name === null ? '$-1\r\n' : `$${name.length}\r\n${name}\r\n`
  return `*3\r\n$${verb.length}\r\n${verb}\r\n${topic}:${count}\r\n`
}

test('each name is confirmed on its own, with the total of channels and patterns', () => {
  const client = new TestSentinel().connect()
  expect(client.ask('SUBSCRIBE a b a')).toBe(
    frame('subscribe', 'a', 1) + frame('subscribe', 'b', 2) + frame('subscribe', 'a', 2),
  )
  expect(client.ask('PSUBSCRIBE *')).toBe(frame('psubscribe', '*', 3))
  expect(client.ask('UNSUBSCRIBE b nope')).toBe(
    frame('unsubscribe', 'b', 2) + frame('unsubscribe', 'nope', 2),
  )
  expect(client.ask('UNSUBSCRIBE')).toBe(frame('unsubscribe', 'a', 1))
  expect(client.ask('PUNSUBSCRIBE')).toBe(frame('punsubscribe', '*', 0))
})

test('leaving everything when there is nothing to leave is confirmed once, with null', () => {
  const client = new TestSentinel().connect()
  expect(client.ask('UNSUBSCRIBE')).toBe(frame('unsubscribe', null, 0))
  expect(client.ask('PUNSUBSCRIBE')).toBe(frame('punsubscribe', null, 0))
})

test('an event reaches a client once for its channel and once for each pattern that matches', () => {
  const sentinel = new TestSentinel()
  const [listener, other] = [sentinel.connect(), sentinel.connect()]
  listener.ask('SUBSCRIBE +sdown')
  listener.ask('PSUBSCRIBE * +s* -*')
  sentinel.run((turn) => publish(turn, '+sdown', () => 'master m'))
  expect(listener.read()).toBe(
    wireBulks('message', '+sdown', 'master m') +
      wireBulks('pmessage', '*', '+sdown', 'master m') +
      wireBulks('pmessage', '+s*', '+sdown', 'master m'),
  )
  expect(other.read()).toBe('')
})

test('in RESP3 confirmations and events are pushes', () => {
  const sentinel = new TestSentinel()
  const client = sentinel.connect()
  client.ask('HELLO 3')
  expect(client.ask('SUBSCRIBE +tilt')).toBe(`>${frame('subscribe', '+tilt', 1).slice(1)}`)
  sentinel.run((turn) => publish(turn, '+tilt', () => 'x'))
  expect(client.read()).toBe(`>${wireBulks('message', '+tilt', 'x').slice(1)}`)
})

test('a client that has gone hears nothing more', () => {
  const sentinel = new TestSentinel()
  const client = sentinel.connect()
  client.ask('SUBSCRIBE +tilt')
  client.leave()
  sentinel.run((turn) => publish(turn, '+tilt', () => 'x'))
  expect(client.read()).toBe('')
})

test('what an operator changes is heard by whoever listens', () => {
  const sentinel = new TestSentinel()
  const [listener, operator] = [sentinel.connect(), sentinel.connect()]
  listener.ask('PSUBSCRIBE *')
  operator.ask('SENTINEL SET mymaster quorum 1')
  expect(listener.read()).toBe(
    wireBulks('pmessage', '*', '+set', 'master mymaster 10.0.0.1 6379 quorum 1'),
  )
})

test('one connection cannot fill our memory with names', () => {
  const client = new TestSentinel().connect()
  const half = (letter: string) => letter.repeat(MAX_SUBSCRIBED_BYTES / 2)
  const answers = ['a', 'b', 'c'].map((letter) =>
    client.send(encodeCommand(['SUBSCRIBE', half(letter)])).slice(0, 4),
  )
  expect(answers).toEqual(['*3\r\n', '*3\r\n', '-ERR'])
  client.send(encodeCommand(['UNSUBSCRIBE', half('a')]))
  expect(client.send(encodeCommand(['SUBSCRIBE', half('c')]))).toMatch(/:2\r\n$/)
})

test('PUBLISH takes hellos only, and passes nothing on to subscribers', () => {
  const sentinel = new TestSentinel()
  const [listener, peer] = [sentinel.connect(), sentinel.connect()]
  listener.ask('PSUBSCRIBE *')
  listener.read()
  expect(peer.ask('PUBLISH a b')).toBe(
    '-ERR Only HELLO messages are accepted by Sentinel instances.\r\n',
  )
  expect(peer.ask(`PUBLISH ${HELLO_CHANNEL.toUpperCase()} b`)).toMatch(/^-ERR Only HELLO/)
  expect(peer.ask(`PUBLISH ${HELLO_CHANNEL} nonsense`)).toBe(':1\r\n')
  expect(listener.read()).toBe('')
})

test('a hello sent straight to us makes its sender a peer', () => {
  const sentinel = new TestSentinel()
  const runId = 'c'.repeat(40)
  const hello = `10.0.0.13,26379,${runId},0,mymaster,10.0.0.1,6379,0`
  expect(sentinel.connect().ask(`PUBLISH ${HELLO_CHANNEL} ${hello}`)).toBe(':1\r\n')
  expect([...sentinel.group.peers.keys()]).toEqual([runId])
})

test('nobody can make us our own peer', () => {
  const sentinel = new TestSentinel()
  const hello = `10.0.0.13,26379,${MYID},0,mymaster,10.0.0.1,6379,0`
  sentinel.connect().ask(`PUBLISH ${HELLO_CHANNEL} ${hello}`)
  expect(sentinel.group.peers.size).toBe(0)
})
