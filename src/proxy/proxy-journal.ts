/**
 * [black-box] What this proxy puts on record of itself: where it forwards to and why no longer, which Sentinels it
 * hears, how long commands wait, and what it answers itself. It looks a few times a second at what is counted anyway.
 */
import type { Moment } from '../base/clock.ts'
import { type Address, hostAndPort } from '../base/ip.ts'
import type { JournalEvent } from '../journal/event-table.ts'
import { SelfWatch } from '../journal/self-watch.ts'
import type { SessionHome } from './session-home.ts'

/** The proxy, as far as its journal looks at it. */
export interface JournalledProxy {
  readonly holding: number
  readonly counts: SessionHome['counts']
  readonly sentinels: readonly { readonly isUp: boolean; readonly address: Address }[]
}

interface Holding {
  readonly sinceMs: number
  /** How many clients at most. */
  clients: number
}

export class ProxyJournal {
  readonly #note: (now: Moment, event: JournalEvent) => void
  readonly #watch: SelfWatch
  #last: Moment
  /** By group: the master that commands go to. */
  readonly #masters = new Map<string, string>()
  /** The Sentinels that are heard. */
  readonly #heard = new Set<string>()
  #holding: Holding | undefined

  constructor(note: (now: Moment, event: JournalEvent) => void, now: Moment) {
    this.#note = note
    this.#last = now
    this.#watch = new SelfWatch(note)
    note(now, { kind: 'proxyStarted' })
  }

  /** Monotonic. */
  get nextLookMs(): number {
    return this.#watch.nextLookMs
  }

  /** The master of a group that is confirmed from now on; undefined: none is. */
  confirmed(group: string, master: Address | undefined): void {
    const from = this.#masters.get(group)
    const to = master === undefined ? undefined : hostAndPort(master.host, master.port)
    if (from === to) return
    const why =
      to === undefined ? 'no majority of the Sentinels confirms it' : `${to} is confirmed instead`
    if (from !== undefined) this.#note(this.#last, { kind: 'forwardsNoMore', group, from, why })
    if (to === undefined) this.#masters.delete(group)
    else this.#masters.set(group, to)
    if (to !== undefined) this.#note(this.#last, { kind: 'forwards', group, to })
  }

  /** First in every turn. */
  turnBegins(now: Moment): void {
    this.#watch.turnBegins(this.#last, now)
    this.#last = now
  }

  wake(proxy: JournalledProxy): void {
    if (!this.#watch.isDue(this.#last)) return
    this.#lookAtSentinels(proxy.sentinels)
    this.#lookAtHold(proxy.holding)
    const { refused, unanswered } = proxy.counts
    this.#watch.counted(this.#last, 'NOMASTER', refused)
    this.#watch.counted(this.#last, 'UNANSWERED', unanswered)
    this.#watch.endRefusals(this.#last)
  }

  stopping(clients: number): void {
    this.#note(this.#last, { kind: 'proxyStopping', clients })
  }

  ends(): void {
    this.#lookAtHold(0)
    this.#watch.endRefusals(this.#last, true)
    this.#note(this.#last, { kind: 'proxyStopped' })
  }

  #lookAtSentinels(sentinels: JournalledProxy['sentinels']): void {
    const up = sentinels.filter(({ isUp }) => isUp).map(({ address }) => address)
    const names = new Set(up.map(({ host, port }) => hostAndPort(host, port)))
    for (const sentinel of names) {
      if (this.#heard.has(sentinel)) continue
      this.#heard.add(sentinel)
      this.#note(this.#last, { kind: 'sentinelHeard', sentinel })
    }
    for (const sentinel of this.#heard) {
      if (names.has(sentinel)) continue
      this.#heard.delete(sentinel)
      this.#note(this.#last, { kind: 'sentinelLost', sentinel })
    }
  }

  #lookAtHold(clients: number): void {
    const { monoMs } = this.#last
    const holding = this.#holding
    if (clients > 0 && holding === undefined) {
      this.#holding = { sinceMs: monoMs, clients }
      this.#note(this.#last, { kind: 'holding', clients })
    } else if (clients > 0 && holding !== undefined) {
      holding.clients = Math.max(holding.clients, clients)
    } else if (holding !== undefined) {
      this.#holding = undefined
      const forMs = monoMs - holding.sinceMs
      this.#note(this.#last, { kind: 'held', clients: holding.clients, forMs })
    }
  }
}
