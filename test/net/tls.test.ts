/** TLS on real sockets: who is let in, who is not and what is said of it, links, and renewal. */
import { spawn } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { type AddressInfo, createServer, connect as plainConnect, type Socket } from 'node:net'
import {
  type ConnectionOptions,
  connect,
  createServer as createTlsServer,
  type TLSSocket,
} from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { TlsOptions } from '../../src/config/tls-options.ts'
import type { Event } from '../../src/core/event.ts'
import { Connections } from '../../src/io/network/connections.ts'
import { Links } from '../../src/io/network/links.ts'
import { listen } from '../../src/io/network/listener.ts'
import { reasonOf } from '../../src/io/start-error.ts'
import { Tls } from '../../src/io/tls/tls.ts'
import { TlsAcceptor } from '../../src/io/tls/tls-acceptor.ts'
import {
  Certificates,
  HAS_OPENSSL,
  type Pair,
  textOf,
  tlsOptions,
} from '../support/certificates.ts'
import { freePorts, until } from '../support/processes.ts'

const HOST = '127.0.0.1'

/** A client without TLS that reads what it is sent, and so sees the end. */
function rawClient(port: number): Socket {
  return plainConnect(port, HOST)
    .on('error', () => undefined)
    .resume()
}

/** Everything opened by a test, closed after it. */
const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

