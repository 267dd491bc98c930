/**
 * What is known about a run at this moment, for checkers that need the context of a happening:
 * which processes run, what each node says it is, which processes are affected by faults.
 */

import type { Address } from '../../base/ip.ts'
import type { Happening, NodeRole, ProcessStatus } from '../happening.ts'
import type { GroupSpec, NodeSpec, Topology } from '../topology.ts'
import { Troubles } from './troubles.ts'

export interface SceneStart {
  readonly topology: Topology
  /** Undefined: addresses are not known here, and what needs them is not judged. */
  readonly addressOf?: (process: string) => Address
  /** The name of the process at an address, or the address itself. */
  readonly nameOf: (address: Address) => string
}

interface RoleNow {
  readonly role: NodeRole
  readonly sinceMs: number
}

export class CheckerView {
  readonly topology: Topology
  readonly nameOf: (address: Address) => string
  readonly troubles: Troubles
  readonly #status = new Map<string, { readonly status: ProcessStatus; readonly sinceMs: number }>()
  readonly #roles = new Map<string, RoleNow>()
  /** When the link of a replica to its master was last known to be up. */
  readonly #linkedAtMs = new Map<string, number>()
  /** When a node that is no longer a replica was last known to be one. */
  readonly #replicaAtMs = new Map<string, number>()

  readonly #addressOf: ((process: string) => Address) | undefined

  constructor({ topology, nameOf, addressOf }: SceneStart) {
    this.topology = topology
    this.nameOf = nameOf
    this.#addressOf = addressOf
    this.troubles = new Troubles(topology)
  }

  note(happening: Happening): void {
    this.troubles.note(happening)
    const { atMs, process } = happening
    if (process === undefined) return
    if (happening.kind === 'status') {
      this.#status.set(process, { status: happening.status, sinceMs: atMs })
      if (happening.status === 'down') this.#saidRole(atMs, process, undefined)
    } else if (happening.kind === 'role') this.#saidRole(atMs, process, happening.role)
  }

  /** Since when the process runs; undefined if it does not run. */
  runsSinceMs(process: string): number | undefined {
    const known = this.#status.get(process)
    return known?.status === 'running' ? known.sinceMs : undefined
  }

  /** Since when the process takes no input; undefined if it takes input now, or was never there. */
  haltedSinceMs(process: string): number | undefined {
    const known = this.#status.get(process)
    return known === undefined || known.status === 'running' ? undefined : known.sinceMs
  }

  /** What a running node says it is, and since when; undefined if it has not said so. */
  roleOf(node: string): RoleNow | undefined {
    return this.#roles.get(node)
  }

  /** When the node's link to its master was last up; undefined if never in this life. */
  linkedAtMs(node: string, nowMs: number): number | undefined {
    const role = this.#roles.get(node)?.role
    if (role?.kind === 'replica' && role.isLinkUp) return nowMs
    return this.#linkedAtMs.get(node)
  }

  /** When the node last said that it is a replica, in any life; undefined if never. */
  replicaAtMs(node: string, nowMs: number): number | undefined {
    return this.#roles.get(node)?.role.kind === 'replica' ? nowMs : this.#replicaAtMs.get(node)
  }

  /** Where the process is at present; undefined if that is not known. */
  addressOf(process: string): Address | undefined {
    return this.#addressOf?.(process)
  }

  group(name: string): GroupSpec | undefined {
    return this.topology.groups.find((group) => group.name === name)
  }

  node(name: string): NodeSpec | undefined {
    return this.topology.nodes.find((node) => node.name === name)
  }

  /** The longest time a segment takes between any two hosts, according to the topology. */
  get latencyMaxMs(): number {
    const { latency, ways } = this.topology
    const all = [latency, ...ways.map((way) => way.latency)]
    return Math.max(...all.map(({ baseMs, jitterMs }) => baseMs + jitterMs))
  }

  #saidRole(atMs: number, node: string, role: NodeRole | undefined): void {
    const before = this.#roles.get(node)?.role
    if (before?.kind === 'replica') this.#replicaAtMs.set(node, atMs)
    if (before?.kind === 'replica' && before.isLinkUp) this.#linkedAtMs.set(node, atMs)
    if (role === undefined) {
      this.#roles.delete(node)
      this.#linkedAtMs.delete(node)
    } else this.#roles.set(node, { role, sinceMs: atMs })
  }
}
