/**
 * Commands on large values, sent to a real node: whoever pings meanwhile is answered within a second. A node
 * that stands still for longer looks dead, and Sentinels replace it.
 */
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePorts, node, type Program, until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const STRING_BYTES = 100 * 1024 * 1024
const ELEMENTS = 300_000
const PAGE = 10_000
const MAX_PAUSE_MS = 1_000
const BOUND_MS = 30_000

let server: Program
let client: Client
let witness: Client

beforeAll(async () => {
  const [port = 0] = await freePorts(1)
  server = node(scratchFolder('pauses'), port)
  server.start()
  client = await until('the node listens', BOUND_MS, () => Client.connect(port))
  witness = await Client.connect(port)
  const random = randomBytes(STRING_BYTES)
  await client.call(['SET', 'a', random])
  await client.call(['SET', 'b', random.reverse()])
  await client.call(['SETRANGE', 'zeros', String(STRING_BYTES), '\x01'])
  for (let from = 0; from < ELEMENTS; from += PAGE) {
    const numbers = Array.from({ length: PAGE }, (_, at) => String(from + at))
    await client.call(['RPUSH', 'list', ...numbers])
    await client.call(['HSET', 'hash', ...numbers.flatMap((number) => [number, number])])
    await client.call(['ZADD', 'zset', ...numbers.flatMap((number) => [number, `m${number}`])])
  }
})

afterAll(async () => {
  client?.close()
  witness?.close()
  await server.kill()
})

describe('another client is answered within a second during', () => {
  test.each([
    'BITOP AND target a b',
    'BITOP NOT target a',
    'BITCOUNT a',
    'BITCOUNT a 3 -5 BIT',
    'BITPOS zeros 1',
    'GET a',
    'MGET a b a b',
    'LRANGE list 0 -1',
    'SORT list DESC',
    'HGETALL hash',
    'ZRANGE zset 0 -1 WITHSCORES',
    'ZREMRANGEBYRANK zset 1 -2',
  ])('%s', async (line) => {
    const answered = client.call(line.split(' '))
    let longestMs = 0
    let isOver = false
    void answered.finally(() => {
      isOver = true
    })
    while (!isOver) {
      const startMs = performance.now()
      await witness.call(['PING'])
      longestMs = Math.max(longestMs, performance.now() - startMs)
    }
    expect(await answered).not.toMatch(/^-/)
    expect(longestMs).toBeLessThan(MAX_PAUSE_MS)
  })
})

/** Reads answers without understanding them: the ECHO behind each command says where it ends. */
class Client {
  readonly #socket: Socket
  #calls = 0
  #take: ((bytes: Buffer) => void) | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (bytes) => this.#take?.(bytes))
    socket.on('error', () => undefined)
  }

  static connect(port: number): Promise<Client> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      socket.once('connect', () => resolve(new Client(socket)))
      socket.once('error', reject)
    })
  }

  /** Gives the beginning of the answer. */
  call(argv: readonly (string | Buffer)[]): Promise<string> {
    const mark = `the end of answer ${++this.#calls}`
    const end = `$${mark.length}\r\n${mark}\r\n`
    return new Promise((resolve) => {
      let head = ''
      let tail = ''
      this.#take = (bytes) => {
        if (head === '') head = bytes.subarray(0, 100).toString('latin1')
        tail = (tail + bytes.subarray(-end.length).toString('latin1')).slice(-end.length)
        if (tail === end) resolve(head)
      }
      this.#send(argv)
      this.#send(['ECHO', mark])
    })
  }

  #send(argv: readonly (string | Buffer)[]): void {
    this.#socket.cork()
    this.#socket.write(`*${argv.length}\r\n`)
    for (const argument of argv) {
      this.#socket.write(`$${argument.length}\r\n`)
      this.#socket.write(argument)
      this.#socket.write('\r\n')
    }
    this.#socket.uncork()
  }

  close(): void {
    this.#socket.destroy()
  }
}
