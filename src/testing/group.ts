/** A group of the cluster as a test sees it: which of its nodes is the master, and which follow it. */
import { currentMaster } from '../core/state.ts'
import type { NodeMember } from './node-member.ts'
import type { SentinelMember } from './sentinel-member.ts'

export class TestGroup {
  readonly name: string
  /** In the order of their names; the first one was the first master. */
  readonly nodes: readonly NodeMember[]
  readonly #sentinels: readonly SentinelMember[]
  #last: NodeMember

  constructor(name: string, nodes: readonly NodeMember[], sentinels: readonly SentinelMember[]) {
    this.name = name
    this.nodes = nodes
    this.#sentinels = sentinels
    this.#last = nodes[0] as NodeMember
  }

  /** The node that most of the running Sentinels tell clients; while they disagree, the last one. */
  get master(): NodeMember {
    const told = this.told().map(({ node }) => node)
    const [first] = [...this.nodes].sort((one, other) => countOf(told, other) - countOf(told, one))
    if (first !== undefined && 2 * countOf(told, first) > told.length) this.#last = first
    return this.#last
  }

  /** All nodes but the master, whether they run or not. */
  get replicas(): readonly NodeMember[] {
    const { master } = this
    return this.nodes.filter((node) => node !== master)
  }

  /** What each running Sentinel tells its clients; `node` is undefined for an address of no member. */
  told(): readonly { readonly sentinel: string; readonly node: NodeMember | undefined }[] {
    return this.#sentinels.flatMap((sentinel) => {
      const port = sentinel.look((state) => {
        const group = state.groups.get(this.name)
        return group === undefined ? undefined : currentMaster(group).port
      })
      if (port === undefined) return []
      return [{ sentinel: sentinel.name, node: this.nodes.find((node) => node.port === port) }]
    })
  }
}

function countOf<Item>(items: readonly Item[], item: Item): number {
  return items.filter((one) => one === item).length
}
