/** Clients that close their half and read on (`printf … | nc`): what is carried out for them is answered. */
import { expect, test } from 'vitest'
import type {
  FileAnswer,
  FileRequest,
  FileRequestId,
} from '../../../src/server/persistence/files.ts'
import { NodeHarness } from '../../support/node-harness.ts'
import { wireCommands } from '../../support/wire.ts'

/** A node whose disk answers when the test lets it. */
class SlowDisk extends NodeHarness {
  isSlow = false
  readonly #asked: [FileRequestId, FileRequest][] = []

  override askFile(id: FileRequestId, request: FileRequest): FileAnswer | undefined {
    if (!this.isSlow) return super.askFile(id, request)
    this.#asked.push([id, request])
    return undefined
  }

  answer(): void {
    this.isSlow = false
    for (const [id, request] of this.#asked.splice(0)) {
      this.node.fileAnswered(this.now, id, this.files.ask(request))
    }
  }
}

test('an answer that waits for the disk comes before the end of the connection', () => {
  const node = new SlowDisk({ appendonly: 'yes', appendfsync: 'always' })
  node.advance(10)
  node.isSlow = true
  const client = node.client()
  client.bytes(wireCommands('SET k v', 'INCR n'))
  client.halfClose()
  expect([client.take(), client.isClosed]).toEqual(['', false])
  node.answer()
  expect([client.take(), client.isClosed]).toEqual(['+OK\r\n:1\r\n', true])
})

test('a long answer is written to its end', () => {
  const node = new NodeHarness()
  node.client().send('SET', 'k', 'x'.repeat(5_000_000))
  const client = node.client()
  let got = client.bytes(wireCommands('LRANGE nothing 0 -1', 'GET k', 'PING'))
  client.halfClose()
  for (let turns = 0; turns < 100 && !client.isClosed; turns++) {
    node.advance(1)
    got += client.take()
  }
  expect(got.slice(0, 16)).toBe('*0\r\n$5000000\r\nxx')
  expect([got.endsWith('x\r\n+PONG\r\n'), client.isClosed]).toEqual([true, true])
})

test('what came while the node hung is carried out and answered when it goes on', () => {
  const node = new NodeHarness()
  node.client().say('DEBUG SLEEP 2')
  const client = node.client()
  client.bytes(wireCommands('SET k v', 'GET k'))
  client.halfClose()
  expect(client.isClosed).toBe(false)
  node.advance(2_100)
  expect([client.take(), client.isClosed]).toEqual(['+OK\r\n$1\r\nv\r\n', true])
})

test.each([
  ['blocks', 'BLPOP nothing 0'],
  ['waits for replicas', 'WAIT 1 0'],
])('what %s is not carried out for it: %s', (_, line) => {
  const node = new NodeHarness()
  const client = node.client()
  const got = client.bytes(wireCommands('PING', line, 'SET k v'))
  client.halfClose()
  expect([got, client.isClosed]).toEqual(['+PONG\r\n', true])
  expect(node.client().say('EXISTS k')).toBe(':0\r\n')
})

test('what a pause holds back is not carried out for it, also not later', () => {
  const node = new NodeHarness()
  node.client().say('CLIENT PAUSE 1000 WRITE')
  const client = node.client()
  client.bytes(wireCommands('SET k v'))
  client.halfClose()
  expect(client.isClosed).toBe(true)
  node.advance(1_100)
  expect(node.client().say('EXISTS k')).toBe(':0\r\n')
})

test('a command without an end is not waited for, and a subscriber is let go', () => {
  const node = new NodeHarness()
  const [begun, subscriber] = [node.client(), node.client()]
  begun.bytes('*2\r\n$3\r\nGET\r\n')
  subscriber.say('SUBSCRIBE c')
  for (const client of [begun, subscriber]) client.halfClose()
  expect([begun.isClosed, subscriber.isClosed]).toEqual([true, true])
})
