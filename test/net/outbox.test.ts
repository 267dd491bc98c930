import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Connections } from '../../src/io/network/connections.ts'

let port: number
let connections: Connections
const cleanups: (() => void)[] = []

/** Connections get the ids 1, 2, … */
beforeEach(async () => {
  connections = new Connections({ received: () => undefined, closed: () => undefined })
  let last = 0
  const server = createServer((socket) => connections.add(++last, socket)).listen(0, '127.0.0.1')
  cleanups.push(() => server.close())
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})

/** The other end of the connection with this id, which is the next. */
async function peerOf(id: number): Promise<Socket> {
  const peer = connect(port, '127.0.0.1')
  cleanups.push(() => peer.destroy())
  await vi.waitUntil(() => connections.has(id))
  return peer.pause()
}

afterEach(() => {
  connections.abandon()
  for (const cleanup of cleanups.splice(0)) cleanup()
})

/** Everything that arrives, when it is as much as this. */
async function receive(peer: Socket, bytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let received = 0
  peer.on('data', (chunk) => {
    chunks.push(chunk)
    received += chunk.length
  })
  peer.resume()
  await vi.waitUntil(() => received >= bytes, { interval: 2, timeout: 20_000 })
  return Buffer.concat(chunks).toString('latin1')
}

/** Different in every place, in every byte a value can have. */
function value(bytes: number, salt: number): string {
  const at = (_: unknown, place: number) => (place * 31 + (place >> 8) + salt) & 255
  return Buffer.from(Uint8Array.from({ length: bytes }, at)).toString('latin1')
}

test('short and long texts leave in the order in which they were written', async () => {
  const peer = await peerOf(1)
  const sizes = [3, 16_384, 5, 70_000, 20_000, 1, 90_000, 100_000, 110_000, 2]
  const texts = sizes.map(value)
  for (const text of texts) connections.write(1, text)
  const all = texts.join('')
  expect(await receive(peer, all.length)).toBe(all)
})

test('a peer that reads late gets what was written, although others use the same buffers', async () => {
  const [late, prompt] = [await peerOf(1), await peerOf(2)]
  const texts = Array.from({ length: 120 }, (_, at) => value(40_000 + at * 1_000, at))
  const all = texts.join('')
  const forPrompt = receive(prompt, all.length)
  for (const text of texts) {
    connections.write(1, text)
    await new Promise((resolve) => setImmediate(resolve))
    connections.write(2, text)
  }
  expect(connections.queuedBytes(1)).toBeGreaterThan(1_000_000)
  // Not toBe: a difference would print twelve megabytes.
  expect((await receive(late, all.length)) === all).toBe(true)
  expect((await forPrompt) === all).toBe(true)
})

test('what waits behind a socket that takes nothing is counted by its bytes', async () => {
  await peerOf(1)
  for (let count = 0; count < 300; count++) connections.write(1, value(100_000, count))
  const queued = connections.queuedBytes(1)
  expect(queued).toBeLessThanOrEqual(30_000_000)
  expect(queued).toBeGreaterThan(10_000_000)
})
