/**
 * Whose word counts. The Sentinels that the user names do, and those that more than half of the named ones know of
 * beside themselves: a single Sentinel, or something that answers in its place, can neither add electors nor outvote
 * the others. Two addresses of one Sentinel are one elector.
 */
import { type Address, addressText } from '../base/ip.ts'
import type { SentinelKey } from './master-view.ts'

/** Another Sentinel, as one of them describes it. */
export interface KnownSentinel {
  readonly runId: string
  readonly address: Address
}

/** No group has more; a forged list cannot make us open connections without end. */
const MAX_KNOWN = 64

export class ProxyElectorate {
  readonly #named: readonly Address[]
  /** The run ids of the named ones, by address, as far as they have said them. */
  readonly #runIds = new Map<string, string>()
  /** What each of the named ones knows. */
  readonly #known = new Map<string, readonly KnownSentinel[]>()

  constructor(named: readonly Address[]) {
    this.#named = named
  }

  identified(address: Address, runId: string): void {
    this.#runIds.set(addressText(address), runId)
  }

  /** What it answered to SENTINEL SENTINELS. */
  described(by: Address, others: readonly KnownSentinel[]): void {
    if (this.#isNamed(by)) this.#known.set(addressText(by), others.slice(0, MAX_KNOWN))
  }

  keyOf(address: Address): SentinelKey {
    return this.#runIds.get(addressText(address)) ?? addressText(address)
  }

  /** All electors, the named ones first, each with an address of it. */
  electors(): ReadonlyMap<SentinelKey, Address> {
    const electors = new Map<SentinelKey, Address>()
    for (const address of this.#named) {
      const key = this.keyOf(address)
      if (!electors.has(key)) electors.set(key, address)
    }
    for (const { runId, address } of this.#agreed(electors.size)) {
      if (electors.has(runId)) continue
      this.#runIds.set(addressText(address), runId)
      electors.set(runId, address)
    }
    return electors
  }

  /** The Sentinels that more than half of the named ones know, or are themselves. */
  #agreed(named: number): readonly KnownSentinel[] {
    const votes = new Map<string, { readonly sentinel: KnownSentinel; count: number }>()
    for (const others of this.#known.values()) {
      for (const sentinel of new Map(others.map((one) => [one.runId, one])).values()) {
        const found = votes.get(sentinel.runId) ?? { sentinel, count: 0 }
        found.count++
        votes.set(sentinel.runId, found)
      }
    }
    return [...votes.values()]
      .filter(({ count }) => count > named / 2)
      .map(({ sentinel }) => sentinel)
  }

  #isNamed(address: Address): boolean {
    return this.#named.some((one) => addressText(one) === addressText(address))
  }
}
