/**
 * What a client sees of its databases where it does not write: now and then it looks at any node of its
 * group, a replica mostly, on a connection of its own. Whatever the node has, it has whole.
 */
import type { Address } from '../../base/ip.ts'
import type { Rng } from '../../base/rng.ts'
import { glanceAt, sentFor } from '../../history/data/requests.ts'
import { BESIDE, type Question } from '../../history/writes.ts'
import { plainOf } from '../../resp/plain.ts'
import type { Reply } from '../../resp/reply.ts'
import type { Shell } from '../processes/shell.ts'
import { Aside } from './aside.ts'
import { Exchange } from './exchange.ts'
import type { WriteSink } from './write-log.ts'

const PERIOD_MS = 3_000

export interface SideLooksStart {
  readonly shell: Shell
  readonly group: string
  /** Where the nodes of the group are. */
  readonly nodes: () => readonly Address[]
  readonly databases: readonly [home: number, second: number]
  readonly rng: Rng
  readonly log: WriteSink
  readonly password: string | undefined
}

export class SideLooks extends Aside {
  readonly #start: SideLooksStart

  constructor(start: SideLooksStart) {
    super(start.shell, start.rng, PERIOD_MS)
    this.#start = start
  }

  protected open(): Exchange {
    return this.#lookAt(this.#start.rng.pick(this.#start.nodes()))
  }

  #lookAt(address: Address): Exchange {
    const { shell, group, databases, log, password } = this.#start
    const by = { client: shell.name, group, node: log.nameOf(address) }
    const request = glanceAt(...databases)
    const commands = [['SELECT', `${databases[0]}`], ...sentFor(request)]
    let left = commands.length
    let question: Question | undefined
    const handler = {
      connected: () => {
        question = log.asked(by, { connection: BESIDE, request, write: undefined })
        for (const argv of commands) exchange.send(argv)
      },
      replied: (reply: Reply) => {
        left--
        if (left > 0 || question === undefined) return
        exchange.close()
        log.told(question, plainOf(reply))
      },
      lost: () => undefined,
    }
    const exchange = new Exchange(shell, address, PERIOD_MS, handler, password)
    return exchange
  }
}
