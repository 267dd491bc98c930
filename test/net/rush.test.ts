import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Connections } from '../../src/io/network/connections.ts'
import { Streams } from '../../src/io/proxy/streams.ts'
import { TlsAcceptor } from '../../src/io/tls/tls-acceptor.ts'
import { createTlsContexts, type TlsContexts } from '../../src/io/tls/tls-contexts.ts'
import { Certificates, HAS_OPENSSL, tlsOptions } from '../support/certificates.ts'

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

interface Heard {
  requests: number
  readonly clients: Set<number>
}

interface Holder {
  take(id: number, socket: Socket): void
  end(): void
}

/** As a node and a Sentinel hold their clients; each request is answered with a dot. */
function asNode(heard: (id: number) => void): Holder {
  const connections = new Connections({
    received: (id) => {
      heard(id)
      connections.write(id, '.')
    },
    closed: () => undefined,
  })
  return {
    take: (id, socket) => connections.add(id, socket),
    end: () => connections.abandon(),
  }
}

/** As a proxy holds its clients. */
function asProxy(heard: (id: number) => void): Holder {
  const streams = new Streams({
    received: (id) => {
      heard(id)
      streams.write(id, '.')
      streams.flush()
    },
    closed: () => undefined,
    halfClosed: (id) => streams.close(id),
    drained: () => undefined,
  })
  return { take: (id, socket) => streams.accept(id, socket), end: () => void streams.closeAll() }
}

const HOLDERS = [
  ['a node', asNode],
  ['a proxy', asProxy],
] as const

/** A server, and what it has heard. */
async function serve(hold: typeof asNode, contexts?: Pick<TlsContexts, 'listening'>) {
  const heard: Heard = { requests: 0, clients: new Set() }
  const holder = hold((id) => {
    heard.requests++
    heard.clients.add(id)
  })
  let last = 0
  const take = (socket: Socket) => holder.take(++last, socket)
  const acceptor = contexts && new TlsAcceptor({ contexts: () => contexts, log: fail, ready: take })
  const server = createServer((socket) => (acceptor ?? { take }).take(socket))
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1000 })
  await once(server, 'listening')
  cleanups.push(() => {
    server.close()
    holder.end()
  })
  return { heard, port: (server.address() as AddressInfo).port }
}

function fail(_level: string, text: string): void {
  throw new Error(text)
}

/** It asks again as soon as it is answered. */
function busyClient(socket: Socket, connected: 'connect' | 'secureConnect' = 'connect'): void {
  socket.on(connected, () => socket.write('?'))
  socket.on('data', () => socket.write('?'))
  socket.on('error', () => undefined)
  cleanups.push(() => socket.destroy())
}

describe.each(HOLDERS)('among the clients of %s', (_name, hold) => {
  test('of those that come at once, the last is heard before the first have been heard many times', async () => {
    const { heard, port } = await serve(hold)
    for (let count = 0; count < 200; count++) busyClient(connect(port, '127.0.0.1'))
    await vi.waitUntil(() => heard.clients.size === 200, { interval: 1, timeout: 20_000 })
    // Without a line it would be some ten thousand: each is heard once for each that comes after it.
    expect(heard.requests).toBeLessThan(200 * 8)
  })

  test('one that comes alone is heard, and so is everybody else while others come', async () => {
    const { heard, port } = await serve(hold)
    busyClient(connect(port, '127.0.0.1'))
    await vi.waitUntil(() => heard.requests > 3, { interval: 1, timeout: 5_000 })
    for (let count = 0; count < 50; count++) busyClient(connect(port, '127.0.0.1'))
    await vi.waitUntil(() => heard.clients.size === 51, { interval: 1, timeout: 20_000 })
    const before = heard.requests
    await vi.waitUntil(() => heard.requests > before + 500, { interval: 1, timeout: 20_000 })
  })

  test.skipIf(!HAS_OPENSSL)('with TLS, they do not wait for each other either', async () => {
    const certificates = new Certificates()
    const own = certificates.authority('server')
    cleanups.push(() => certificates.remove())
    const options = tlsOptions(own, own, { authClients: 'no' })
    const contexts = createTlsContexts(options, Date.now())
    const { heard, port } = await serve(hold, contexts)
    const where = { port, host: '127.0.0.1', rejectUnauthorized: false }
    for (let count = 0; count < 100; count++) busyClient(connectTls(where), 'secureConnect')
    await vi.waitUntil(() => heard.clients.size === 100, { interval: 1, timeout: 20_000 })
    expect(heard.requests).toBeLessThan(100 * 8)
  })
})
