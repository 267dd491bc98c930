/** Which way is cut, held, lossy or slow at the moment: what the bridge has to be told. */
import { unreachable } from '../../base/assert.ts'
import type { Action } from '../../sim/action.ts'
import { LinkConditions } from '../../sim/link-conditions.ts'
import type { LinkShape } from '../../sim/link-shape.ts'
import { Reachability } from '../../sim/reachability.ts'
import type { Topology } from '../../sim/topology.ts'
import type { Drop } from './firewall.ts'
import type { QueuedWay } from './queues.ts'

export interface WaysStart {
  readonly hosts: readonly string[]
  readonly topology: Topology
  /** The kernel can delay packets; if not, every way is as fast as the machine. */
  readonly canDelay: boolean
  readonly ipOf: (host: string) => string
}

export type WayAction = Action & {
  readonly kind: 'partition' | 'cut' | 'hold' | 'release' | 'shape' | 'heal'
}

export class Ways {
  readonly #start: WaysStart
  readonly #reachability = new Reachability()
  readonly #conditions = new LinkConditions()

  constructor(start: WaysStart) {
    this.#start = start
  }

  apply(action: WayAction): void {
    switch (action.kind) {
      case 'partition':
        return this.#reachability.partition(action.groups)
      case 'cut':
        return this.#reachability.cut(action.from, action.to)
      case 'hold':
        return this.#reachability.hold(action.from, action.to)
      case 'release':
        return this.#reachability.release()
      case 'shape':
        return this.#conditions.shape(action.from, action.to, action.shape)
      case 'heal':
        this.#conditions.heal()
        return this.#reachability.heal()
      default:
        return unreachable(action)
    }
  }

  /** A connection between these hosts can be opened and used. */
  converses(a: string, b: string): boolean {
    return this.#reachability.converses(a, b)
  }

  drops(): readonly Drop[] {
    const { ipOf } = this.#start
    return this.#pairs().flatMap(([from, to]) => {
      const share = this.#passes(from, to) ? (this.#shapeOf(from, to).loss ?? 0) : 1
      return share === 0 ? [] : [{ fromIp: ipOf(from), toIp: ipOf(to), share }]
    })
  }

  /** By the receiving host. */
  queues(): ReadonlyMap<string, readonly QueuedWay[]> {
    const { hosts, ipOf } = this.#start
    return new Map(
      hosts.map((to) => {
        const senders = hosts.filter((from) => from !== to)
        const ways = senders.map((from) => ({ fromIp: ipOf(from), shape: this.#shapeOf(from, to) }))
        return [to, ways]
      }),
    )
  }

  /** What is held is dropped and sent again by TCP, in order: to both ends it looks as if it had waited. */
  #passes(from: string, to: string): boolean {
    return this.#reachability.passes(from, to) && !this.#reachability.holds(from, to)
  }

  #shapeOf(from: string, to: string): LinkShape {
    const base = this.#start.canDelay ? this.#latencyOf(from, to) : {}
    return { ...base, ...this.#conditions.of(from, to) }
  }

  #latencyOf(a: string, b: string): LinkShape {
    const { ways, latency } = this.#start.topology
    const own = ways.find(({ hosts }) => hosts.includes(a) && hosts.includes(b))
    const { baseMs, jitterMs } = own?.latency ?? latency
    return { latencyMs: baseMs, jitterMs }
  }

  #pairs(): readonly (readonly [string, string])[] {
    const { hosts } = this.#start
    return hosts.flatMap((from) =>
      hosts.flatMap((to) => (from === to ? [] : [[from, to] as const])),
    )
  }
}
