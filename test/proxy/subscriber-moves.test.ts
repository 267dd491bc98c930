/** A subscriber whose subscriptions are carried to the next master, while that already sends messages, or refuses. */
import { expect, test } from 'vitest'
import { A, B, ProxyStage } from '../support/proxy-stage.ts'

const [ONE, TWO] = ['one', 'all*'].map((name, at) => {
  const word = at === 0 ? 'subscribe' : 'psubscribe'
  return `*3\r\n$${word.length}\r\n${word}\r\n$${name.length}\r\n${name}\r\n:${at + 1}\r\n`
}) as [string, string]

function moved() {
  const stage = new ProxyStage()
  const client = stage.client()
  client.sends('SUBSCRIBE one', 'PSUBSCRIBE all*')
  stage.server(A).saysBytes(ONE + TWO)
  client.takes()
  stage.switchTo(B)
  return { stage, client, server: stage.server(B) }
}

test('a long message that comes in pieces between two confirmations reaches it whole, and counts as none', () => {
  const { stage, client, server } = moved()
  const message = `*3\r\n$7\r\nmessage\r\n$3\r\none\r\n$4000\r\n${'m'.repeat(4_000)}\r\n`
  server.saysBytes(ONE + message.slice(0, 2_000))
  server.saysBytes(message.slice(2_000) + TWO)
  expect(client.takes()).toBe(message)
  client.sends('SUBSCRIBE three')
  expect(server.takes()).toEqual(['SUBSCRIBE one', 'PSUBSCRIBE all*', 'SUBSCRIBE three'])
  stage.pass(2_000)
  expect(stage.connections(B)).toBe(1)
})

test('it is closed if the next master refuses a channel', () => {
  const { client, server } = moved()
  server.says(ONE.trimEnd(), "-NOPERM this user has no permissions to access the 'all*' channel")
  expect(client.isClosed).toBe(true)
})
