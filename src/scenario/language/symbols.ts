/** The names a scenario may refer to. */
import type { GroupSpec, Topology } from '../../history/topology.ts'
import type { TimeRef } from '../scenario-file.ts'
import type { Problems } from './problems.ts'
import { isReserved, isRole, ROLES } from './roles.ts'
import type { Path } from './source.ts'

export class Symbols {
  readonly groups: readonly string[]
  readonly nodes: readonly string[]
  readonly sentinels: readonly string[]
  readonly clients: readonly string[]
  readonly liars: readonly string[]
  readonly hosts: readonly string[]
  readonly zones: readonly string[]
  readonly #topology: Topology
  readonly #problems: Problems

  constructor(topology: Topology, problems: Problems) {
    const { groups, nodes, sentinels, clients, liars } = topology
    this.#topology = topology
    this.#problems = problems
    this.groups = groups.map(({ name }) => name)
    this.nodes = nodes.map(({ name }) => name)
    this.sentinels = sentinels.map(({ name }) => name)
    this.clients = clients.map(({ name }) => name)
    this.liars = liars.map(({ name }) => name)
    this.hosts = hostsOf(topology)
    this.zones = [...new Set(topology.zones.values())]
  }

  get processes(): readonly string[] {
    return [...this.nodes, ...this.sentinels, ...this.clients, ...this.liars]
  }

  nodesOf(group: string): readonly string[] {
    return this.#topology.nodes.filter((node) => node.group === group).map(({ name }) => name)
  }

  /** The hosts of a zone; any other name stands for itself. */
  hostsOf(name: string): readonly string[] {
    if (!this.zones.includes(name)) return [name]
    return this.hosts.filter((host) => this.#topology.zones.get(host) === name)
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

  /** Notes a problem if a time refers to a step that has no such name. */
  checkRef(path: Path, ref: TimeRef | undefined, labels: readonly string[]): void {
    if (ref?.label !== undefined) this.check(path, 'step', [ref.label], labels)
  }

  /** Notes a problem for each name that occurs twice. */
  checkOnce(path: Path, names: readonly string[]): void {
    const twice = names.filter((name, index) => names.indexOf(name) !== index)
    for (const name of new Set(twice)) {
      this.#problems.add(path, 'E_DUPLICATE', `${name} stands there twice`, '')
    }
  }

  /** Notes that something has no meaning where it stands. */
  refuse(path: Path, message: string, hint: string): void {
    this.#problems.add(path, 'E_VALUE', message, hint)
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

/** One direction between two hosts. */
export interface HostPair {
  readonly from: string
  readonly to: string
}

/**
 * A place in a step, for checking the names there. Most checks return the names they were given.
 */
export class StepPlace {
  readonly #cast: Symbols
  readonly #problems: Problems
  readonly #path: Path
  /** The group the step says it is about. */
  readonly #around: string | undefined

  constructor(cast: Symbols, problems: Problems, path: Path, around: string | undefined) {
    this.#cast = cast
    this.#problems = problems
    this.#path = path
    this.#around = around
  }

  at(key: string | number): StepPlace {
    return new StepPlace(this.#cast, this.#problems, [...this.#path, key], this.#around)
  }

  processes(names: readonly string[]): readonly string[] {
    this.#cast.checkActors(this.#path, 'process', names, this.#cast.processes)
    this.once(names)
    return names
  }

  /** The hosts that are named, and those of the zones that are. */
  hosts(names: readonly string[]): readonly string[] {
    const { hosts, zones } = this.#cast
    const what = zones.length > 0 ? 'zone or host' : 'host'
    this.#cast.checkActors(this.#path, what, names, [...zones, ...hosts])
    return names.flatMap((name) => this.#cast.hostsOf(name))
  }

  /** No zone can stand here. */
  host(name: string): string {
    this.#cast.checkActors(this.#path, 'host', [name], this.#cast.hosts)
    return name
  }

  /** Each host of one end with each of the other one. */
  paths(from: readonly string[], to: readonly string[]): readonly HostPair[] {
    const pairs = from.flatMap((a) => to.map((b) => ({ from: a, to: b })))
    const paths = pairs.filter((pair) => pair.from !== pair.to)
    if (paths.length === 0) {
      this.wrong('leads from a host to itself', 'name two hosts, or zones')
    }
    return paths
  }

  nodesOrSentinels(names: readonly string[]): readonly string[] {
    const { nodes, sentinels } = this.#cast
    this.#cast.checkActors(this.#path, 'node or Sentinel', names, [...nodes, ...sentinels])
    return names
  }

  nodes(names: readonly string[]): readonly string[] {
    this.#cast.checkActors(this.#path, 'node', names, this.#cast.nodes)
    this.once(names)
    return names
  }

  sentinel(name: string): void {
    this.#cast.checkActors(this.#path, 'Sentinel', [name], this.#cast.sentinels)
  }

  /** Neither a role nor a liar can stand here. */
  process(name: string): void {
    this.#cast.check(this.#path, 'process', [name], this.#cast.processes)
  }

  /** No role: the place of this very node is looked up when the step is taken. */
  node(name: string): void {
    this.#cast.check(this.#path, 'node', [name], this.#cast.nodes)
  }

  liar(name: string): void {
    this.#cast.check(this.#path, 'liar', [name], this.#cast.liars)
  }

  /** The named group, the step's, or the only one there is. */
  groupOf(name: string | undefined): string {
    return this.#cast.group(this.#path, name ?? this.#around)
  }

  once(names: readonly string[]): void {
    this.#cast.checkOnce(this.#path, names)
  }

  /** Notes a problem if one group has all hosts: nobody is parted from anybody. */
  parts([first = [], ...others]: readonly (readonly string[])[]): void {
    if (others.length > 0 || !this.#cast.hosts.every((host) => first.includes(host))) return
    this.wrong(
      'has all hosts in one group',
      'hosts that are not named form one more: leave some out',
    )
  }

  wrong(message: string, hint: string): void {
    this.#problems.add(this.#path, 'E_VALUE', message, hint)
  }
}

/** Every host on which a process lives. */
export function hostsOf({
  nodes,
  sentinels,
  clients,
  liars,
}: Pick<Topology, 'nodes' | 'sentinels' | 'clients' | 'liars'>): readonly string[] {
  return [...new Set([...nodes, ...sentinels, ...clients, ...liars].map(({ host }) => host))]
}

/** The group that is meant if none is named. */
export function onlyGroup(groups: readonly GroupSpec[]): string | undefined {
  return groups.length === 1 ? groups[0]?.name : undefined
}
