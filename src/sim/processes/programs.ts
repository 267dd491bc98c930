/** What each process of a topology runs, and what watches it. */
import { assert } from '../../base/assert.ts'
import type { Address } from '../../base/ip.ts'
import type { Rng } from '../../base/rng.ts'
import type { Sizes } from '../../base/sizes.ts'
import {
  DEFAULT_GROUP,
  DEFAULT_SENTINEL,
  type GroupConfig,
  type SentinelConfig,
} from '../../core/config.ts'
import type { NodePosition, NodeRole, Occurrence } from '../../history/happening.ts'
import type { Lie } from '../../history/lie.ts'
import type { Recorder } from '../../history/recorder.ts'
import {
  type ClientSpec,
  databasesOf,
  directivesOf,
  type GroupSpec,
  type LiarSpec,
  moreOptionsOf,
  type NodeSpec,
  type SentinelSpec,
  specOptionsOf,
  type Topology,
} from '../../history/topology.ts'
import { ClientProgram } from '../clients/client-program.ts'
import { ProxiedClient } from '../clients/proxied-client.ts'
import type { WriteLog } from '../clients/write-log.ts'
import { LiarProgram } from '../liar/liar-program.ts'
import type { AddressBook } from '../network/address-book.ts'
import { NodeProgram, type NodeProgramStart } from './node-program.ts'
import { ObserverProgram } from './observer-program.ts'
import type { Process, Program } from './process.ts'
import { RoleWitness } from './role-witness.ts'
import { SentinelProgram, type SentinelProgramStart } from './sentinel-program.ts'
import { SentinelWitness } from './sentinel-witness.ts'
import type { Shell } from './shell.ts'

/** How programs are built: from simulated parts, or from those of production. */
export interface Makers {
  node(start: NodeProgramStart): Program
  sentinel(start: SentinelProgramStart): Program
  /** The shell that clients and the observer run in. */
  shell(process: Process): Shell
}

export const SIMULATED: Makers = {
  node: (start) => new NodeProgram(start),
  sentinel: (start) => new SentinelProgram(start),
  shell: (process) => process,
}

/** Longer than drawn runs and scenarios last. */
const QUIET_AFTER_MS = 600_000

export interface ProgramsStart {
  readonly make: Makers
  readonly topology: Topology
  readonly rng: Rng
  readonly addresses: AddressBook
  readonly recorder: Recorder
  readonly log: WriteLog
}

export class Programs {
  readonly #start: ProgramsStart
  readonly #roles = new Map<string, RoleWitness>()
  readonly #sentinels = new Map<string, SentinelWitness>()
  /** The latest life of each data node, for looking inside. */
  readonly #nodes = new Map<string, NodeProgram>()
  /** The latest life of each Sentinel, for the same. */
  readonly #machines = new Map<string, SentinelProgram>()
  /** The latest life of each liar. */
  readonly #liars = new Map<string, LiarProgram>()
  /** For the observer, which always knows every present address. */
  readonly #nodeAddresses = new Map<string, Address>()
  /** For clients, which know the Sentinels by name and look them up whenever they connect. */
  readonly #sentinelAddresses: Address[]
  /** Set while the observer's process runs. */
  observer: ObserverProgram | undefined

