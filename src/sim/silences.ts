/**
 * For how long a Sentinel has had no good reply from a master, seen from outside: what the machine makes
 * of its replies is what is to be checked. Times are monotonic milliseconds of the Sentinel's process.
 */
import type { Event } from '../core/event.ts'
import type { State } from '../core/state.ts'
import type { Reply } from '../resp/reply.ts'

/** Replies to PING of a server that does its work, as C Sentinel takes them. */
const GOOD = /^(PONG|LOADING|MASTERDOWN)/

export class Silences {
  /** By `host port` of the instance. */
  readonly #goodAtMs = new Map<string, number>()
  #bornAtMs: number | undefined
  #nowMs = 0

  /** The process has come up again. */
  forget(): void {
    this.#goodAtMs.clear()
    this.#bornAtMs = undefined
  }

  born(nowMs: number): void {
    this.#bornAtMs = nowMs
    this.#nowMs = nowMs
  }

  heard(state: State, event: Event, nowMs: number): void {
    this.#nowMs = nowMs
    if (event.kind !== 'reply' || event.purpose.kind !== 'ping' || !isGood(event.reply)) return
    const [instance] = state.connections.get(event.link)?.link.owners ?? []
    if (instance !== undefined) this.#goodAtMs.set(`${instance.host} ${instance.port}`, nowMs)
  }

  /** Of the master that an event is about; undefined: it is about somebody else, or nobody listened. */
  before(payload: string): number | undefined {
    const [type, , host, port] = payload.split(' ')
    if (type !== 'master' || this.#bornAtMs === undefined) return undefined
    return this.#nowMs - (this.#goodAtMs.get(`${host} ${port}`) ?? this.#bornAtMs)
  }
}

function isGood(reply: Reply): boolean {
  if (reply.kind === 'bulk') return GOOD.test(reply.bytes)
  return (reply.kind === 'simple' || reply.kind === 'error') && GOOD.test(reply.text)
}
