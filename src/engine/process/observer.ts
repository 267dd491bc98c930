/**
 * Observes what can be seen of the running processes, and reports it in the language of all
 * engines.
 */
import { assert } from '../../base/assert.ts'
import type { Address } from '../../base/ip.ts'
import { type Hello, parseHello } from '../../core/discovery/hello-format.ts'
import type { NodeRole, Occurrence } from '../../history/happening.ts'
import type { Topology } from '../../history/topology.ts'
import type { Shell } from '../../sim/processes/shell.ts'
import { SentinelEventFacts } from './sentinel-facts.ts'
import { type ProcessWatch, watchNode, watchSentinel } from './watches.ts'

export interface ProcessObserverStart {
  readonly shell: Shell
  readonly topology: Topology
  readonly addressOf: (process: string) => Address
  readonly nameOf: (address: Address) => string
  readonly record: (process: string, occurrence: Occurrence) => void
}

export class ProcessObserver {
  readonly #start: ProcessObserverStart
  readonly #facts = new Map<string, SentinelEventFacts>()
  readonly #hellos: HelloFacts
  readonly #roles = new Map<string, string>()
  readonly #watches = new Map<string, ProcessWatch>()

  constructor(start: ProcessObserverStart) {
    this.#start = start
    const { topology, nameOf, record } = start
    const groups = topology.groups.map(({ name }) => name)
    for (const { name } of topology.sentinels) {
      this.#facts.set(name, new SentinelEventFacts(groups, (what) => record(name, what)))
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

  #sentinel(name: string): ProcessWatch {
    const { shell, topology, addressOf } = this.#start
    const facts = this.#facts.get(name)
    assert(facts !== undefined, `${name} is a Sentinel`)
    facts.forget()
    const groups = topology.groups.map((group) => group.name)
    return watchSentinel(shell, addressOf(name), { facts, groups })
  }

  #node(name: string): ProcessWatch {
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

/**
 * What Sentinels say in their hellos, as data nodes pass them on. The same hello comes from every
 * node, and one that waited behind a partition comes late. A hello is no news if its Sentinel has
 * said the same before, or has said something newer since.
 */
export class HelloFacts {
  /** The highest epoch that each Sentinel has announced, in a hello about any group. */
  readonly #currentEpochs = new Map<string, number>()
  /** The newest config epoch announced, by Sentinel and group. */
  readonly #configEpochs = new Map<string, number>()
  readonly #said = new Set<string>()
  readonly #tell: (hello: Hello, occurrence: Occurrence) => void

  constructor(tell: (hello: Hello, occurrence: Occurrence) => void) {
    this.#tell = tell
  }

  heard(payload: string): void {
    const hello = parseHello(payload)
    if (hello === undefined || !this.#isNews(hello)) return
    const { runId, group, configEpoch, masterHost, masterPort } = hello
    const master = { host: masterHost, port: masterPort }
    // The current epoch is left out: a vote may overtake a hello that was sent before it.
    this.#tell(hello, { kind: 'hello', sentinelId: runId, group, configEpoch, master })
  }

  #isNews(hello: Hello): boolean {
    const { runId, group, masterHost, masterPort } = hello
    if (this.#isLate(hello)) return false
    this.#currentEpochs.set(runId, hello.currentEpoch)
    this.#configEpochs.set(`${runId} ${group}`, hello.configEpoch)
    const text = `${runId} ${group} ${hello.configEpoch} ${masterHost}:${masterPort}`
    if (this.#said.has(text)) return false
    this.#said.add(text)
    return true
  }

  #isLate({ runId, group, currentEpoch, configEpoch }: Hello): boolean {
    const newest = this.#configEpochs.get(`${runId} ${group}`) ?? 0
    return currentEpoch < (this.#currentEpochs.get(runId) ?? 0) || configEpoch < newest
  }
}
