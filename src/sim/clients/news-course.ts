/**
 * Messages of a client to itself: now and then it publishes one where it writes, and it listens at any node of
 * its group, for some seconds at each, on a connection of its own.
 */
import type { Address } from '../../base/ip.ts'
import type { Rng } from '../../base/rng.ts'
import { channelOf } from '../../history/data/news.ts'
import type { DataRequest } from '../../history/data/requests.ts'
import { LISTENING, type Question } from '../../history/writes.ts'
import { plainOf } from '../../resp/plain.ts'
import type { Reply } from '../../resp/reply.ts'
import type { Shell } from '../processes/shell.ts'
import { Exchange } from './exchange.ts'
import type { WriteSink } from './write-log.ts'

const PERIOD_MS = 5_000
const PUBLISH_ONE_IN = 12

export interface NewsCourseStart {
  readonly shell: Shell
  readonly group: string
  /** Where the nodes of the group are. */
  readonly nodes: () => readonly Address[]
  readonly rng: Rng
  readonly log: WriteSink
  readonly password: string | undefined
}

interface Listening {
  readonly exchange: Exchange
  /** Once the node has confirmed it. */
  question: Question | undefined
  readonly heard: string[]
}

export class NewsCourse {
  readonly #start: NewsCourseStart
  readonly #channel: string
  #listening: Listening | undefined
  /** Monotonic. */
  #dueMs: number

  constructor(start: NewsCourseStart) {
    this.#start = start
    this.#channel = channelOf(start.shell.name)
    this.#dueMs = start.shell.now().monoMs + start.rng.below(PERIOD_MS)
  }

  get dueMs(): number {
    return this.#dueMs
  }

  /** Undefined: the client asks something else. `unique`: a number that no other request has. */
  next(unique: number): DataRequest | undefined {
    if (!this.#start.rng.chance(1, PUBLISH_ONE_IN)) return undefined
    return { commands: [['PUBLISH', this.#channel, `${unique}`]], form: 'command' }
  }

  /** Goes on to another node, or stays. */
  wake(nowMs: number): void {
    if (nowMs < this.#dueMs) return
    this.#dueMs = nowMs + PERIOD_MS
    if (this.#listening !== undefined) this.#end(this.#listening)
    const { nodes, rng } = this.#start
    this.#listening = this.#listenAt(rng.pick(nodes()))
  }

  #listenAt(address: Address): Listening {
    const { shell, group, log, password } = this.#start
    const by = { client: shell.name, group, node: log.nameOf(address) }
    const subscribe = ['SUBSCRIBE', this.#channel]
    const handler = {
      connected: () => exchange.send(subscribe),
      replied: (reply: Reply) => {
        const told = plainOf(reply)
        const [kind, , text] = Array.isArray(told) ? told : []
        if (kind === 'message') listening.heard.push(`${text}`)
        if (kind !== 'subscribe') return
        const request = { commands: [subscribe], form: 'command' } as const
        listening.question = log.asked(by, { connection: LISTENING, request, write: undefined })
      },
      lost: () => this.#end(listening),
    }
    const exchange = new Exchange(shell, address, PERIOD_MS, handler, password)
    const listening: Listening = { exchange, question: undefined, heard: [] }
    return listening
  }

  #end(listening: Listening): void {
    const { exchange, question, heard } = listening
    exchange.close()
    listening.question = undefined
    if (question !== undefined) this.#start.log.told(question, heard)
  }
}
