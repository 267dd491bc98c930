/**
 * Which node is the master of a group, by the word of more than half of its Sentinels. A word holds for the lease,
 * counted from when the Sentinel was asked: it said so then or later. Two majorities have a Sentinel in common, and
 * of each only the latest word counts, so two masters are never believed at once; and once a majority has
 * replaced a master, what it said before runs out with the lease.
 */
import type { Address } from '../base/ip.ts'
import { hostAndPort } from '../base/ip.ts'

/** What tells Sentinels apart: the run id, or the address as long as that is all we know. */
export type SentinelKey = string

interface Word {
  readonly address: Address
  readonly askedAtMs: number
}

export interface ConfirmedMaster {
  readonly address: Address
  /** From this moment on it is confirmed no longer, unless its Sentinels repeat it. */
  readonly untilMs: number
  readonly sentinels: number
}

export class MasterView {
  readonly #leaseMs: number
  readonly #words = new Map<SentinelKey, Word>()

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs
  }

  /** A Sentinel that was asked then has named this master. */
  named(by: SentinelKey, address: Address, askedAtMs: number): void {
    const before = this.#words.get(by)
    if (before !== undefined && before.askedAtMs > askedAtMs) return
    this.#words.set(by, { address, askedAtMs })
  }

  /** It knows no such group. */
  silent(by: SentinelKey): void {
    this.#words.delete(by)
  }

  /** Forgets what others said. */
  keepOnly(electors: ReadonlySet<SentinelKey>): void {
    for (const key of this.#words.keys()) {
      if (!electors.has(key)) this.#words.delete(key)
    }
  }

  /** The master that more than half of `electors` Sentinels name. */
  confirmed(nowMs: number, electors: number): ConfirmedMaster | undefined {
    const needed = Math.floor(electors / 2) + 1
    const ends = new Map<string, { readonly address: Address; readonly untilMs: number[] }>()
    for (const { address, askedAtMs } of this.#words.values()) {
      const untilMs = askedAtMs + this.#leaseMs
      if (untilMs <= nowMs) continue
      const name = hostAndPort(address.host, address.port)
      const found = ends.get(name) ?? { address, untilMs: [] }
      found.untilMs.push(untilMs)
      ends.set(name, found)
    }
    for (const { address, untilMs } of ends.values()) {
      if (untilMs.length < needed) continue
      untilMs.sort((one, other) => other - one)
      return { address, untilMs: untilMs[needed - 1] ?? nowMs, sentinels: untilMs.length }
    }
    return undefined
  }
}
