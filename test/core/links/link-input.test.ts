import { expect, test } from 'vitest'
import { type Heard, KnownPieces, LinkInput } from '../../../src/core/links/link-input.ts'
import type { Purpose } from '../../../src/core/purpose.ts'

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

const INFO: Purpose = { kind: 'info' }

function fault(text: string): Heard {
  return { kind: 'fault', reason: `protocol error: ${text}` }
}

test('a reply of more than a hundred kilobytes ends the link, whatever it is made of', () => {
  const item = `$10000\r\n${'x'.repeat(10_000)}\r\n`
  const pieces = ['*60\r\n', ...Array.from({ length: 20 }, () => item)]
  expect(hear([PING], pieces)).toEqual([fault('reply too large')])
})

test('only INFO may be long, and no longer than four megabytes', () => {
  const long = `$1000000\r\n${'x'.repeat(1_000_000)}\r\n`
  expect(hear([INFO], [long])).toMatchObject([{ kind: 'reply' }])
  expect(hear([PING, INFO], ['$1000000\r\n'])).toEqual([fault('invalid bulk length')])
  expect(hear([INFO], ['$5000000\r\n'])).toEqual([fault('invalid bulk length')])
  expect(hear([INFO, PING], [long, long])).toMatchObject([{ kind: 'reply' }, { kind: 'fault' }])
})

test('a list of five hundred million ends the link at its header, before one of them is kept', () => {
  const absurd = [fault('more than 64 values in one reply')]
  expect(hear([INFO], ['*500000000\r\n'])).toEqual(absurd)
  expect(hear([PING], ['%40\r\n'])).toEqual(absurd)
  expect(hear([PING], ['*60\r\n', '*5\r\n'])).toEqual(absurd)
  expect(hear([PING], ['*1\r\n'.repeat(10)])).toEqual([fault('nested too deeply')])
})

test('lines and attributes without an end end the link', () => {
  expect(hear([PING], [`+${'x'.repeat(70_000)}`])).toEqual([fault('line too long')])
  expect(hear([PING], ['|0\r\n'.repeat(40_000)])).toEqual([fault('reply too large')])
  expect(hear([PING], ['\n'.repeat(140_000)])).toEqual([fault('reply too large')])
})

const HELLO = '*3\r\n$7\r\nmessage\r\n$1\r\nh\r\n$5\r\nhello\r\n'

/** A subscribed link that shares what is known with others. */
function subscribed(pieces: KnownPieces): LinkInput {
  const input = new LinkInput(pieces)
  input.expect(SUBSCRIBE)
  input.push(CONFIRMED)
  input.next()
  return input
}

function drain(input: LinkInput): Heard[] {
  const all: Heard[] = []
  for (let heard = input.next(); heard !== undefined; heard = input.next()) all.push(heard)
  return all
}

test('a piece that was heard before, on any link, is heard as the very same string', () => {
  const pieces = new KnownPieces()
  const [one, other] = [subscribed(pieces), subscribed(pieces)]
  one.push(HELLO)
  const first = drain(one)
  expect(first).toEqual([{ kind: 'message', channel: 'h', payload: 'hello' }])
  expect(pieces.repliesIn(HELLO)).toHaveLength(1)
  other.push(HELLO)
  expect(drain(other)).toEqual(first)
})

test('a known piece in the middle of a reply is no piece', () => {
  const pieces = new KnownPieces()
  drain(subscribed(pieces))
  const input = subscribed(pieces)
  input.push(HELLO)
  drain(input)
  input.push(`*3\r\n$7\r\nmessage\r\n$1\r\nh\r\n$${HELLO.length}\r\n`)
  expect(drain(input)).toEqual([])
  input.push(HELLO)
  input.push('\r\n')
  expect(drain(input)).toEqual([{ kind: 'message', channel: 'h', payload: HELLO }])
})

test('pieces that come before the last one was drained keep their order', () => {
  const input = subscribed(new KnownPieces())
  input.push(HELLO)
  drain(input)
  for (const piece of [HELLO, MESSAGE, HELLO]) input.push(piece)
  expect(drain(input).map((heard) => heard.kind === 'message' && heard.payload)).toEqual([
    'hello',
    'hi',
    'hello',
  ])
})

test('what is known of a piece depends on who hears it: an answer here is a message there', () => {
  const pieces = new KnownPieces()
  const [asking, listening] = [new LinkInput(pieces), subscribed(pieces)]
  for (const input of [asking, listening]) input.push(MESSAGE)
  asking.expect({ kind: 'slaveof' })
  expect(drain(asking)).toMatchObject([{ kind: 'reply', purpose: { kind: 'slaveof' } }])
  expect(drain(listening)).toMatchObject([{ kind: 'message' }])
})

test('after a fault a known piece is not heard either', () => {
  const input = subscribed(new KnownPieces())
  input.push(HELLO)
  drain(input)
  input.push('what?\r\n')
  expect(drain(input)).toMatchObject([{ kind: 'fault' }])
  input.push(HELLO)
  expect(drain(input)).toEqual([])
})

test('pieces that are too long, or hold many replies, or are too many, are not kept', () => {
  const pieces = new KnownPieces()
  const long = `+${'x'.repeat(600)}\r\n`
  const many = '+PONG\r\n'.repeat(5)
  for (const piece of [long, many])
    pieces.keep(piece, piece === many ? Array(5).fill(PONG) : [PONG])
  expect([long, many].map((piece) => pieces.repliesIn(piece))).toEqual([undefined, undefined])
  for (let number = 0; number <= 8192; number++) pieces.keep(`:${number}\r\n`, [])
  expect([pieces.repliesIn(':0\r\n'), pieces.repliesIn(':8192\r\n')]).toEqual([undefined, []])
})
