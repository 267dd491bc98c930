/**
 * What is known of a run at this moment, for checkers that have to see a happening in its place: who
 * runs, what each node says it is, whom faults touch.
 */
import type { Address, Happening, NodeRole } from '../happening.ts'
import type { ProcessStatus } from '../process.ts'
import type { GroupSpec, NodeSpec, Topology } from '../topology.ts'
import { Troubles } from './troubles.ts'

export interface SceneStart {
  readonly topology: Topology
  /** The name of the process at an address, or the address itself. */
  readonly nameOf: (address: Address) => string
}

interface RoleNow {
  readonly role: NodeRole
  readonly sinceMs: number
}

export class Scene {
  readonly topology: Topology
  readonly nameOf: (address: Address) => string
  readonly troubles: Troubles
  readonly #status = new Map<string, { readonly status: ProcessStatus; readonly sinceMs: number }>()
  readonly #roles = new Map<string, RoleNow>()
  /** When the link of a replica to its master was last known to stand. */
  readonly #linkedAtMs = new Map<string, number>()
  /** When a node that is none now was last known to be a replica. */
  readonly #replicaAtMs = new Map<string, number>()

  constructor({ topology, nameOf }: SceneStart) {
    this.topology = topology
    this.nameOf = nameOf
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

  /** Undefined: it does not run. */
  runsSinceMs(process: string): number | undefined {
    const known = this.#status.get(process)
    return known?.status === 'running' ? known.sinceMs : undefined
  }

  /** Undefined: it takes input now, or has never been there. */
  haltedSinceMs(process: string): number | undefined {
    const known = this.#status.get(process)
    return known === undefined || known.status === 'running' ? undefined : known.sinceMs
  }

  /** What a running node says it is, and since when; undefined when it has not said. */
  roleOf(node: string): RoleNow | undefined {
    return this.#roles.get(node)
  }

  /** When its link to its master last stood; undefined: never in this life. */
  linkedAtMs(node: string, nowMs: number): number | undefined {
    const role = this.#roles.get(node)?.role
    if (role?.kind === 'replica' && role.isLinkUp) return nowMs
    return this.#linkedAtMs.get(node)
  }

  /** When it last said that it is a replica, in any life; undefined: never. */
  replicaAtMs(node: string, nowMs: number): number | undefined {
    return this.#roles.get(node)?.role.kind === 'replica' ? nowMs : this.#replicaAtMs.get(node)
  }

  group(name: string): GroupSpec | undefined {
    return this.topology.groups.find((group) => group.name === name)
  }

  node(name: string): NodeSpec | undefined {
    return this.topology.nodes.find((node) => node.name === name)
  }

  /** The longest a segment takes between any two hosts as the topology has it. */
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
