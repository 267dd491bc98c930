/**
 * Now and then an application does what `printf … | nc` does, on a connection of its own: it sends a few commands,
 * closes its half, and reads what comes. It tells when the other side closes in order and owes an answer.
 */
import type { Address } from '../../base/ip.ts'
import type { Rng } from '../../base/rng.ts'
import type { Occurrence } from '../../history/happening.ts'
import type { Shell } from '../processes/shell.ts'
import { Aside } from './aside.ts'
import { Exchange } from './exchange.ts'

const PERIOD_MS = 1_500
const ASKED_MAX = 6
/** In the first database, which is for all; no checker looks for this key. */
const KEY = 'half-closed'
/** Other reasons say that the connection was lost on the way. */
const IN_ORDER: readonly string[] = ['closed by the other side', 'closed by the proxy']

export interface HalfClosesStart {
  readonly shell: Shell
  /** Where to connect to next: any node, or the proxy. */
  readonly place: () => Address
  readonly rng: Rng
  readonly password: string | undefined
  readonly tell: (what: Occurrence) => void
}

export class HalfCloses extends Aside {
  readonly #start: HalfClosesStart

  constructor(start: HalfClosesStart) {
    super(start.shell, start.rng, PERIOD_MS)
    this.#start = start
  }

  protected open(): Exchange {
    return this.#ask(this.#commands())
  }

  #commands(): readonly (readonly string[])[] {
    const { rng } = this.#start
    const count = 1 + rng.below(ASKED_MAX)
    const kinds = [['SET', KEY, `${this.dueMs}`], ['GET', KEY], ['PING']]
    return Array.from({ length: count }, () => rng.pick(kinds))
  }

  #ask(commands: readonly (readonly string[])[]): Exchange {
    const { shell, place, password, tell } = this.#start
    let [askedAtMs, answered] = [0, 0]
    const handler = {
      connected: () => {
        askedAtMs = shell.now().monoMs
        for (const argv of commands) exchange.send(argv)
        exchange.closeSending()
      },
      replied: () => {
        answered++
      },
      lost: (reason: string) => {
        if (answered >= commands.length || !IN_ORDER.includes(reason)) return
        const tookMs = shell.now().monoMs - askedAtMs
        const { host } = exchange.address
        tell({ kind: 'unanswered', host, asked: commands.length, answered, tookMs })
      },
    }
    const exchange = new Exchange(shell, place(), PERIOD_MS, handler, password)
    return exchange
  }
}
