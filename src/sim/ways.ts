import type { Rng } from '../base/rng.ts'
import type { Host, Hosts } from './hosts.ts'
import type { LinkConditions } from './link-conditions.ts'
import type { Reachability } from './reachability.ts'
import { type Latency, Way, type WayKind } from './way.ts'

export interface WaysStart {
  readonly hosts: Hosts
  readonly reachability: Reachability
  readonly conditions: LinkConditions
  readonly latencyOf: (from: string, to: string) => Latency
  readonly rng: Rng
}

/** All ways between hosts, each made when it is first used, and kept as the faults of the moment say. */
export class Ways {
  readonly #start: WaysStart
  readonly #entries = new Map<string, Entry>()

  constructor(start: WaysStart) {
    this.#start = start
  }

  between(from: Host, to: Host): Way {
    const key = `${from.name}>${to.name}`
    const known = this.#entries.get(key)
    if (known !== undefined) return known.way
    const { latencyOf, rng } = this.#start
    const way = new Way(this.#kind(from, to), latencyOf(from.name, to.name), rng.fork(key))
    const entry = { from, to, way }
    this.#entries.set(key, entry)
    this.#set(entry)
    return way
  }

  /** A fault has come or gone. */
  refresh(): void {
    for (const entry of this.#entries.values()) this.#set(entry)
  }

  #set({ from, to, way }: Entry): void {
    const { hosts, reachability, conditions } = this.#start
    const isPowered = hosts.isOn(from) && hosts.isOn(to)
    if (way.kind !== 'link') return way.set(isPowered, false, undefined)
    const [a, b] = [from.name, to.name]
    const passes = isPowered && reachability.passes(a, b)
    way.set(passes, reachability.holds(a, b), conditions.of(a, b))
  }

  #kind(from: Host, to: Host): WayKind {
    if (from === to) return 'loopback'
    return this.#start.reachability.isOutside(from.name, to.name) ? 'outside' : 'link'
  }
}

interface Entry {
  readonly from: Host
  readonly to: Host
  readonly way: Way
}
