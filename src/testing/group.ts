/** A group of the cluster as a test sees it: which of its nodes is the master, and which follow it. */
import type { ManagedGroup, ManagedNode, ManagedSentinel } from './parts.ts'

export class RunningGroup implements ManagedGroup {
  readonly name: string
  readonly nodes: readonly ManagedNode[]
  readonly #sentinels: readonly ManagedSentinel[]
  #last: ManagedNode

  constructor(name: string, nodes: readonly ManagedNode[], sentinels: readonly ManagedSentinel[]) {
    this.name = name
    this.nodes = nodes
    this.#sentinels = sentinels
    this.#last = nodes[0] as ManagedNode
  }

  get master(): ManagedNode {
    const told = this.told().map(({ node }) => node)
    const [first] = [...this.nodes].sort((one, other) => countOf(told, other) - countOf(told, one))
    if (first !== undefined && 2 * countOf(told, first) > told.length) this.#last = first
    return this.#last
  }

  get replicas(): readonly ManagedNode[] {
    const { master } = this
    return this.nodes.filter((node) => node !== master)
  }

  told(): readonly { readonly sentinel: string; readonly node: ManagedNode | undefined }[] {
    return this.#sentinels.flatMap((sentinel) => {
      const port = sentinel.view(this.name)?.masterPort
      if (port === undefined) return []
      return [{ sentinel: sentinel.name, node: this.nodes.find((node) => node.port === port) }]
    })
  }
}

function countOf<Item>(items: readonly Item[], item: Item): number {
  return items.filter((one) => one === item).length
}
