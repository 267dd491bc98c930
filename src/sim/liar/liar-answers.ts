/**
 * A liar that listens: it tells every process that connects what a Sentinel, a master or a replica
 * would say, in good form and in bad faith. Which of the three it plays depends on the port.
 */

import type { Address } from '../../base/ip.ts'
import { type AnsweredLie, epochOf, type Hearsay } from '../../history/lie.ts'
import { RequestDecoder } from '../../resp/request-decoder.ts'
import type { Socket, SocketHandler } from '../network/socket.ts'
import type { Process } from '../processes/process.ts'

export type LiarFace = 'sentinel' | 'master' | 'replica'

export interface LiarAnswersStart {
  readonly process: Process
  /** The run id that the liar uses. */
  readonly id: string
  readonly heard: () => Hearsay
  /** The master it claims to follow where it is taken for a replica. */
  readonly master: () => Address | undefined
}

/** A connection that another process has opened. */
interface Door {
  readonly face: LiarFace
  readonly port: number
}

export class LiarAnswers {
  readonly #start: LiarAnswersStart
  readonly #faces = new Map<number, LiarFace>()
  /** The id under which it last claimed to live at each port, if not its own. */
  readonly #ids = new Map<number, string>()
  #manner: AnsweredLie | undefined

  constructor(start: LiarAnswersStart) {
    this.#start = start
  }

  /** Other processes may be led to this port; it opens as soon as the liar answers at all. */
  showAt(port: number, face: LiarFace, id?: string): void {
    if (id !== undefined) this.#ids.set(port, id)
    if (this.#faces.has(port)) return
    this.#faces.set(port, face)
    if (this.#manner !== undefined) this.#open(port, face)
  }

  /** From now on it answers every process in this manner. */
  answer(manner: AnsweredLie): void {
    const isFirst = this.#manner === undefined
    this.#manner = manner
    if (!isFirst) return
    for (const [port, face] of this.#faces) this.#open(port, face)
  }

  #open(port: number, face: LiarFace): void {
    this.#start.process.listen(port, (socket) => this.#accept(socket, { face, port }))
  }

  #accept(socket: Socket, door: Door): SocketHandler {
    const decoder = new RequestDecoder()
    return {
      connected: () => {},
      received: (bytes) => {
        decoder.push(bytes)
        for (;;) {
          const request = decoder.next()
          if (request?.kind !== 'command') return
          socket.write(this.#reply(request.argv, door))
        }
      },
      closed: () => {},
    }
  }

  #reply(argv: readonly string[], { face, port }: Door): string {
    const [command = '', sub = ''] = argv.map((word) => word.toUpperCase())
    if (command === 'PING') return '+PONG\r\n'
    if (command === 'INFO')
      return bulk(face === 'replica' ? this.#replicaInfo() : this.#masterInfo())
    if (command === 'SENTINEL' && sub === 'IS-MASTER-DOWN-BY-ADDR')
      return this.#vote(argv[4] ?? '0')
    if (command === 'SENTINEL' && sub === 'CONFER') return this.#counsel(argv[4] ?? '0')
    if (command === 'SENTINEL' && sub === 'MYID') return bulk(this.#ids.get(port) ?? this.#start.id)
    if (command === 'SUBSCRIBE') return `*3\r\n${bulk('subscribe')}${bulk(argv[1] ?? '')}:1\r\n`
    return command === 'PUBLISH' ? ':1\r\n' : '+OK\r\n'
  }

  #vote(asked: string): string {
    const isNobody = this.#manner?.leader !== 'made-up'
    return `*3\r\n${this.#down}${bulk(isNobody ? '*' : this.#start.id)}:${this.#epoch(asked)}\r\n`
  }

  /**
   * The liar says that it would vote for any Sentinel that asks: that is no vote, and a promise
   * that it does not keep.
   */
  #counsel(asked: string): string {
    return `*3\r\n${this.#down}:1\r\n:${this.#epoch(asked)}\r\n`
  }

  get #down(): string {
    return `:${this.#manner?.isDown === true ? 1 : 0}\r\n`
  }

  #epoch(asked: string): bigint {
    const word = this.#manner?.epoch ?? 'asked'
    return epochOf(word, {
      ...this.#start.heard(),
      asked: /^\d+$/.test(asked) ? BigInt(asked) : 0n,
    })
  }

  #masterInfo(): string {
    const replicas = Array.from({ length: this.#manner?.replicas ?? 0 }, (_, index) => {
      const host = `192.0.2.${(index % 250) + 1}`
      return `slave${index}:ip=${host},port=${10_000 + Math.floor(index / 250)},state=online,offset=1,lag=0`
    })
    return lines([`run_id:${this.#start.id}`, 'role:master', ...replicas])
  }

  /** As good as possible: first in priority, and ahead of all others. */
  #replicaInfo(): string {
    const { host = '', port = 0 } = this.#start.master() ?? {}
    return lines([
      ...[`run_id:${this.#start.id}`, 'role:slave', `master_host:${host}`, `master_port:${port}`],
      ...['master_link_status:up', 'slave_priority:1', 'slave_repl_offset:9007199254740991'],
    ])
  }
}

function bulk(text: string): string {
  return `$${text.length}\r\n${text}\r\n`
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\r\n`).join('')
}
