import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { Connections } from '../../src/io/network/connections.ts'

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

/** A server that answers everything with a dot, and what it has heard. */
async function serve() {
  const heard = { requests: 0, clients: new Set<number>() }
  let last = 0
  const connections = new Connections({
    received: (id) => {
      heard.requests++
      heard.clients.add(id)
      connections.write(id, '.')
    },
    closed: () => undefined,
  })
  const server = createServer((socket) => connections.add(++last, socket))
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1000 })
  await once(server, 'listening')
  cleanups.push(() => {
    server.close()
    connections.abandon()
  })
  return { heard, port: (server.address() as AddressInfo).port }
}

/** It asks again as soon as it is answered. */
function busyClient(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('connect', () => socket.write('?'))
  socket.on('data', () => socket.write('?'))
  socket.on('error', () => undefined)
  cleanups.push(() => socket.destroy())
  return socket
}

test('of clients that come at once, the last is heard before the first have been heard many times', async () => {
  const { heard, port } = await serve()
  for (let count = 0; count < 200; count++) busyClient(port)
  await vi.waitUntil(() => heard.clients.size === 200, { interval: 1, timeout: 20_000 })
  // Without a line it would be some ten thousand: each is heard once for each that comes after it.
  expect(heard.requests).toBeLessThan(200 * 12)
})

test('a client that comes alone is heard, and so is everybody else while others come', async () => {
  const { heard, port } = await serve()
  busyClient(port)
  await vi.waitUntil(() => heard.requests > 3, { interval: 1, timeout: 5_000 })
  for (let count = 0; count < 50; count++) busyClient(port)
  await vi.waitUntil(() => heard.clients.size === 51, { interval: 1, timeout: 20_000 })
  const before = heard.requests
  await vi.waitUntil(() => heard.requests > before + 500, { interval: 1, timeout: 20_000 })
})
