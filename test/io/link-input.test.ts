import { expect, test } from 'vitest'
import type { Purpose } from '../../src/core/purpose.ts'
import { type Heard, LinkInput } from '../../src/io/link-input.ts'

const PING: Purpose = { kind: 'ping' }
const SUBSCRIBE: Purpose = { kind: 'subscribe' }
const PONG = { kind: 'simple', text: 'PONG' }
const CONFIRMED = '*3\r\n$9\r\nsubscribe\r\n$1\r\nh\r\n:1\r\n'
const MESSAGE = '*3\r\n$7\r\nmessage\r\n$1\r\nh\r\n$2\r\nhi\r\n'

/** What is heard of these pieces once these questions have been put. */
function hear(owed: readonly Purpose[], pieces: Iterable<string>): Heard[] {
  const input = new LinkInput()
  for (const purpose of owed) input.expect(purpose)
  const all: Heard[] = []
  for (const piece of pieces) {
    input.push(piece)
    for (let heard = input.next(); heard !== undefined; heard = input.next()) all.push(heard)
  }
  return all
}

test('messages and replies are told apart, whole or byte by byte', () => {
  const bytes = `${CONFIRMED}${MESSAGE}+PONG\r\n${MESSAGE}`
  const whole = hear([SUBSCRIBE, PING], [bytes])
  expect(whole.map(({ kind }) => kind)).toEqual(['reply', 'message', 'reply', 'message'])
  expect(whole[1]).toEqual({ kind: 'message', channel: 'h', payload: 'hi' })
  expect(whole[2]).toEqual({ kind: 'reply', purpose: PING, reply: PONG })
  expect(hear([SUBSCRIBE, PING], bytes)).toEqual(whole)
})

test('a message before the subscription is confirmed is no message', () => {
  expect(hear([SUBSCRIBE], [MESSAGE])).toEqual([
    { kind: 'fault', reason: 'protocol error: a malformed subscription' },
  ])
})

test('a refused SUBSCRIBE is a reply, and what follows it is no message', () => {
  const heard = hear([SUBSCRIBE], [`-NOPERM no\r\n${MESSAGE}`])
  expect(heard).toEqual([
    { kind: 'reply', purpose: SUBSCRIBE, reply: { kind: 'error', text: 'NOPERM no' } },
    { kind: 'fault', reason: 'protocol error: a reply nobody asked for' },
  ])
})

test('an array of the shape of a message answers whoever asked, on a link that is not subscribed', () => {
  const [heard] = hear([{ kind: 'slaveof' }], [MESSAGE])
  expect(heard).toMatchObject({ kind: 'reply', reply: { kind: 'array' } })
})

test('a RESP3 value inside an array ends the link', () => {
  expect(hear([PING], ['*1\r\n#t\r\n'])).toMatchObject([{ kind: 'fault' }])
})

test('a reply of more than sixteen megabytes ends the link, whatever it is made of', () => {
  const item = `$1000000\r\n${'x'.repeat(1_000_000)}\r\n`
  const pieces = ['*100\r\n', ...Array.from({ length: 20 }, () => item)]
  expect(hear([PING], pieces)).toEqual([
    { kind: 'fault', reason: 'protocol error: reply too large' },
  ])
})
