/**
 * TLS beside Redis' own programs: our data node as master and as replica of a redis-server, our
 * Sentinels over redis-servers, and in one quorum with redis-sentinels. Every port speaks TLS only.
 */
import { copyFileSync } from 'node:fs'
import { connect, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NEIGHBOUR_INTS, NEIGHBOUR_TEXTS } from '../../src/server/settings/neighbour-settings.ts'
import { Certificates, HAS_OPENSSL, type Pair, textOf, tlsLines } from '../support/certificates.ts'
import { freePorts, HAS_REDIS, type Program, until, vedette } from '../support/processes.ts'
import {
  agreedTlsMaster,
  askTls,
  followsTls,
  type Identity,
  type Kind,
  startTlsCluster,
  tlsNode,
} from '../support/tls-cluster.ts'

const HAS_ALL = HAS_OPENSSL && HAS_REDIS

describe.skipIf(!HAS_ALL)('needs openssl, redis-server and redis-sentinel', () => {
  let certificates: Certificates
  let identity: Identity
  let foreign: Pair

  beforeAll(() => {
    certificates = new Certificates()
    const authority = certificates.authority('authority')
    identity = { authority, own: certificates.issue(authority, 'everybody') }
    foreign = certificates.issue(certificates.authority('stranger'), 'foreign')
  })
  afterAll(() => certificates.remove())

  const ask = (one: Program, ...argv: string[]) => askTls(identity, one.port, ...argv)
  const ready = (one: Program) =>
    until(`${one.port} answers`, 10_000, () => ask(one, 'PING')[0] === 'PONG')

  /** Started, and ended with the test. */
  async function started(
    kind: Kind,
    finished: (end: () => Promise<void>) => void,
    masterPort?: number,
    who = identity,
  ): Promise<Program> {
    const [port] = (await freePorts(1)) as [number]
    const one = tlsNode(certificates.folder, who, kind, port, masterPort)
    finished(() => one.kill())
    one.start()
    return one
  }

  test.each([
    ['master', 'ours', 'real'],
    ['replica', 'real', 'ours'],
  ] as const)(
    'our data node is the %s of a redis-server',
    async (_role, masterKind, replicaKind) => {
      const ends: (() => Promise<void>)[] = []
      try {
        const master = await started(masterKind, (end) => ends.push(end))
        await ready(master)
        expect(ask(master, 'SET', 'key', 'before')).toEqual(['OK'])
        const replica = await started(replicaKind, (end) => ends.push(end), master.port)
        await until('the copy arrives', 15_000, () => ask(replica, 'GET', 'key')[0] === 'before')
        ask(master, 'SET', 'key', 'after')
        await until('the stream goes on', 5_000, () => ask(replica, 'GET', 'key')[0] === 'after')
        // Where others find it, as it has told the master.
        expect(ask(master, 'INFO', 'replication').join('\n')).toContain(`port=${replica.port},`)
        expect(ask(replica, 'INFO', 'server').join('\n')).toContain(`tcp_port:${replica.port}`)
      } finally {
        await Promise.all(ends.map((end) => end()))
      }
    },
  )

  test('CONFIG GET and SET of the tls directives answer as redis-server does', async ({
    onTestFinished,
  }) => {
    const ours = await started('ours', onTestFinished)
    const real = await started('real', onTestFinished)
    await Promise.all([ready(ours), ready(real)])
    const settings = (one: Program) => {
      const lines = ask(one, 'CONFIG', 'GET', 'tls*')
      const pairs: [name: string, value: string][] = []
      for (let n = 0; n < lines.length; n += 2) pairs.push([lines[n] ?? '', lines[n + 1] ?? ''])
      const beside = ['tls-port', ...Object.keys(NEIGHBOUR_TEXTS), ...Object.keys(NEIGHBOUR_INTS)]
      return Object.fromEntries(pairs.filter(([name]) => !beside.includes(name)))
    }
    expect(settings(ours)).toEqual(settings(real))
    for (const [name, value] of [
      ['tls-cert-file', '/nowhere.crt'],
      ['tls-key-file', foreign.key],
      ['tls-auth-clients', 'perhaps'],
      ['tls-protocols', 'TLSv2'],
      ['tls-ca-cert-file', ''],
      ['tls-session-caching', 'no'],
      ['tls-auth-clients', 'optional'],
      ['tls-replication', 'no'],
    ] as const) {
      const change = ['CONFIG', 'SET', name, value]
      expect([name, ...ask(ours, ...change)]).toEqual([name, ...ask(real, ...change)])
    }
    expect(settings(ours)).toEqual(settings(real))
    const reason = '/nowhere.crt: there is no such file'
    await until('the log says why', 10_000, () => ours.log().includes(reason))
  })

  test('CONFIG SET of another certificate counts for the next connection', async ({
    onTestFinished,
  }) => {
    const one = await started('ours', onTestFinished)
    await ready(one)
    const other = certificates.issue(identity.authority, 'somebody else')
    const files = ['tls-cert-file', other.cert, 'tls-key-file', other.key]
    expect(ask(one, 'CONFIG', 'SET', ...files)).toEqual(['OK'])
    expect(await shownBy(one.port)).toBe('somebody else')
  })

  /** Whose certificate a port shows. */
  async function shownBy(port: number): Promise<string> {
    const { own, authority } = identity
    const socket: TLSSocket = connect({
      host: '127.0.0.1',
      port,
      ca: [textOf(authority.cert)],
      cert: textOf(own.cert),
      key: textOf(own.key),
      checkServerIdentity: () => undefined,
    })
    try {
      await new Promise((resolve, reject) => {
        socket.once('secureConnect', resolve)
        socket.once('error', reject)
      })
      return String(socket.getPeerCertificate().subject.CN)
    } finally {
      socket.destroy()
    }
  }

  test('a replica whose master it may not believe says why', async ({ onTestFinished }) => {
    const authority = certificates.authority('another')
    const other = { authority, own: certificates.issue(authority, 'other-side') }
    const master = await started('real', onTestFinished)
    await ready(master)
    const replica = await started('ours', onTestFinished, master.port, other)
    // A redis-server sends the certificate of its authority along.
    const fault = 'self-signed certificate in certificate chain'
    const reason = `TLS: connection to 127.0.0.1:${master.port} failed: ${fault}`
    await until('the log says why', 10_000, () => replica.log().includes(reason))
  })

  test('files that cannot be used keep a program from starting, and it says why', async () => {
    const [port] = (await freePorts(1)) as [number]
    const lines = tlsLines(port, { cert: foreign.cert, key: identity.own.key }, identity.authority)
    const overrides = lines.flatMap((line) => `--${line}`.split(' '))
    const { status, stderr } = await vedette('server', ...overrides)
    expect(status).toBe(1)
    expect(stderr).toContain(
      `tls-key-file ${identity.own.key}: it is not the key of the certificate ${foreign.cert}`,
    )
  })

  const GROUPS: readonly (readonly [name: string, nodes: Kind[], sentinels: Kind[]])[] = [
    ['our Sentinels over redis-servers', ['real', 'real', 'real'], ['ours', 'ours', 'ours']],
    ['two of ours and a redis-sentinel over our nodes', ['ours', 'ours'], ['ours', 'ours', 'real']],
    ['one of ours and two redis-sentinels', ['real', 'real'], ['ours', 'real', 'real']],
  ]
  test.concurrent.each(GROUPS)(
    '%s replace a killed master, which returns',
    async (_name, nodes, sentinels) => {
      const cluster = await startTlsCluster(certificates.folder, identity, nodes, sentinels)
      try {
        const [master] = cluster.nodes as [Program]
        await master.kill()
        const promoted = await agreedTlsMaster(cluster, master.port, 30_000)
        master.start()
        for (const { port } of cluster.nodes.filter((one) => one.port !== promoted)) {
          await until(`${port} follows`, 30_000, () => followsTls(cluster, port, promoted))
        }
      } finally {
        await cluster.stop()
      }
    },
  )

  test('a Sentinel shows a renewed certificate without a restart', async () => {
    const own = certificates.issue(identity.authority, 'sentinel')
    const who = { ...identity, own }
    const cluster = await startTlsCluster(certificates.folder, who, ['real'], ['ours'])
    try {
      const [sentinel] = cluster.sentinels as [Program]
      expect(ask(sentinel, 'INFO', 'server').join('\n')).toContain(`tcp_port:${sentinel.port}`)
      expect(await shownBy(sentinel.port)).toBe('sentinel')
      const renewed = certificates.issue(identity.authority, 'renewed sentinel')
      copyFileSync(renewed.cert, own.cert)
      copyFileSync(renewed.key, own.key)
      await until(
        'it is shown',
        15_000,
        async () => (await shownBy(sentinel.port)) === 'renewed sentinel',
      )
      expect(sentinel.isRunning).toBe(true)
    } finally {
      await cluster.stop()
    }
  })
})
