/** The names a scenario may refer to. */
import type { Topology } from '../../sim/topology.ts'
import type { TimeRef } from '../scenario-file.ts'
import { hostsOf, onlyGroup } from './build-topology.ts'
import type { Problems } from './problems.ts'
import { isReserved, isRole, ROLES } from './roles.ts'
import type { Path } from './source.ts'

export class Cast {
  readonly groups: readonly string[]
  readonly nodes: readonly string[]
  readonly sentinels: readonly string[]
  readonly clients: readonly string[]
  readonly hosts: readonly string[]
  readonly #topology: Topology
  readonly #problems: Problems

  constructor(topology: Topology, problems: Problems) {
    const { groups, nodes, sentinels, clients } = topology
    this.#topology = topology
    this.#problems = problems
    this.groups = groups.map(({ name }) => name)
    this.nodes = nodes.map(({ name }) => name)
    this.sentinels = sentinels.map(({ name }) => name)
    this.clients = clients.map(({ name }) => name)
    this.hosts = hostsOf(topology)
  }

  get processes(): readonly string[] {
    return [...this.nodes, ...this.sentinels, ...this.clients]
  }

  nodesOf(group: string): readonly string[] {
    return this.#topology.nodes.filter((node) => node.group === group).map(({ name }) => name)
  }

  /** Notes a problem for each name that is not among the known ones. */
  check(path: Path, what: string, names: readonly string[], known: readonly string[]): void {
    for (const name of names) {
      if (!known.includes(name)) this.#problems.unknown(path, what, name, known)
    }
  }

  /** The same, where a role may stand instead of a name. */
  checkActors(path: Path, what: string, names: readonly string[], known: readonly string[]): void {
    for (const name of names) {
      if (isRole(name) || known.includes(name)) continue
      if (isReserved(name)) this.#problems.unknown(path, 'role', name, ROLES)
      else this.#problems.unknown(path, what, name, known)
    }
  }

  /** Notes a problem when a time refers to a step that has no such name. */
  checkRef(path: Path, ref: TimeRef | undefined, labels: readonly string[]): void {
    if (ref?.label !== undefined) this.check(path, 'step', [ref.label], labels)
  }

  /** Notes a problem for each name that stands there twice. */
  checkOnce(path: Path, names: readonly string[]): void {
    const twice = names.filter((name, index) => names.indexOf(name) !== index)
    for (const name of new Set(twice)) {
      this.#problems.add(path, 'E_DUPLICATE', `${name} stands there twice`, '')
    }
  }

  /** The named group, or the only one there is. */
  group(path: Path, name: string | undefined): string {
    if (name !== undefined) {
      this.check([...path, 'group'], 'group', [name], this.groups)
      return name
    }
    const only = onlyGroup(this.#topology.groups)
    if (only === undefined && this.groups.length > 1) {
      const hint = 'there is more than one: name it'
      this.#problems.add(path, 'E_MISSING', 'group is missing', hint)
    }
    return only ?? ''
  }
}
