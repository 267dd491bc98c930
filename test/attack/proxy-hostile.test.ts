/**
 * Hostile, slow and half-closed clients at the real proxy, on real sockets: its memory stays bounded, and a client that
 * behaves is served all the while. `VEDETTE_HOSTILE=1000` sends as many mutated streams; test/proxy/codec.test.ts sends
 * a thousand to the machine alone.
 */
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import { startProxy } from '../doors/through-proxy.ts'
import { mutateBytes } from '../support/mutate-bytes.ts'
import {
  cli,
  HAS_REDIS_CLI,
  type Program,
  type RealCluster,
  startCluster,
  until,
} from '../support/processes.ts'

const STREAMS = Number(process.env.VEDETTE_HOSTILE ?? 150)
const AT_A_TIME = 25
/** What the collector of a process leaves lying about, and not what a client could make it keep. */
const SLACK_BYTES = 160 * 1024 * 1024

/** What clients send, before it is damaged. No command of it ends or delays the node behind the proxy. */
const COMMANDS = [
  ...[['HELLO', '3'], ['SET', 'hostile', 'x'.repeat(3_000)], ['GET', 'hostile'], ['PING']],
  ...[['MULTI'], ['INCR', 'hostile:n'], ['EXEC'], ['SUBSCRIBE', 'a', 'b'], ['UNSUBSCRIBE']],
  ...[
    ['BLPOP', 'hostile:none', '0.01'],
    ['SELECT', '0'],
    ['CLIENT', 'SETNAME', 'hostile'],
  ],
]
  .map((argv) => encodeCommand(argv))
  .join('')

describe.skipIf(!HAS_REDIS_CLI)('at the proxy (needs redis-cli)', () => {
  let cluster: RealCluster
  let proxy: Program

  beforeAll(async () => {
    cluster = await startCluster({ downAfterMs: 20_000 })
    proxy = await startProxy(cluster)
  })
  afterAll(async () => {
    await proxy?.kill()
    await cluster?.stop()
  })

  test(`${STREAMS} mutated streams harm nobody else, and the memory stays bounded`, async () => {
    const rng = createRng('proxy/hostile/sockets')
    const good = new GoodClient(proxy.port)
    const before = residentBytes(proxy)
    for (let sent = 0; sent < STREAMS; sent += AT_A_TIME) {
      const round = Array.from({ length: Math.min(AT_A_TIME, STREAMS - sent) }, () => {
        return stream(proxy.port, mutateBytes(COMMANDS, rng), rng.below(3))
      })
      await Promise.all(round)
    }
    await good.end()
    expect(residentBytes(proxy) - before).toBeLessThan(SLACK_BYTES)
  })

  test('a client that has closed its half is told all that it asked, and is let go', async () => {
    const socket = open(proxy.port)
    let got = ''
    socket.on('data', (bytes) => {
      got += bytes.toString('latin1')
    })
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.end(encodeCommand(['SET', 'asked', '1']) + encodeCommand(['GET', 'asked']))
    await closed
    expect(got).toBe('+OK\r\n$1\r\n1\r\n')
  })

  test('many that close their half leave no session, and what they asked is done once at most', async () => {
    const count = 40
    const ended = Array.from({ length: count }, () => {
      const socket = open(proxy.port)
      socket.resume()
      socket.end(encodeCommand(['INCR', 'half']))
      return new Promise((resolve) => socket.once('close', resolve))
    })
    await Promise.all(ended)
    await until('no session is left', 10_000, () => {
      return /^connected_clients:1\r?$/m.test(cli(proxy.port, 'PROXY', 'INFO').join('\n'))
    })
    expect(Number(cli(proxy.port, 'GET', 'half')[0] ?? 0)).toBeLessThanOrEqual(count)
  })

  test('clients that ask for much and read nothing are held back, and the others are not', async () => {
    const good = new GoodClient(proxy.port)
    await good.set('large', 'x'.repeat(1_000_000))
    const before = residentBytes(proxy)
    const greedy = Array.from({ length: 20 }, () => open(proxy.port))
    for (const socket of greedy) {
      socket.pause()
      // Two hundred times a megabyte for each: four gigabytes, if the proxy took all that it is given.
      socket.write(encodeCommand(['GET', 'large']).repeat(200))
    }
    await good.serves(200)
    const after = residentBytes(proxy)
    for (const socket of greedy) socket.destroy()
    await good.end()
    expect(after - before).toBeLessThan(2 * SLACK_BYTES)
  })

  test('clients that never end a command cost no more than their share, and the others are served', async () => {
    const good = new GoodClient(proxy.port)
    const before = residentBytes(proxy)
    const slow = Array.from({ length: 50 }, () => open(proxy.port))
    for (const socket of slow) {
      socket.write('*3\r\n$3\r\nSET\r\n$4\r\nslow\r\n$500000000\r\n')
      socket.write('x'.repeat(2_000_000))
    }
    await good.serves(200)
    const after = residentBytes(proxy)
    for (const socket of slow) socket.destroy()
    await good.end()
    expect(after - before).toBeLessThan(2 * SLACK_BYTES)
  })
})

/** Counts on, and fails when it is not served or told something wrong. */
class GoodClient {
  readonly #redis: Redis
  readonly #key = `good:${Math.random()}`
  readonly #done: Promise<void>
  #count = 0
  #isOver = false

  constructor(port: number) {
    this.#redis = new Redis({ port, maxRetriesPerRequest: 0, commandTimeout: 10_000 })
    this.#redis.on('error', () => undefined)
    onTestFinished(() => this.#redis.disconnect())
    this.#done = this.#work()
  }

  async set(key: string, value: string): Promise<void> {
    expect(await this.#redis.set(key, value)).toBe('OK')
  }

  /** Resolves when it has been served so many times more. */
  async serves(times: number): Promise<void> {
    const goal = this.#count + times
    await Promise.race([
      this.#done,
      until('the client that behaves is served', 30_000, () => this.#count >= goal),
    ])
  }

  async end(): Promise<void> {
    await this.serves(10)
    this.#isOver = true
    await this.#done
  }

  async #work(): Promise<void> {
    while (!this.#isOver) {
      expect(await this.#redis.incr(this.#key)).toBe(++this.#count)
      await sleep(1)
    }
  }
}

/** Sends the bytes, and leaves in one of three ways: it waits a little, closes its half, or breaks off. */
async function stream(port: number, bytes: string, farewell: number): Promise<void> {
  const socket = open(port)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.resume()
  for (let at = 0; at < bytes.length && !socket.destroyed; at += 700) {
    socket.write(Buffer.from(bytes.slice(at, at + 700), 'latin1'))
    await sleep(1)
  }
  if (farewell === 0) await sleep(20)
  if (farewell === 1) socket.end()
  const timer = setTimeout(() => socket.destroy(), farewell === 2 ? 0 : 200)
  await closed
  clearTimeout(timer)
}

function open(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: false })
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  return socket
}

function residentBytes({ pid }: Program): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}
