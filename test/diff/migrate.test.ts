/** MIGRATE beside redis-server's: the same replies, the same keys at both ends, from either server to either. */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { splitArgs } from '../../src/base/split-args.ts'
import { freePorts } from '../support/free-ports.ts'
import {
  HOST,
  hasRedisServer,
  type RealNode,
  startOurs,
  startRedis,
} from '../support/real-nodes.ts'
import { until } from '../support/until.ts'

type Words = readonly (string | number)[]

/** The reply, or the error, as text. */
async function ask({ client }: RealNode, [name = '', ...args]: Words): Promise<unknown> {
  return client.call(String(name), ...args).catch((fault: Error) => `-${fault.message}`)
}

describe.skipIf(!hasRedisServer)('MIGRATE (needs redis-server)', () => {
  const password = 'pw'
  let ours: RealNode
  let theirs: RealNode
  let locked: RealNode
  let open: RealNode

  beforeAll(async () => {
    ours = await startOurs()
    theirs = await startRedis()
    locked = await startRedis()
    open = await startOurs()
    await locked.client.config('SET', 'requirepass', password)
    await locked.client.auth(password)
  })

  afterAll(async () => {
    for (const node of [ours, theirs, locked, open]) await node?.stop()
  })

  beforeEach(async () => {
    for (const node of [ours, theirs, locked, open]) await node.client.flushall()
  })

  /** What the source answers, and what both ends hold afterwards. */
  async function story(source: RealNode, target: RealNode, lines: readonly Words[]) {
    await target.client.flushall()
    const seen: unknown[] = []
    for (const line of lines) {
      const words = line.map((word) => (word === 'PORT' ? target.port : word))
      seen.push(await ask(source, words))
      seen.push((await source.client.keys('*')).sort(), (await target.client.keys('*')).sort())
    }
    return seen
  }

  const SETUP: readonly Words[] = [
    ['SET', 'a', '1'],
    ['SET', 'b', 'text'],
    ['RPUSH', 'l', 'x', 'y'],
    ['SET', 'ttl', 'v', 'PX', '1000000'],
  ]
  const to = (key: string, db: Words[number], ...more: Words): Words => [
    ...['MIGRATE', HOST, 'PORT', key, db, 300],
    ...more,
  ]
  const LINES: readonly Words[] = [
    ...SETUP,
    to('a', 0),
    to('a', 0, 'AUTH', 'wrong'),
    to('a', 0, 'AUTH2', 'nobody', password),
    to('a', 99, 'AUTH', password),
    to('a', 0, 'COPY', 'AUTH', password),
    to('a', 0, 'COPY', 'AUTH2', 'default', password),
    to('a', 0, 'copy', 'replace', 'auth', password),
    to('missing', 0, 'AUTH', password),
    to('a', 0, 'AUTH', password, 'REPLACE'),
    to('', 0, 'AUTH', password, 'KEYS', 'b', 'l', 'missing', 'ttl'),
    ...SETUP,
    to('', 0, 'AUTH', password, 'KEYS', 'a', 'b'),
    to('', 1, 'AUTH', password, 'KEYS', 'a', 'b'),
    to('b', 0, 'KEYS', 'a'),
    to('b', 0, 'NONSENSE'),
    to('b', 0, 'AUTH'),
    to('b', 0, 'AUTH2', 'a'),
    to('b', 'x'),
    ['MIGRATE', HOST, 'PORT', 'b', 0, 'x'],
    ['MIGRATE', HOST, 'PORT', 'b', 0],
    ['MIGRATE', HOST, 1, 'l', 0, 300],
    ['MIGRATE', 'no such name', 'PORT', 'l', 0, 300],
    ...[
      'h 1 k 0 1',
      'h 1 k 0 1 AUTH KEYS',
      'h 1 k 0 1 AUTH2 KEYS KEYS COPY',
      'h 1 k 0 1 KEYS a',
      'h 1 "" 0 1 KEYS a b',
      'h 1 "" 0 1',
    ].map((rest) => splitArgs(`COMMAND GETKEYS MIGRATE ${rest}`) ?? []),
  ]

  test('answers what redis-server answers, and leaves the same keys at both ends', async () => {
    const own = await story(ours, locked, LINES)
    const other = await story(theirs, locked, LINES)
    expect(own).toEqual(other)
    expect(own).toContain('OK')
  })

  test('goes from and to a node of ours', async () => {
    for (const [source, target] of [
      [ours, theirs],
      [theirs, open],
    ] as const) {
      await source.client.flushall()
      await target.client.flushall()
      await source.client.zadd('z', 1, 'one', 2.5, 'two')
      await source.client.xadd('s', '1-1', 'f', 'v')
      await source.client.set('k', 'v', 'PX', 500_000)
      expect(
        await ask(source, [
          'MIGRATE',
          HOST,
          String(target.port),
          '',
          0,
          1000,
          'KEYS',
          'z',
          's',
          'k',
        ]),
      ).toBe('OK')
      expect(await source.client.dbsize()).toBe(0)
      expect(await target.client.call('ZRANGE', 'z', '0', '-1', 'WITHSCORES')).toEqual([
        'one',
        '1',
        'two',
        '2.5',
      ])
      expect(await target.client.xlen('s')).toBe(1)
      expect(await target.client.pttl('k')).toBeGreaterThan(400_000)
    }
  })

  test('replicas and transactions: what moved is deleted there too, and EXEC is refused', async () => {
    const replica = await startRedis({ replicaof: `${HOST} ${ours.port}` })
    await ours.client.set('k', 'v')
    await until(async () => (await replica.client.exists('k')) === 1)
    await ask(ours, ['MIGRATE', HOST, open.port, 'k', 0, 1000])
    await until(async () => (await replica.client.exists('k')) === 0)
    await replica.stop()
    await ours.client.set('k', 'v')
    const results = await ours.client
      .multi([['call', 'MIGRATE', HOST, String(open.port), 'k', '0', '100']])
      .exec()
    expect(String(results?.[0]?.[0])).toContain('transactions and scripts cannot')
  })

  describe('a target that misbehaves', () => {
    const servers: Server[] = []

    afterAll(() => {
      for (const server of servers) server.close()
    })

    async function target(serve: (socket: Socket, connection: number) => void): Promise<number> {
      const [port = 0] = await freePorts(1)
      let connections = 0
      const server = createServer((socket) => {
        socket.on('error', () => undefined)
        serve(socket, ++connections)
      })
      servers.push(server)
      await new Promise<void>((resolve) => server.listen(port, HOST, resolve))
      return port
    }

    const READING = '-IOERR error or timeout reading to target instance'

    test('is given up after the time it was allowed, and the key stays', async () => {
      const port = await target((socket) => socket.resume())
      for (const node of [ours, theirs]) {
        await node.client.set('k', 'v')
        const startedMs = performance.now()
        expect(await ask(node, ['MIGRATE', HOST, port, 'k', 0, 150])).toBe(READING)
        expect(performance.now() - startedMs).toBeGreaterThan(140)
        expect(await node.client.get('k')).toBe('v')
      }
    })

    test('that hangs up or talks nonsense is an error, and the key stays', async () => {
      const hangUp = await target((socket) => socket.once('data', () => socket.end('+OK\r\n')))
      const nonsense = await target((socket) =>
        socket.once('data', () => socket.write('what?\r\n')),
      )
      await ours.client.set('k', 'v')
      expect(await ask(ours, ['MIGRATE', HOST, hangUp, 'k', 0, 500])).toBe(READING)
      expect(await ask(ours, ['MIGRATE', HOST, nonsense, 'k', 0, 500])).toBe(READING)
      expect(await ours.client.get('k')).toBe('v')
    })

    test('holds writes back, and nothing else', async () => {
      let answer: (() => void) | undefined
      const port = await target((socket) => {
        socket.once('data', () => {
          answer = () => socket.write('+OK\r\n+OK\r\n')
        })
      })
      await ours.client.set('k', 'v')
      const other = ours.client.duplicate()
      const moved = ask(ours, ['MIGRATE', HOST, port, 'k', 0, 5000])
      await until(async () => answer !== undefined)
      let isWritten = false
      const written = other.append('k', '!').then(() => {
        isWritten = true
      })
      const third = ours.client.duplicate()
      expect(await third.get('k')).toBe('v')
      expect(isWritten).toBe(false)
      answer?.()
      expect(await moved).toBe('OK')
      await written
      expect(await third.get('k')).toBe('!')
      other.disconnect()
      third.disconnect()
    })

    test('keeps its connection for the next keys, and a kept one that broke is no error', async () => {
      let connections = 0
      const port = await target((socket, connection) => {
        connections = connection
        const pipe = connect(open.port, HOST)
        pipe.on('error', () => undefined)
        socket.pipe(pipe).pipe(socket)
        broken = () => {
          socket.destroy()
          pipe.destroy()
        }
      })
      for (const key of ['a', 'b', 'c']) {
        await ours.client.set(key, 'v')
        expect(await ask(ours, ['MIGRATE', HOST, port, key, 0, 1000])).toBe('OK')
      }
      expect(connections).toBe(1)
      expect(await ours.client.info('stats')).toMatch(/migrate_cached_sockets:[1-9]/)
      broken?.()
      await ours.client.set('d', 'v')
      expect(await ask(ours, ['MIGRATE', HOST, port, 'd', 0, 1000])).toBe('OK')
      expect(connections).toBe(2)
    })
    let broken: (() => void) | undefined
  })
})