describe.skipIf(!HAS_OPENSSL)('needs openssl', () => {
  let certificates: Certificates
  let authority: Pair
  let stranger: Pair
  let server: Pair
  let client: Pair
  let expired: Pair
  let foreign: Pair

  beforeAll(() => {
    certificates = new Certificates()
    authority = certificates.authority('authority')
    stranger = certificates.authority('stranger')
    server = certificates.issue(authority, 'server')
    client = certificates.issue(authority, 'client')
    expired = certificates.issue(authority, 'expired', { days: -1 })
    foreign = certificates.issue(stranger, 'foreign')
  })
  afterAll(() => certificates.remove())

  /** Listens with TLS and echoes; `lines` is the log. */
  async function echo(more: Partial<TlsOptions> = {}, own = server) {
    const [port] = (await freePorts(1)) as [number]
    const lines: string[] = []
    const log = (level: string, text: string) => void lines.push(`${level} ${text}`)
    const tls = new Tls(tlsOptions(own, authority, { port, ...more }), log)
    const listener = await listen({ addresses: [HOST], port: 0, tls })
    const sockets: Socket[] = []
    listener.accept((socket) => {
      sockets.push(socket)
      socket.on('data', (chunk) => socket.write(chunk))
    })
    open.push(() => {
      listener.close()
      for (const socket of sockets) socket.destroy()
    })
    return { port, tls, lines, sockets }
  }

  /** A client that says hello; resolves to what it hears, or to why it hears nothing. */
  function hello(port: number, own: Pair | undefined, more: ConnectionOptions = {}) {
    const identity = own === undefined ? {} : { cert: textOf(own.cert), key: textOf(own.key) }
    const ca = [textOf(authority.cert)]
    const checkServerIdentity = () => undefined
    const socket = connect({ host: HOST, port, ca, checkServerIdentity, ...identity, ...more })
    open.push(() => socket.destroy())
    socket.write('hello')
    const heard = new Promise<string>((resolve) => {
      socket.once('data', (chunk) => resolve(String(chunk)))
      socket.once('error', (error) => resolve(reasonOf(error)))
      socket.once('close', () => resolve('closed'))
    })
    return { socket, heard }
  }

  describe('who connects', () => {
    test('with a certificate of our authority is let in', async () => {
      const { port, lines } = await echo()
      expect(await hello(port, client).heard).toBe('hello')
      expect(lines).toHaveLength(1)
    })

    test('without a certificate is refused, and told so', async () => {
      const { port, lines } = await echo()
      expect(await hello(port, undefined).heard).toBe('the other side wants a certificate of ours')
      expect(lines.at(-1)).toMatch(
        /^warning TLS: refused 127\.0\.0\.1:\d+: the other side showed no certificate$/,
      )
    })

    test.each([
      ['that has expired', () => expired, 'certificate has expired'],
      ['of another authority', () => foreign, 'certificate of an unknown authority'],
    ])('with a certificate %s is refused', async (_name, own, reason) => {
      for (const authClients of ['yes', 'optional'] as const) {
        const { port, lines, sockets } = await echo({ authClients })
        expect(await hello(port, own()).heard).not.toBe('hello')
        await until('it is told', 10_000, () => lines.length === 2)
        expect(lines.at(-1)).toMatch(/^warning TLS: refused 127\.0\.0\.1:\d+: /)
        expect(lines.at(-1)).toContain(reason)
        expect(sockets).toEqual([])
      }
    })

    test('needs no certificate with tls-auth-clients optional or no', async () => {
      for (const authClients of ['optional', 'no'] as const) {
        const { port } = await echo({ authClients })
        expect(await hello(port, undefined).heard).toBe('hello')
      }
      const { port } = await echo({ authClients: 'no' })
      expect(await hello(port, foreign).heard).toBe('hello')
    })

    test('with a version that is not spoken here is refused', async () => {
      const { port, lines } = await echo({ protocols: ['TLSv1.3'] })
      expect(await hello(port, client, { maxVersion: 'TLSv1.2' }).heard).toBe(
        'no TLS version in common',
      )
      expect(lines.at(-1)).toMatch(/^warning TLS: refused .*: no TLS version in common$/)
    })

    test('that does not know our authority is told in the log with its address', async () => {
      const { port, lines } = await echo()
      const trust = ['-verify_return_error', '-CAfile', foreign.cert]
      const shown = ['-cert', client.cert, '-key', client.key]
      const argv = ['s_client', '-connect', `${HOST}:${port}`, ...trust, ...shown]
      // Unlike Node, OpenSSL says why it hangs up.
      const clients = Array.from({ length: 4 }, () => spawn('openssl', argv, { stdio: 'ignore' }))
      await Promise.all(clients.map((one) => new Promise((resolve) => one.once('close', resolve))))
      await until('all are told', 10_000, () => lines.length === 5)
      for (const line of lines.slice(1)) {
        expect(line).toMatch(
          /^warning TLS: refused 127\.0\.0\.1:\d+: the other side does not know /,
        )
      }
    })

    test('gets a certificate of the cipher list it may choose from', async () => {
      const cipher = 'ECDHE-ECDSA-AES256-GCM-SHA384'
      const { port } = await echo({ protocols: ['TLSv1.2'], ciphers: cipher })
      const { socket, heard } = hello(port, client)
      expect(await heard).toBe('hello')
      expect(socket.getCipher().name).toBe(cipher)
    })
  })

  test('who sends short records without end is read in turns, so that others are heard between', async () => {
    const amount = 4 * 1024 * 1024
    let [taken, inRound, most] = [0, 0, 0]
    const connections = new Connections({
      received: (_, bytes) => {
        taken += bytes.length
        inRound += bytes.length
      },
      closed: () => undefined,
    })
    const secret = { cert: textOf(server.cert), key: textOf(server.key) }
    const door = createTlsServer(secret, (socket) => connections.add(1, socket))
    await new Promise<void>((resolve) => door.listen(0, HOST, resolve))
    const { port } = door.address() as AddressInfo
    const talker = connect({ port, host: HOST, rejectUnauthorized: false })
    open.push(() => {
      talker.destroy()
      connections.abandon()
      door.close()
    })
    await new Promise((resolve) => talker.once('secureConnect', resolve))
    talker.setMaxSendFragment(4 * 1024)
    const counting = () => {
      most = Math.max(most, inRound)
      inRound = 0
      if (taken < amount) setImmediate(counting)
    }
    talker.write('x'.repeat(amount), 'latin1')
    setImmediate(counting)
    await until('all is read', 10_000, () => taken >= amount)
    expect(most).toBeLessThan(64 * 1024)
  })

  test('one port cannot speak both', async () => {
    const tls = new Tls(tlsOptions(server, authority, { port: 7 }), () => undefined)
    await expect(listen({ addresses: [HOST], port: 7, tls })).rejects.toThrow(
      'cannot listen: port and tls-port are both 7',
    )
  })

  test('a plain port beside the one for TLS is served too', async () => {
    const [plainPort, port] = (await freePorts(2)) as [number, number]
    const tls = new Tls(tlsOptions(server, authority, { port }), () => undefined)
    const listener = await listen({ addresses: [HOST], port: plainPort, tls })
    open.push(() => listener.close())
    listener.accept((socket) => void socket.end('hello'))
    expect(await hello(port, client).heard).toBe('hello')
    const socket = plainConnect(plainPort, HOST)
    expect(String(await new Promise((resolve) => socket.once('data', resolve)))).toBe('hello')
  })

  describe('strangers', () => {
    const rubbish = [
      ['PING\r\n', 'the other side speaks no TLS'],
      ['GET / HTTP/1.1\r\n\r\n', 'the other side speaks HTTP, not TLS'],
    ] as const
    test.each(rubbish)('%j is closed and told', async (bytes, reason) => {
      const { port, lines } = await echo()
      const socket = rawClient(port)
      const closed = new Promise((resolve) => socket.once('close', resolve))
      socket.write(bytes)
      await closed
      expect(lines.at(-1)).toMatch(/^verbose TLS: refused 127\.0\.0\.1:\d+: /)
      expect(lines.at(-1)).toContain(reason)
    })

    test('a hundred of them are let go of, and fill no log', async () => {
      const { port, lines } = await echo()
      const closed = Array.from({ length: 100 }, (_, n) => {
        const socket = rawClient(port)
        const gone = new Promise((resolve) => socket.once('close', resolve))
        // A third hangs up, a third resets, a third sends rubbish.
        if (n % 3 === 0) socket.end()
        else if (n % 3 === 1) socket.once('connect', () => socket.resetAndDestroy())
        else socket.write('\x16\x03\x01\x00\x05rubbish that is no handshake')
        return gone
      })
      await Promise.all(closed)
      expect(await hello(port, client).heard).toBe('hello')
      expect(lines.filter((line) => line.startsWith('verbose')).length).toBeLessThanOrEqual(10)
    })

    /** The acceptor itself, so that its bounds can be small. */
    async function acceptor(bounds: {
      handshakeMs?: number
      maxHandshakes?: number
      safeMs?: number
    }) {
      const lines: string[] = []
      const accepted: TLSSocket[] = []
      const tls = new Tls(tlsOptions(server, authority), () => undefined)
      const one = new TlsAcceptor({
        contexts: () => tls.contexts,
        log: (level, text) => lines.push(`${level} ${text}`),
        ready: (socket) => accepted.push(socket.on('error', () => undefined)),
        ...bounds,
      })
      const listening = createServer((socket) => one.take(socket))
      await new Promise<void>((resolve) => listening.listen(0, HOST, resolve))
      open.push(() => {
        listening.close()
        for (const socket of accepted) socket.destroy()
      })
      const address = listening.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      return { one, port, lines, accepted }
    }

    test('a handshake that is never finished is closed after a time', async () => {
      const { one, port, lines } = await acceptor({ handshakeMs: 50 })
      const socket = rawClient(port)
      await new Promise((resolve) => socket.once('close', resolve))
      expect(lines.at(-1)).toContain('the TLS handshake was not finished in time')
      expect(one.handshakes).toBe(0)
    })

    test('where all places are taken, a handshake that has had its time gives way', async () => {
      const { port, lines, accepted } = await acceptor({ maxHandshakes: 2, safeMs: 0 })
      const idle = [rawClient(port), rawClient(port)]
      const closed = idle.map((socket) => new Promise((resolve) => socket.once('close', resolve)))
      await Promise.all(idle.map((one) => new Promise((resolve) => one.once('connect', resolve))))
      hello(port, client)
      await until('the newcomer is let in', 10_000, () => accepted.length === 1)
      await Promise.race(closed)
      expect(lines[0]).toMatch(/^warning .*its handshake takes long, and others wait for the place/)
    })

    test('only so many handshakes run at once, and those who are done do not count', async () => {
      const { one, port, lines, accepted } = await acceptor({ maxHandshakes: 2 })
      for (let n = 0; n < 4; n++) hello(port, client)
      await until('two are refused', 10_000, () => lines.length === 2)
      expect(lines[0]).toMatch(/^warning .*too many handshakes at once/)
      await until('two are let in', 10_000, () => accepted.length === 2)
      expect(one.handshakes).toBe(0)
      hello(port, client)
      await until('there is room again', 10_000, () => accepted.length === 3)
    })
  })

  describe('links', () => {
    function link(port: number, options: Partial<TlsOptions> = {}, own = client) {
      const lines: string[] = []
      const events: Event[] = []
      const log = (level: string, text: string) => void lines.push(`${level} ${text}`)
      const tls = new Tls(tlsOptions(own, authority, { port: 0, ...options }), log)
      lines.length = 0
      const links = new Links((event) => events.push(event), undefined, undefined, tls)
      open.push(() => links.closeAll())
      const again = (id: number) => links.open(id, HOST, port)
      again(1)
      return { events, lines, links, again }
    }

    /** Answers every input with the same bytes. */
    async function plainServer(take: (socket: Socket) => void): Promise<number> {
      const plain = createServer((socket) => take(socket.on('error', () => undefined)))
      const sockets = new Set<Socket>()
      plain.on('connection', (socket) => sockets.add(socket))
      await new Promise<void>((resolve) => plain.listen(0, HOST, resolve))
      open.push(() => {
        plain.close()
        for (const socket of sockets) socket.destroy()
      })
      const address = plain.address()
      return typeof address === 'object' && address !== null ? address.port : 0
    }

    /** Why the link went down, the first time it did. */
    async function lost(events: readonly Event[]): Promise<string> {
      const event = await until('the link is lost', 5_000, () =>
        events.find((one) => one.kind === 'linkLost'),
      )
      return event.reason
    }

    test('come up once the handshake is done, and carry commands and replies', async () => {
      const { port } = await echo()
      const { events, links } = link(port)
      await until('it is up', 10_000, () => events.length === 1)
      expect(events[0]).toEqual({ kind: 'linkUp', link: 1, localHost: HOST })
      // What comes back is our own bytes: a request is an array of bulk strings, and a sound reply.
      links.send(1, { kind: 'setup' }, ['ECHO', '\x00\xff'])
      await until('it answers', 10_000, () => events.length === 2)
      const items = ['ECHO', '\x00\xff'].map((bytes) => ({ kind: 'bulk', bytes }))
      expect(events[1]).toMatchObject({ kind: 'reply', reply: { kind: 'array', items } })
    })

    test('screen what was encrypted as they screen what was not', async () => {
      const { port, sockets } = await echo()
      const { events, lines } = link(port)
      await until('it is up', 10_000, () => events.length === 1 && sockets.length === 1)
      sockets[0]?.write('+nobody asked\r\n')
      expect(await lost(events)).toBe('protocol error: a reply nobody asked for')
      // TLS has nothing to do with it.
      expect(lines).toEqual([])
    })

    test('show the client certificate when there is one', async () => {
      const { port, sockets } = await echo()
      const files = { clientCertFile: client.cert, clientKeyFile: client.key }
      const { events } = link(port, files, server)
      await until('it is up', 10_000, () => events.length === 1 && sockets.length === 1)
      const shown = (sockets[0] as TLSSocket).getPeerCertificate()
      expect(shown.subject.CN).toBe('client')
    })

    test('do not care for which name a certificate was made out', async () => {
      const { port } = await echo({}, certificates.issue(authority, 'somebody.example'))
      const { events } = link(port)
      await until('it is up', 10_000, () => events.length === 1)
      expect(events[0]?.kind).toBe('linkUp')
    })

    test.each([
      ['has expired', () => expired, 'certificate has expired'],
      ['comes from another authority', () => foreign, 'certificate of an unknown authority'],
      ['signed itself', () => stranger, 'self-signed certificate'],
    ])('to one whose certificate %s are lost, and the log says why', async (_name, own, reason) => {
      const { port } = await echo({}, own())
      const { events, lines } = link(port)
      expect(await lost(events)).toBe(reason)
      expect(lines).toEqual([`warning TLS: connection to ${HOST}:${port} failed: ${reason}`])
    })

    test('without a certificate of ours are lost where one is wanted', async () => {
      const { port } = await echo()
      const { events, lines } = link(port, { certFile: '', keyFile: '' })
      const reason = 'the other side wants a certificate of ours'
      expect(await lost(events)).toBe(reason)
      expect(lines).toEqual([`warning TLS: connection to ${HOST}:${port} failed: ${reason}`])
    })

    test.each([
      ['has expired', () => expired],
      ['comes from another authority', () => foreign],
    ])(
      'that show a certificate which %s are turned away, and the log says so',
      async (_name, own) => {
        const { port } = await echo()
        const { events, lines } = link(port, {}, own())
        const reason =
          'the other side closed right after the TLS handshake; perhaps it does not accept our certificate: its log says why'
        expect(await lost(events)).toBe(reason)
        expect(lines.at(-1)).toBe(`warning TLS: connection to ${HOST}:${port} failed: ${reason}`)
      },
    )

    test('that were of use are not told when the other side closes them', async () => {
      const { port, sockets } = await echo()
      const { events, lines, links } = link(port)
      await until('it is up', 10_000, () => events.length === 1 && sockets.length === 1)
      links.send(1, { kind: 'ping' }, ['PING'])
      await until('it answers', 10_000, () => events.length === 2)
      sockets[0]?.destroy()
      await lost(events)
      expect(lines).toEqual([])
    })

    test('to one that speaks no TLS are lost', async () => {
      const port = await plainServer((socket) => {
        socket.once('data', () => socket.write('-ERR unknown command\r\n'))
      })
      const { events } = link(port)
      expect(await lost(events)).toBe('the other side speaks no TLS')
    })

    test('to one that hangs up on a handshake are lost', async () => {
      const port = await plainServer((socket) => void socket.once('data', () => socket.end()))
      const { events } = link(port)
      expect(await lost(events)).toBe('the other side closed during the TLS handshake')
    })

    describe('without TLS', () => {
      const PLAIN = { replication: false }

      test('to one that speaks TLS are lost, and the log says what may be the matter', async () => {
        const { port } = await echo()
        const { events, lines, links, again } = link(port, PLAIN)
        for (const id of [1, 2, 3]) {
          // A program that stops closes connections as well, but not again and again.
          expect(lines).toEqual([])
          if (id > 1) again(id)
          const happened = 2 * (id - 1)
          await until('it is up', 10_000, () => events.length === happened + 1)
          links.send(id, { kind: 'ping' }, ['PING'])
          await until('it is lost', 10_000, () => events.length === happened + 2)
        }
        expect(lines).toHaveLength(1)
        expect(lines[0]).toBe(
          `warning TLS: connection to ${HOST}:${port} failed: the other side closed before it answered; ` +
            'perhaps this port speaks TLS: then set tls-replication yes',
        )
      })

      test('to one that answers, or that we leave, are not called that', async () => {
        const port = await plainServer((socket) =>
          socket.once('data', () => socket.end('+PONG\r\n')),
        )
        const answered = link(port, PLAIN)
        await until('it is up', 10_000, () => answered.events.length === 1)
        answered.links.send(1, { kind: 'ping' }, ['PING'])
        await lost(answered.events)
        const mute = await plainServer(() => undefined)
        const left = link(mute, PLAIN)
        await until('it is up', 10_000, () => left.events.length === 1)
        left.links.send(1, { kind: 'ping' }, ['PING'])
        left.links.close(1)
        expect([...answered.lines, ...left.lines]).toEqual([])
      })
    })

    test('that are given up while the other side says nothing are told in the log', async () => {
      const port = await plainServer(() => undefined)
      const { lines, links, events } = link(port)
      await new Promise((resolve) => setTimeout(resolve, 1_100))
      links.close(1)
      await until('it is told', 10_000, () => lines.length === 1)
      expect(lines[0]).toContain('no answer to the TLS handshake; perhaps this port speaks no TLS')
      expect(events).toEqual([])
    })

    test('that fail again and again are told once', async () => {
      const { port } = await echo({}, expired)
      const { events, lines, again } = link(port)
      await lost(events)
      for (const id of [2, 3]) {
        again(id)
        await until('it fails again', 10_000, () => events.length === id)
      }
      expect(lines).toHaveLength(1)
    })

    test('to one that is not there are refused as ever', async () => {
      const [port] = (await freePorts(1)) as [number]
      const { events, lines } = link(port)
      expect(await lost(events)).toBe('ECONNREFUSED')
      expect(lines).toEqual([])
    })
  })

  describe('renewal', () => {
    const shownBy = (socket: TLSSocket) => socket.getPeerCertificate().subject.CN

    test('new files are used without a restart, and connections that stand stay', async () => {
      const own = certificates.issue(authority, 'first')
      const { port, tls, lines } = await echo({}, own)
      open.push(() => tls.close())
      tls.watch(20)
      const old = hello(port, client)
      expect(await old.heard).toBe('hello')
      expect(shownBy(old.socket)).toBe('first')

      const renewed = certificates.issue(authority, 'second')
      copyFileSync(renewed.cert, own.cert)
      copyFileSync(renewed.key, own.key)
      await until('the log says so', 5_000, () => lines.some((line) => line.includes('CN=second')))
      const young = hello(port, client)
      expect(await young.heard).toBe('hello')
      expect(shownBy(young.socket)).toBe('second')

      const answer = new Promise((resolve) => old.socket.once('data', resolve))
      old.socket.write('still there')
      expect(String(await answer)).toBe('still there')
    })

    test('broken new files are told once, and the old certificate is shown on', async () => {
      const own = certificates.issue(authority, 'sound')
      const { port, tls, lines } = await echo({}, own)
      open.push(() => tls.close())
      tls.watch(20)
      copyFileSync(foreign.key, own.key)
      await until('the log says so', 5_000, () => lines.length === 2)
      // Ten more looks.
      await new Promise((resolve) => setTimeout(resolve, 200))
      expect(lines.slice(1)).toEqual([
        expect.stringMatching(/^warning TLS: changed files are not used/),
      ])
      const { socket, heard } = hello(port, client)
      expect(await heard).toBe('hello')
      expect(shownBy(socket)).toBe('sound')
    })

    test('a certificate that expires soon is told of every day', async () => {
      const own = certificates.issue(authority, 'short', { days: 3 })
      const { tls, lines } = await echo({}, own)
      open.push(() => tls.close())
      tls.watch(60_000, 1_100)
      const told = () => lines.filter((line) => /^warning .* expires in [23] days/.test(line))
      await until('the log says so again', 10_000, () => told().length === 3)
    })

    test('links opened after it show the new certificate', async () => {
      const own = certificates.issue(authority, 'link-before')
      const { port, sockets } = await echo()
      const tls = new Tls(tlsOptions(own, authority, { port: 0 }), () => undefined)
      const links = new Links(() => undefined, undefined, undefined, tls)
      open.push(() => links.closeAll())
      const renewed = certificates.issue(authority, 'link-after')
      copyFileSync(renewed.cert, own.cert)
      copyFileSync(renewed.key, own.key)
      expect(tls.reload()).toBe(true)
      links.open(1, HOST, port)
      await until('it is up', 10_000, () => sockets.length === 1)
      expect(shownBy(sockets[0] as TLSSocket)).toBe('link-after')
    })
  })
})
