/**
 * A data node as far as a Sentinel can tell: it has a role, lists its replicas, takes SLAVEOF and passes hellos on. Of
 * whole ones a rehearsal would take several times as long, and the Sentinel's process would hold their code.
 */
import type { Address } from '../base/ip.ts'
import { HELLO_CHANNEL } from '../core/discovery/hello-format.ts'
import { encodeReply } from '../resp/encode.ts'
import { array, bulk, bulks, integer, OK, type Reply, simple } from '../resp/reply.ts'
import { RequestDecoder } from '../resp/request-decoder.ts'
import type { Socket, SocketHandler } from '../sim/network/socket.ts'
import type { Process, Program } from '../sim/processes/process.ts'

export const PORT = 6_379
const REPLID = 'a'.repeat(40)
const PONG = simple('PONG')
const QUEUED = simple('QUEUED')

/** A connection to a stand-in. */
interface Session {
  readonly socket: Socket
  /** The replies of a transaction; undefined: none has begun. */
  queue: Reply[] | undefined
}

export class StandIn implements Program {
  readonly process: Process
  /** Those of the whole cluster; the first one is the master at first. */
  readonly #all: readonly StandIn[]
  readonly #subscribers = new Set<Socket>()
  /** Undefined: it is a master. */
  #master: Address | undefined

  constructor(process: Process, all: readonly StandIn[]) {
    this.process = process
    this.#all = all
    const [first] = all
    this.#master = first && { host: first.process.host.ip, port: PORT }
    process.listen(PORT, (socket) => this.#accept(socket))
  }

  get isRunningMaster(): boolean {
    return this.#isRunning && this.#master === undefined
  }

  wake(): void {}

  nextWakeUpMs(): undefined {
    return undefined
  }

  stopRequested(): void {
    this.process.exit()
  }

  get #isRunning(): boolean {
    return this.process.status === 'running'
  }

  #accept(socket: Socket): SocketHandler {
    const decoder = new RequestDecoder()
    const session: Session = { socket, queue: undefined }
    return {
      connected: () => {},
      received: (bytes) => {
        decoder.push(bytes)
        for (let next = decoder.next(); next?.kind === 'command'; next = decoder.next())
          socket.write(encodeReply(this.#answer(session, next.argv), 2))
      },
      closed: () => this.#subscribers.delete(socket),
    }
  }

  /** Commands of a transaction are carried out as they come: no other client is there meanwhile. */
  #answer(session: Session, argv: readonly string[]): Reply {
    const { queue } = session
    if (argv[0] === 'EXEC') {
      session.queue = undefined
      return array(queue ?? [])
    }
    if (argv[0] === 'MULTI') session.queue = []
    const reply = this.#reply(session, argv)
    if (queue === undefined) return reply
    queue.push(reply)
    return QUEUED
  }

  #reply({ socket }: Session, [command, ...words]: readonly string[]): Reply {
    switch (command) {
      case 'PING':
        return PONG
      case 'INFO':
        return bulk(this.#info())
      case 'SUBSCRIBE':
        this.#subscribers.add(socket)
        return array([bulk('subscribe'), bulk(HELLO_CHANNEL), integer(1)])
      case 'PUBLISH':
        return this.#publish(words[1] ?? '')
      case 'SLAVEOF':
        return this.#follow(...words)
      default:
        return OK
    }
  }

  #publish(payload: string): Reply {
    const message = encodeReply(bulks(['message', HELLO_CHANNEL, payload]), 2)
    for (const socket of this.#subscribers) socket.write(message)
    return integer(this.#subscribers.size)
  }

  #follow(host = '', port = ''): Reply {
    this.#master = host === 'NO' ? undefined : { host, port: Number(port) }
    return OK
  }

  #info(): string {
    const role = this.#master === undefined ? this.#masterLines() : this.#replicaLines(this.#master)
    const own = [`run_id:${this.process.name.padEnd(40, '0')}`, `master_replid:${REPLID}`]
    return [...own, ...role].map((line) => `${line}\r\n`).join('')
  }

  #masterLines(): readonly string[] {
    const replicas = this.#all.filter((one) => one.#isRunning && one.#follows(this))
    const lines = replicas.map(({ process }, at) => {
      const address = `ip=${process.host.ip},port=${PORT}`
      return `slave${at}:${address},state=online,offset=1000,lag=0`
    })
    return ['role:master', `connected_slaves:${replicas.length}`, ...lines]
  }

  #replicaLines({ host, port }: Address): readonly string[] {
    const isUp = this.#all.some((one) => one.isRunningMaster && this.#follows(one))
    return [
      ...['role:slave', `master_host:${host}`, `master_port:${port}`],
      ...[`master_link_status:${isUp ? 'up' : 'down'}`, 'slave_priority:100'],
      'slave_repl_offset:1000',
    ]
  }

  #follows({ process }: StandIn): boolean {
    return this.#master?.host === process.host.ip
  }
}
