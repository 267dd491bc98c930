/** Sees what can be seen of the running processes, and tells it in the language of all engines. */
import { assert } from '../../base/assert.ts'
import type { Address, NodeRole, Occurrence } from '../../sim/happening.ts'
import type { Shell } from '../../sim/shell.ts'
import type { Topology } from '../../sim/topology.ts'
import { HelloFacts } from './hello-facts.ts'
import { SentinelFacts } from './sentinel-facts.ts'
import { type Watch, watchNode, watchSentinel } from './watches.ts'

export interface OnlookerStart {
  readonly shell: Shell
  readonly topology: Topology
  readonly addressOf: (process: string) => Address
  readonly nameOf: (address: Address) => string
  readonly record: (process: string, occurrence: Occurrence) => void
}

export class Onlooker {
  readonly #start: OnlookerStart
  readonly #facts = new Map<string, SentinelFacts>()
  readonly #hellos: HelloFacts
  readonly #roles = new Map<string, string>()
  readonly #watches = new Map<string, Watch>()

  constructor(start: OnlookerStart) {
    this.#start = start
    const { topology, nameOf, record } = start
    const groups = topology.groups.map(({ name }) => name)
    for (const { name } of topology.sentinels) {
      this.#facts.set(name, new SentinelFacts(groups, (what) => record(name, what)))
    }
    this.#hellos = new HelloFacts(({ host, port }, what) => record(nameOf({ host, port }), what))
  }

  /** The process has been started: whatever it was before is forgotten. */
  watch(process: string): void {
    this.unwatch(process)
    const watch = this.#facts.has(process) ? this.#sentinel(process) : this.#node(process)
    this.#watches.set(process, watch)
  }

  isWatching(process: string): boolean {
    return this.#watches.has(process)
  }

  /** The process is gone: connections to it would only hang. */
  unwatch(process: string): void {
    this.#watches.get(process)?.close()
    this.#watches.delete(process)
  }

  close(): void {
    for (const process of [...this.#watches.keys()]) this.unwatch(process)
  }

  #sentinel(name: string): Watch {
    const { shell, topology, addressOf } = this.#start
    const facts = this.#facts.get(name)
    assert(facts !== undefined, `${name} is a Sentinel`)
    facts.forget()
    const groups = topology.groups.map((group) => group.name)
    return watchSentinel(shell, addressOf(name), { facts, groups })
  }

  #node(name: string): Watch {
    const { shell, addressOf } = this.#start
    this.#roles.delete(name)
    return watchNode(shell, addressOf(name), {
      role: (role) => this.#answered(name, role),
      hello: (payload) => this.#hellos.heard(payload),
    })
  }

  #answered(node: string, role: NodeRole): void {
    const text = JSON.stringify(role)
    if (this.#roles.get(node) === text) return
    this.#roles.set(node, text)
    this.#start.record(node, { kind: 'role', role })
  }
}