  constructor(start: ProgramsStart) {
    this.#start = start
    const { topology, recorder } = start
    this.#sentinelAddresses = topology.sentinels.map(({ name }) => this.#addressOf(name))
    for (const { name } of topology.nodes) {
      this.#nodeAddresses.set(name, this.#addressOf(name))
      const tell = (role: NodeRole): void => recorder.record(name, { kind: 'role', role })
      this.#roles.set(name, new RoleWitness(tell))
    }
    for (const { name } of topology.sentinels) {
      const tell = (what: Occurrence): void => recorder.record(name, this.#completed(what))
      this.#sentinels.set(name, new SentinelWitness(tell))
    }
  }

  /** Starts the program a process was made for. */
  boot(process: Process): Program {
    const { nodes, sentinels, clients, liars } = this.#start.topology
    const isOurs = (spec: { readonly name: string }): boolean => spec.name === process.name
    const node = nodes.find(isOurs)
    if (node !== undefined) return this.#node(process, node)
    const sentinel = sentinels.find(isOurs)
    if (sentinel !== undefined) return this.#sentinel(process, sentinel)
    const client = clients.find(isOurs)
    if (client !== undefined) return this.#client(process, client)
    const liar = liars.find(isOurs)
    if (liar !== undefined) return this.#liar(process, liar)
    return this.#observer(process)
  }

  /** Tells a running liar to lie. */
  lie(liar: string, to: readonly string[], lie: Lie): void {
    this.#liars.get(liar)?.tell(to, lie)
  }

  /** Notes that the process has another address. */
  moved(name: string): void {
    const address = this.#addressOf(name)
    if (this.#nodeAddresses.has(name)) this.#nodeAddresses.set(name, address)
    const index = this.#start.topology.sentinels.findIndex((sentinel) => sentinel.name === name)
    if (index >= 0) this.#sentinelAddresses[index] = address
  }

  /**
   * How much the present life of a Sentinel or a data node holds; undefined: it cannot be looked
   * into.
   */
  sizesOf(name: string): Sizes | undefined {
    return (this.#machines.get(name) ?? this.#nodes.get(name))?.sizes()
  }

  #node(process: Process, spec: NodeSpec): Program {
    const { recorder } = this.#start
    const witness = this.#roles.get(spec.name)
    witness?.forget()
    const directives = new Map(directivesOf(this.#start.topology, spec))
    if (spec.replicaOf !== undefined) {
      const master = this.#configured(process, spec.replicaOf)
      directives.set('replicaof', `${master.host} ${master.port}`)
    }
    for (const [name, value] of this.#secrets()) directives.set(name, value)
    const program = this.#start.make.node({
      process,
      port: spec.port,
      directives,
      rng: this.#rngOf(process),
      tellMaster: (replicaof) => witness?.follows(replicaof),
      tell: (what) => recorder.record(spec.name, what),
      log: (level, text) => recorder.record(spec.name, { kind: 'log', level, text }),
    })
    if (program instanceof NodeProgram) this.#nodes.set(spec.name, program)
    return program
  }

  /** A Sentinel can only say which replica it chose, not the real state of all nodes. */
  #completed(what: Occurrence): Occurrence {
    if (what.kind !== 'selection') return what
    const nodes = this.#start.topology.nodes.filter(({ group }) => group === what.group)
    const standings = nodes.flatMap(({ name }): NodePosition[] => {
      const program = this.#nodes.get(name)
      if (program === undefined) return []
      return [{ node: name, address: this.#addressOf(name), ...program.standing() }]
    })
    return { ...what, standings }
  }

  #sentinel(process: Process, spec: SentinelSpec): Program {
    const witness = this.#sentinels.get(spec.name)
    assert(witness !== undefined, `${spec.name} is watched`)
    witness.forget()
    const config = this.#sentinelConfig(process, spec)
    const rng = this.#rngOf(process)
    const program = this.#start.make.sentinel({ process, config, rng, witness })
    if (program instanceof SentinelProgram) this.#machines.set(spec.name, program)
    return program
  }

  #sentinelConfig(process: Process, spec: SentinelSpec): SentinelConfig {
    const groups = this.#start.topology.groups.map((group) => this.#groupConfig(process, group))
    const requirepass = this.#start.topology.password ?? ''
    return { ...DEFAULT_SENTINEL, port: spec.port, requirepass, groups }
  }

  #groupConfig(process: Process, spec: GroupSpec): GroupConfig {
    const { topology } = this.#start
    const rules = {
      ...specOptionsOf(spec),
      ...moreOptionsOf(topology, spec, (name) => this.#configured(process, name)),
    }
    const { name, master } = spec
    const authPass = topology.password ?? ''
    return { ...DEFAULT_GROUP, name, ...rules, authPass, ...this.#configured(process, master) }
  }

  /** The password directives of nodes, for their links and their clients. */
  #secrets(): readonly (readonly [string, string])[] {
    const { password } = this.#start.topology
    return password === undefined
      ? []
      : [
          ['requirepass', password],
          ['masterauth', password],
        ]
  }

  #client(process: Process, spec: ClientSpec): Program {
    const { log, topology } = this.#start
    const { password } = topology
    const sentinels = this.#sentinelAddresses
    const { group, operation, pace, manner, wait } = spec
    const shell = this.#start.make.shell(process)
    const isData = operation === 'data'
    const databases = databasesOf(topology, spec.name)
    const rng = this.#rngOf(process)
    const isAlone = topology.clients.filter((client) => client.group === group).length === 1
    const work = isData ? { rng, databases, isAlone } : undefined
    const members = topology.nodes.filter((node) => node.group === group)
    const nodes = (): readonly Address[] => members.map(({ name }) => this.#addressOf(name))
    const asked = { operation, pace, manner, wait, work, rng }
    const tell = (what: Occurrence): void => this.#start.recorder.record(spec.name, what)
    const tellUnanswered = spec.halfCloses === true ? tell : undefined
    const start = { ...asked, shell, group, sentinels, log, password, nodes, tellUnanswered }
    if (spec.hasProxy !== true) return new ClientProgram(start)
    return new ProxiedClient({ ...start, tell })
  }

  #liar(process: Process, { name, port, knowsPassword }: LiarSpec): Program {
    const { addresses, topology } = this.#start
    const find = (of: string): Address | undefined =>
      addresses.has(of) ? addresses.of(of) : undefined
    const program = new LiarProgram({
      ...{ process, port, rng: this.#rngOf(process), addressOf: find },
      password: knowsPassword ? topology.password : undefined,
      nodes: topology.nodes.map((node) => node.name),
      firstMasterOf: (group) =>
        find(topology.groups.find((one) => one.name === group)?.master ?? ''),
    })
    this.#liars.set(name, program)
    return program
  }

  #observer(process: Process): Program {
    const nodes = this.#nodeAddresses
    const asksRole = (node: string) => this.#roles.get(node)?.asked() ?? (() => {})
    const shell = this.#start.make.shell(process)
    this.observer = new ObserverProgram({
      shell,
      nodes,
      asksRole,
      lookAt: (node) => this.#nodes.get(node)?.role(),
      isQuiet: () => this.#start.recorder.quietMs > QUIET_AFTER_MS,
      password: this.#start.topology.password,
    })
    return this.observer
  }

  /** A new life draws new numbers, as a new process would. */
  #rngOf(process: Process): Rng {
    return this.#start.rng.fork(`process/${process.name}/life/${process.life}`)
  }

  /**
   * The address that the process's own configuration file names: the one at the time of
   * installation. It is a file like any other, so it stays as it is until the process comes back
   * without its disk.
   */
  #configured(process: Process, name: string): Address {
    const path = `config/${name}`
    const kept = process.disk.read(path)
    if (kept !== undefined) return JSON.parse(kept) as Address
    const address = this.#addressOf(name)
    process.disk.install(path, JSON.stringify(address))
    return address
  }

  #addressOf(name: string): Address {
    return this.#start.addresses.of(name)
  }
}
