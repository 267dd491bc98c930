/** Which path is cut, held, lossy or slow at the moment: what has to be set at the bridge. */
import type { Action } from '../../history/action.ts'
import type { LinkShape } from '../../history/link-shape.ts'
import { latencyOf, type Topology } from '../../history/topology.ts'
import { Wiring } from '../../history/wiring.ts'
import type { Drop } from './firewall.ts'
import type { QueuedWay } from './queues.ts'

export interface BridgePathsStart {
  readonly hosts: readonly string[]
  readonly topology: Topology
  /** Whether the kernel can delay packets; if not, every path is as fast as the machine. */
  readonly canDelay: boolean
  readonly ipOf: (host: string) => string
}

export class BridgePaths {
  readonly #start: BridgePathsStart
  readonly #wiring = new Wiring()

  constructor(start: BridgePathsStart) {
    this.#start = start
  }

  /** Returns false if the action leaves every path as it was. */
  apply(action: Action): boolean {
    return this.#wiring.apply(action)
  }

  /** Whether a connection between these hosts can be opened and used. */
  converses(a: string, b: string): boolean {
    return this.#wiring.reachability.converses(a, b)
  }

  drops(): readonly Drop[] {
    const { ipOf } = this.#start
    return this.#pairs().flatMap(([from, to]) => {
      const share = this.#passes(from, to) ? (this.#shapeOf(from, to).loss ?? 0) : 1
      return share === 0 ? [] : [{ fromIp: ipOf(from), toIp: ipOf(to), share }]
    })
  }

  /** The slow paths, by the receiving host. */
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

  /**
   * What is held is dropped, and TCP sends it again, in order: to both ends it looks as if it had
   * waited.
   */
  #passes(from: string, to: string): boolean {
    const { reachability } = this.#wiring
    return reachability.passes(from, to) && !reachability.holds(from, to)
  }

  #shapeOf(from: string, to: string): LinkShape {
    const { canDelay, topology } = this.#start
    const { baseMs, jitterMs } = latencyOf(topology, from, to)
    const base = canDelay ? { latencyMs: baseMs, jitterMs } : {}
    return { ...base, ...this.#wiring.conditions.of(from, to) }
  }

  #pairs(): readonly (readonly [string, string])[] {
    const { hosts } = this.#start
    return hosts.flatMap((from) =>
      hosts.flatMap((to) => (from === to ? [] : [[from, to] as const])),
    )
  }
}
