/** What strangers and lying instances can make a Sentinel keep is bounded, however much they send. */
import { expect, test } from 'vitest'
import { parseHello } from '../../src/core/discovery/hello-format.ts'
import { parseInfo } from '../../src/core/discovery/info-parser.ts'
import { announce } from '../../src/core/events.ts'
import { step } from '../../src/core/step.ts'
import { REPLICAS, TestSentinel } from '../support/sentinel-builder.ts'

const QUESTION = 'SENTINEL MASTERS\r\n'
const PROMISED_BYTES = 256 * 1024
const MEBIBYTE = 1024 * 1024

test('a client that takes no answers is given a quarter of a megabyte of them and not read further', () => {
  const sentinel = new TestSentinel()
  sentinel.clientsRead = false
  const client = sentinel.connect()
  const one = client.send(QUESTION).length
  const received = client.send(QUESTION.repeat(3_000)).length
  expect(received).toBeGreaterThan(PROMISED_BYTES / 2)
  expect(received).toBeLessThan(PROMISED_BYTES + 3 * one)
  expect(sentinel.effects).toContainEqual({ kind: 'awaitDrain', client: client.id })
  expect(client.send(QUESTION)).toBe('')
})

test('a client that takes its answers gets them all, in their order', () => {
  const sentinel = new TestSentinel()
  const client = sentinel.connect()
  const one = client.send('PING x\r\n')
  expect(client.send(`${QUESTION.repeat(3_000)}PING y\r\n`)).toMatch(/\$1\r\ny\r\n$/)
  expect(one).toBe('$1\r\nx\r\n')
  expect(client.isClosed).toBe(false)
})

test('what a client asked while it was held is answered when it has taken what came before', () => {
  const sentinel = new TestSentinel()
  sentinel.clientsRead = false
  const client = sentinel.connect()
  client.send(QUESTION.repeat(1_000))
  expect(client.send('PING later\r\n')).toBe('')
  sentinel.clientsRead = true
  sentinel.run((turn) => turn.effects.push(...step(turn.state, turn.now, drained(client.id))))
  expect(client.read()).toContain('later')
})

function drained(client: number) {
  return { kind: 'drained', client } as const
}

test('a held client that listens hears events all the same', () => {
  const sentinel = new TestSentinel()
  sentinel.clientsRead = false
  const client = sentinel.connect()
  client.send('HELLO 3\r\nSUBSCRIBE +tilt\r\n')
  client.send(QUESTION.repeat(1_000))
  sentinel.run((turn) => announce(turn, '+tilt', undefined))
  expect(client.read()).toContain('#tilt mode entered')
})

test('of clients whose requests never end those with most are closed, until all hold 64 MiB', () => {
  const sentinel = new TestSentinel()
  const argument = `$${MEBIBYTE}\r\n${'x'.repeat(MEBIBYTE)}\r\n`
  const clients = Array.from({ length: 30 }, () => sentinel.connect())
  for (const client of clients) client.send(`*9\r\n${argument.repeat(3)}$${MEBIBYTE}\r\n`)
  const left = clients.filter(({ isClosed }) => !isClosed)
  expect(left.length).toBeLessThanOrEqual(23)
  expect(left.length).toBeGreaterThan(15)
  const said = sentinel.effects.filter((effect) => effect.kind === 'log')
  expect(said[0]).toMatchObject({ level: 'warning', text: expect.stringContaining('is closed') })
})

test('no request has more than ten thousand words', () => {
  const client = new TestSentinel().connect()
  expect(client.send('*10001\r\n')).toBe('-ERR Protocol error: invalid multibulk length\r\n')
  expect(client.isClosed).toBe(true)
})

test('an instance that talks nonsense is named once, with what is wrong, and connected to again', () => {
  const sentinel = new TestSentinel({ replicas: REPLICAS })
  for (let at = 0; at < 5; at++) {
    sentinel.advance(2_000)
    const connection = sentinel.group.master.link.command
    const link = connection?.id ?? 0
    const reason = 'protocol error: more than 64 values in one reply'
    const event = { kind: 'linkLost', link, reason, isRefused: false } as const
    sentinel.run((turn) => turn.effects.push(...step(turn.state, turn.now, event)))
    expect(sentinel.group.master.link.command?.id).not.toBe(link)
  }
  const said = sentinel.effects.filter(
    (effect) => effect.kind === 'log' && effect.text.includes('no Redis says'),
  )
  expect(said).toHaveLength(1)
  expect(said[0]).toMatchObject({
    level: 'warning',
    text: expect.stringMatching(/^master mymaster \(10\.0\.0\.1:6379\) says .*more than 64 values/),
  })
})

test('of an INFO without an end only its beginning is kept, cut at the end of a line', () => {
  const sentinel = new TestSentinel({ replicas: REPLICAS })
  const [replica] = sentinel.group.replicas.values()
  const link = replica?.link.command?.id ?? 0
  const bytes = `role:slave\r\n${'odd:line\r\n'.repeat(300_000)}`
  const event = {
    kind: 'reply',
    link,
    purpose: { kind: 'info' },
    reply: { kind: 'bulk', bytes },
  } as const
  sentinel.run((turn) => turn.effects.push(...step(turn.state, turn.now, event)))
  expect(replica?.infoText.length).toBeLessThanOrEqual(64 * 1024)
  expect(replica?.infoText.endsWith('odd:line\r\n')).toBe(true)
})

test('a name that no host can have is passed over', () => {
  const long = 'h'.repeat(300)
  const { masterHost, replicas } = parseInfo(`master_host:${long}\r\nslave0:ip=${long},port=1\r\n`)
  expect(masterHost).toBe('?')
  expect(replicas).toEqual([])
})

test('a hello of many kilobytes is none', () => {
  const hello = (group: string) => `10.0.0.1,26379,${'a'.repeat(40)},1,${group},10.0.0.2,6379,1`
  expect(parseHello(hello('mymaster'))).toMatchObject({ group: 'mymaster' })
  expect(parseHello(hello('g'.repeat(5_000)))).toBeUndefined()
})
