/**
 * What a Sentinel's own record tells of the clocks of data nodes: each first INFO of a connection says in which life a
 * node answered (run_id) and what its wall clock showed then (server_time_usec), between question and answer. And
 * when the Sentinel ordered a node to change its role, and had an answer to that. All times are of the monotonic
 * clock of that Sentinel.
 */
import { hostAndPort } from '../../base/ip.ts'
import type { State } from '../../core/state.ts'
import type { PlayedStep } from '../player.ts'

/** A node told its wall clock, between these two moments. */
export interface ToldClock {
  readonly runId: string
  readonly address: string
  readonly wallMs: number
  readonly sentAtMs: number
  readonly answeredAtMs: number
}

/** SLAVEOF; the INFO behind it was answered when that had been carried out. */
export interface RoleOrder {
  readonly address: string
  /** `host:port`, or `no one`. */
  readonly master: string
  readonly sentAtMs: number
  answeredAtMs: number | undefined
}

export class NodeTalk {
  readonly clocks: ToldClock[] = []
  readonly orders: RoleOrder[] = []
  /** By link with such INFOs: when each that is not answered was sent; undefined: before the record begins. */
  readonly #asked = new Map<number, (number | undefined)[]>()
  /** By link: the clock that the last INFO showed. A record repeats it, see info-lines.ts. */
  readonly #last = new Map<number, string>()

  /** At most as many INFOs are unanswered as there are requests, and the one that the first step may have answered. */
  begin(state: State): void {
    for (const { id, link, pending } of state.connections.values())
      if (link.owners.some(({ kind }) => kind !== 'sentinel'))
        this.#asked.set(id, Array(pending + 1).fill(undefined))
  }

  note({ state, now: { monoMs }, event, effects }: PlayedStep): void {
    if (event.kind === 'linkLost') {
      this.#asked.delete(event.link)
      this.#last.delete(event.link)
    }
    if (event.kind === 'reply' && event.purpose.kind === 'info')
      this.#answered(state, event.link, event.reply, monoMs)
    this.#dropAnswered(state, effects)
    for (const effect of effects) {
      if (effect.kind !== 'send') continue
      if (effect.purpose.kind === 'info') this.#ask(effect.link, monoMs)
      if (effect.argv[0] === 'SLAVEOF') this.#order(state, effect.link, effect.argv, monoMs)
    }
  }

  /**
   * Where nothing but what was sent in this step waits for an answer, everything before it has one. This looks at every
   * link that is kept here, at each step: of a thousand links few have an INFO open.
   */
  #dropAnswered(state: State, effects: PlayedStep['effects']): void {
    for (const link of this.#asked.keys()) {
      const sent = effects.filter((one) => one.kind === 'send' && one.link === link).length
      const pending = state.connections.get(link)?.pending
      if (pending === undefined || pending <= sent) this.#asked.delete(link)
    }
  }

  #ask(link: number, monoMs: number): void {
    const open = this.#asked.get(link) ?? []
    this.#asked.set(link, open)
    open.push(monoMs)
  }

  #order(state: State, link: number, argv: readonly string[], sentAtMs: number): void {
    const address = addressOf(state, link)
    const [, host = '', port = ''] = argv
    const master = host === 'NO' ? 'no one' : hostAndPort(host, Number(port))
    if (address !== undefined)
      this.orders.push({ address, master, sentAtMs, answeredAtMs: undefined })
  }

  #answered(state: State, link: number, reply: { readonly kind: string }, monoMs: number): void {
    const open = this.#asked.get(link)
    const sentAtMs = open?.shift()
    if (open?.length === 0) this.#asked.delete(link)
    const address = addressOf(state, link)
    if (address === undefined || sentAtMs === undefined) return
    for (const order of this.orders)
      if (order.address === address && order.sentAtMs <= sentAtMs) order.answeredAtMs ??= monoMs
    const text = 'bytes' in reply && typeof reply.bytes === 'string' ? reply.bytes : ''
    const [, runId] = /^run_id:([0-9a-f]{40})\r?$/m.exec(text) ?? []
    const [, micros] = /^server_time_usec:(\d{1,16})\r?$/m.exec(text) ?? []
    if (runId === undefined || micros === undefined || this.#last.get(link) === micros) return
    this.#last.set(link, micros)
    const wallMs = Math.floor(Number(micros) / 1_000)
    this.clocks.push({ runId, address, wallMs, sentAtMs, answeredAtMs: monoMs })
  }
}

function addressOf(state: State, link: number): string | undefined {
  const [owner] = state.connections.get(link)?.link.owners ?? []
  if (owner === undefined || owner.kind === 'sentinel') return undefined
  return hostAndPort(owner.host, owner.port)
}
