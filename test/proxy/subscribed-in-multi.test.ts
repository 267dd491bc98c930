/** SUBSCRIBE in a transaction: EXEC counts it as one element, and a server sends one for each channel. */
import { expect, test } from 'vitest'
import { A, B, ProxyStage } from '../support/proxy-stage.ts'

function confirm(word: string, channel: string, count: number): string {
  return `*3\r\n$${word.length}\r\n${word}\r\n$${channel.length}\r\n${channel}\r\n:${count}`
}

const MESSAGE = '*3\r\n$7\r\nmessage\r\n$1\r\nb\r\n$5\r\nhello'
const QUEUED = ['+OK', '+QUEUED', '+QUEUED'] as const
/** redis-server 7.0.15: PING after two channels stands behind the array of two. */
const EXEC = `*2\r\n${confirm('subscribe', 'a', 1)}\r\n${confirm('subscribe', 'b', 2)}`
const PONG = '*2\r\n$4\r\npong\r\n$0\r\n'

function subscribed() {
  const stage = new ProxyStage()
  const client = stage.client()
  client.sends('MULTI', 'SUBSCRIBE a b', 'PING', 'EXEC', 'PING x')
  stage.server(A).says(...QUEUED, EXEC, PONG)
  const server = stage.server(A)
  server.takes()
  return { stage, client, server }
}

test('all replies of EXEC are its own, and what follows has its own answer', () => {
  const { client, server } = subscribed()
  expect(client.takes()).toBe(`${[...QUEUED, EXEC, PONG].join('\r\n')}\r\n`)
  server.says('*2\r\n$4\r\npong\r\n$1\r\nx')
  expect(client.takes()).toBe('*2\r\n$4\r\npong\r\n$1\r\nx\r\n')
})

test('messages reach the client, and the next master is subscribed, too', () => {
  const { stage, client, server } = subscribed()
  server.says('*2\r\n$4\r\npong\r\n$1\r\nx')
  client.takes()
  server.says(MESSAGE)
  expect(client.takes()).toBe(`${MESSAGE}\r\n`)
  stage.switchTo(B)
  expect(stage.server(B).takes()).toEqual(['SUBSCRIBE a b'])
})

test('an error behind the array ends nothing', () => {
  const { client, server } = (() => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('MULTI', 'SUBSCRIBE a b', 'INCR text', 'EXEC', 'PING x')
    return { client, server: stage.server(A) }
  })()
  server.says(...QUEUED, EXEC, '-ERR value is not an integer or out of range', PONG)
  expect(client.takes()).toMatch(
    /:2\r\n-ERR value is not [^\r]*\r\n\*2\r\n\$4\r\npong\r\n\$0\r\n\r\n$/,
  )
})

test('after an EXEC that did nothing, nothing is subscribed', () => {
  const stage = new ProxyStage()
  const client = stage.client()
  client.sends('WATCH k', 'MULTI', 'SUBSCRIBE a b', 'EXEC')
  stage.server(A).says('+OK', '+OK', '+QUEUED', '*-1')
  client.takes()
  client.sends('UNSUBSCRIBE', 'GET k', 'GET l')
  stage.server(A).says('*3\r\n$11\r\nunsubscribe\r\n$-1\r\n:0', '$1\r\n7')
  stage.server(A).breaks()
  stage.switchTo(B)
  // Of all that was asked only the last one is owed.
  expect(stage.server(B).takes()).toEqual(['GET l'])
})

test.each([
  '*2\r\n$003\r\nGET\r\n$1\r\nk\r\n',
  '*2\r\n$3\r\nGET\r\n$01\r\nk\r\n',
  '*01\r\n$4\r\nPING\r\n',
  '*00\r\n',
])('zeros before a number are refused as by a server: %j', (bytes) => {
  const stage = new ProxyStage()
  const client = stage.client()
  client.sendsBytes(bytes)
  expect(client.takes()).toMatch(/^-ERR Protocol error: invalid (multi)?bulk length\r\n$/)
  expect(client.isClosed).toBe(true)
})
