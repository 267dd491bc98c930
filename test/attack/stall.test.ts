/**
 * A master that stood still, and one that means ill: real processes, real signals, a stock client with its
 * defaults. What a client was told is kept must be with the master of the end.
 */
import { createServer, type Server, type Socket } from 'node:net'
import { Redis } from 'ioredis'
import { afterEach, expect, test } from 'vitest'
import { encodeCommand } from '../../src/resp/encode.ts'
import { crc64 } from '../../src/server/rdb/crc64.ts'
import {
  agreedMaster,
  cli,
  follows,
  freePorts,
  node,
  type Program,
  startCluster,
  stopAll,
  until,
} from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const STOP_MS = 4_000
const WRITE_EVERY_MS = 5
const EMPTY = 'REDIS0009\xff'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** Writes numbered keys without waiting for answers, as an application does whose users go on. */
class OpenLoad {
  readonly acknowledged: string[] = []
  written = 0
  readonly #client: Redis
  readonly #timer: NodeJS.Timeout

  constructor(client: Redis) {
    this.#client = client
    this.#timer = setInterval(() => this.#write(), WRITE_EVERY_MS)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #write(): void {
    const key = `key:${this.written++}`
    this.#client.set(key, key).then(
      () => this.acknowledged.push(key),
      () => undefined,
    )
  }
}

test('what waited for a master while it was stopped is not acknowledged and lost', async () => {
  const nodeLines = ['min-replicas-to-write 1', 'min-replicas-max-lag 2']
  const cluster = await startCluster({ nodeLines })
  const sentinels = cluster.sentinels.map(({ port }) => ({ host: '127.0.0.1', port }))
  const client = new Redis({ sentinels, name: 'mymaster' })
  client.on('error', () => undefined)
  const load = new OpenLoad(client)
  ends.push(async () => {
    load.stop()
    client.disconnect()
    await cluster.stop()
  })
  const master = cluster.nodes[0] as Program
  await until('writes are acknowledged', 5_000, () => load.acknowledged.length > 100)

  master.signal('SIGSTOP')
  const [before, stoppedAtMs] = [load.written, Date.now()]
  const successor = await agreedMaster(cluster, master.port, STOP_MS)
  await until('it was stopped for long enough', 2 * STOP_MS, () => {
    return Date.now() - stoppedAtMs > STOP_MS
  })
  expect(load.written - before).toBeGreaterThan(100)
  master.signal('SIGCONT')

  await until('it follows its successor', 15_000, () => follows(master, successor))
  const count = load.acknowledged.length
  await until('writes go on', 10_000, () => load.acknowledged.length > count + 20)
  load.stop()
  const promised = [...load.acknowledged]
  const kept = new Set(cli(successor, 'KEYS', 'key:*'))
  expect(promised.filter((key) => !kept.has(key))).toEqual([])
  expect(master.log()).toContain('stood still')
})

/** A master that gives an empty copy and then says what it is told to say. */
class HostileMaster {
  readonly #server: Server
  #replica: Socket | undefined

  constructor() {
    this.#server = createServer((socket) => {
      this.#replica = socket
      socket.setEncoding('latin1')
      socket.on('error', () => undefined)
      socket.on('data', (bytes) => this.#answer(socket, String(bytes)))
    })
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  say(...argv: string[]): void {
    this.#replica?.write(encodeCommand(argv), 'latin1')
  }

  close(): void {
    this.#replica?.destroy()
    this.#server.close()
  }

  #answer(socket: Socket, bytes: string): void {
    if (bytes.includes('PSYNC')) {
      const payload = EMPTY + crc64(EMPTY)
      const place = `+FULLRESYNC ${'a'.repeat(40)} 1000`
      socket.write(`${place}\r\n$${payload.length}\r\n${payload}`, 'latin1')
    } else if (bytes.includes('PING')) {
      socket.write('+PONG\r\n')
    } else {
      for (const _ of bytes.matchAll(/listening-port|capa\r\n\$3\r\neof|version/g))
        socket.write('+OK\r\n')
    }
  }
}

test('a master can neither end its replica nor make it stand still', async () => {
  const master = new HostileMaster()
  const folder = scratchFolder('hostile')
  const [port = 0] = await freePorts(1)
  const replica = node(folder, port, [`replicaof 127.0.0.1 ${await master.listen()}`])
  ends.push(async () => {
    master.close()
    await stopAll(folder, [replica])
  })
  replica.start()
  await until('the link is up', 10_000, () =>
    cli(port, 'INFO', 'replication').some((line) => line.startsWith('master_link_status:up')),
  )
  const hostile = [
    'SHUTDOWN NOSAVE',
    'CLIENT PAUSE 60000 ALL',
    'DEBUG SLEEP 60',
    'REPLICAOF NO ONE',
  ]
  for (const line of hostile) master.say(...line.split(' '))
  master.say('SET', 'after', 'all')
  await until('it goes on', 5_000, () => cli(port, 'GET', 'after')[0] === 'all')
  const said = cli(port, 'INFO', 'replication').map((line) => line.trim())
  expect(said).toContain('role:slave')
  expect(said).toContain(`vedette_refused_commands:${hostile.length}`)
})
