/**
 * A Sentinel and a master that say what a test tells them to, on real sockets: for bugs of client libraries that show
 * only when answers come in a certain order.
 */
import { createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { encodeReply } from '../../src/resp/encode.ts'
import { array, bulk, bulkMap, bulks, error, NULL, OK, type Reply } from '../../src/resp/reply.ts'
import { RequestDecoder } from '../../src/resp/request-decoder.ts'
import { until } from './processes.ts'

type Protocol = 2 | 3

export class ScriptedServer {
  readonly server: Server
  readonly sockets = new Set<Socket>()
  /** Everything that was asked, in its order. */
  readonly asked: (readonly string[])[] = []
  /** When somebody connected last. */
  connectedAtMs = 0
  readonly #protocols = new Map<Socket, Protocol>()

  constructor(answer: (argv: readonly string[], socket: Socket) => Reply | undefined) {
    this.server = createServer((socket) => {
      this.sockets.add(socket)
      this.connectedAtMs = performance.now()
      socket.on('error', () => undefined)
      socket.on('close', () => this.sockets.delete(socket))
      const decoder = new RequestDecoder({ maxBulkBytes: 65_536, maxArguments: 1_000 })
      decoder.isAuthenticated = true
      socket.on('data', (bytes) => {
        decoder.push(bytes.toString('latin1'))
        for (let next = decoder.next(); next !== undefined; next = decoder.next()) {
          if (next.kind !== 'command') {
            socket.destroy()
            return
          }
          this.asked.push(next.argv)
          const reply = this.#greeting(next.argv, socket) ?? answer(next.argv, socket)
          if (reply !== undefined) this.tell(socket, reply)
        }
      })
    })
  }

  tell(socket: Socket, reply: Reply): void {
    socket.write(encodeReply(reply, this.#protocols.get(socket) ?? 2), 'latin1')
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))
    const address = this.server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  cut(): void {
    for (const socket of this.sockets) socket.destroy()
  }

  close(): void {
    this.cut()
    this.server.close()
  }

  #greeting(argv: readonly string[], socket: Socket): Reply | undefined {
    const command = argv[0]?.toUpperCase()
    if (command === 'CLIENT') return argv[1] === 'MAINT_NOTIFICATIONS' ? error('ERR no') : OK
    if (command !== 'HELLO') return undefined
    this.#protocols.set(socket, argv[1] === '3' ? 3 : 2)
    return bulkMap([['server', 'redis']])
  }
}

export class ScriptedMaster extends ScriptedServer {
  /** It answers nothing to this command. */
  constructor(silentTo = '') {
    super((argv) => {
      if (argv[0]?.toUpperCase() === silentTo) return undefined
      if (argv[0]?.toUpperCase() === 'INFO') return bulk('role:master\r\nloading:0\r\n')
      return argv.at(-1) === 'GET' ? NULL : OK
    })
  }
}

export class ScriptedSentinel extends ScriptedServer {
  /** Who listens: by socket, the channels and patterns as they were sent. */
  readonly listeners = new Map<Socket, string[]>()
  /** Answers to questions for the master, put off until `release`. */
  readonly held: (() => void)[] = []
  isHolding = false
  /** So many questions are answered with an error. */
  failuresLeft = 0
  failedAtMs = 0
  masterPort = 0

  constructor() {
    super((argv, socket) => this.#answer(argv, socket))
  }

  /** To all who listen to this very channel. */
  announce(channel: string, payload: string): void {
    for (const [socket, names] of this.listeners) {
      if (names.includes(channel)) this.tell(socket, push(['message', channel, payload]))
    }
  }

  release(): void {
    this.isHolding = false
    for (const answer of this.held.splice(0)) answer()
  }

  #answer(argv: readonly string[], socket: Socket): Reply | undefined {
    const [command = '', word = ''] = argv.map((one) => one.toUpperCase())
    if (command === 'SUBSCRIBE' || command === 'PSUBSCRIBE') {
      this.#subscribe(command.toLowerCase(), argv.slice(1), socket)
      return undefined
    }
    if (command !== 'SENTINEL') return OK
    if (this.failuresLeft > 0) {
      this.failuresLeft--
      this.failedAtMs = performance.now()
      return error('ERR not now')
    }
    if (word === 'GET-MASTER-ADDR-BY-NAME') return this.#masterAddress(socket)
    if (word === 'MASTER') return this.#master()
    return array([])
  }

  #masterAddress(socket: Socket): Reply | undefined {
    const reply = () => bulks(['127.0.0.1', String(this.masterPort)])
    if (!this.isHolding) return reply()
    this.held.push(() => this.tell(socket, reply()))
    return undefined
  }

  #master(): Reply {
    const port = String(this.masterPort)
    return bulkMap([
      ...([
        ['name', 'mymaster'],
        ['ip', '127.0.0.1'],
        ['port', port],
        ['flags', 'master'],
      ] as const),
    ])
  }

  #subscribe(kind: string, names: readonly string[], socket: Socket): void {
    const own = this.listeners.get(socket) ?? []
    this.listeners.set(socket, own)
    socket.once('close', () => this.listeners.delete(socket))
    for (const name of names) {
      own.push(name)
      const words = [bulk(kind), bulk(name), { kind: 'integer', value: own.length } as const]
      this.tell(socket, { kind: 'push', items: words })
    }
  }
}

export interface Stage {
  readonly sentinel: ScriptedSentinel
  readonly sentinelPort: number
  readonly master: ScriptedMaster
}

/** Both, until the end of the test. */
export async function stage(silentTo = ''): Promise<Stage> {
  const [sentinel, master] = [new ScriptedSentinel(), new ScriptedMaster(silentTo)]
  onTestFinished(() => {
    sentinel.close()
    master.close()
  })
  sentinel.masterPort = await master.listen()
  return { sentinel, sentinelPort: await sentinel.listen(), master }
}

/** The client loses its master, asks for it, and hears of a switch before it has the answer. */
export async function announceWhileAsked({ sentinel, master }: Stage): Promise<void> {
  sentinel.isHolding = true
  master.cut()
  await until('it asks for the master', 5_000, () => sentinel.held.length > 0)
  sentinel.announce('+switch-master', 'mymaster 127.0.0.1 1 127.0.0.1 2')
  // The announcement and the answer take two connections: it has to be read first.
  await sleep(100)
  sentinel.release()
}

function push(words: readonly string[]): Reply {
  return { kind: 'push', items: words.map((word) => bulk(word)) }
}
