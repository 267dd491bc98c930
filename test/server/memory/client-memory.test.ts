/** [maxmemory-clients] Who is closed, and what of it all is told. */
import { describe, expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { NodeHarness, type TestClient } from '../../support/node-harness.ts'

const KIB = 1024

/** A request that has not arrived whole. */
function unfinished(bytes: number): string {
  return `*2\r\n$4\r\nECHO\r\n$${2 * bytes}\r\n${'x'.repeat(bytes)}`
}

function holding(node: NodeHarness, ...kib: number[]): TestClient[] {
  return kib.map((each) => {
    const client = node.client()
    client.bytes(unfinished(each * KIB))
    return client
  })
}

describe('above the limit', () => {
  test('those that hold most are closed, until it is kept', () => {
    const node = new NodeHarness({ 'maxmemory-clients': '300kb' })
    const [small, middle, large] = holding(node, 20, 100, 150)
    expect([small, middle, large].map((each) => each?.isClosed)).toEqual([false, false, false])
    const [last] = holding(node, 60)
    expect([small, middle, large, last].map((each) => each?.isClosed)).toEqual([
      ...[false, false, true, false],
    ])
    expect(node.node.services.stats.evictedClients).toBe(1)
    expect(node.logs.join()).toMatch(/closed: it takes 158 KB, .* maxmemory-clients \(300 KB\)/)
  })

  test('nobody is closed that said CLIENT NO-EVICT', () => {
    const node = new NodeHarness({ 'maxmemory-clients': '300kb' })
    const client = node.client()
    client.say('CLIENT NO-EVICT on')
    client.bytes(unfinished(400 * KIB))
    holding(node, 100)
    expect(client.isClosed).toBe(false)
  })

  test('a percentage is one of maxmemory', () => {
    const node = new NodeHarness({ 'maxmemory-clients': '10%', maxmemory: '4mb' })
    const [client] = holding(node, 300)
    expect(client?.isClosed).toBe(false)
    const [other] = holding(node, 350)
    expect(other?.isClosed).toBe(true)
    expect(client?.isClosed).toBe(false)
  })

  test('prefixes that a client tracks count', () => {
    const node = new NodeHarness({ 'maxmemory-clients': '300kb' })
    const client = node.client()
    const prefixes = Array.from({ length: 40 }, (_, at) => `PREFIX ${at}${'x'.repeat(10 * KIB)}`)
    client.say('HELLO 3')
    client.bytes(encodeCommand(`CLIENT TRACKING on BCAST ${prefixes.join(' ')}`.split(' ')))
    expect(client.isClosed).toBe(true)
  })

  test('without maxmemory a percentage is no limit, and a small limit is 128 KB', () => {
    const none = new NodeHarness({ 'maxmemory-clients': '1%' })
    expect(holding(none, 900)[0]?.isClosed).toBe(false)
    const small = new NodeHarness({ 'maxmemory-clients': '1' })
    expect(holding(small, 100)[0]?.isClosed).toBe(false)
    expect(holding(small, 30)[0]?.isClosed).toBe(false)
  })
})

test('what is counted comes back to nothing when all are gone', () => {
  const node = new NodeHarness()
  const { clientMemory } = node.node.services
  const clients = holding(node, 10, 20, 30)
  const queued = node.client()
  queued.say('MULTI')
  queued.bytes(encodeCommand(['SET', 'k', 'x'.repeat(1000)]))
  queued.say('SUBSCRIBE a')
  expect(clientMemory.normalBytes).toBeGreaterThan(60 * KIB)
  for (const client of [...clients, queued]) client.drop()
  expect(clientMemory.normalBytes).toBe(0)
})
