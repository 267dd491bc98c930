/** What each process of a topology runs, and who watches it. */
import { assert } from '../base/assert.ts'
import type { Rng } from '../base/rng.ts'
import {
  DEFAULT_GROUP,
  DEFAULT_SENTINEL,
  type GroupConfig,
  type SentinelConfig,
} from '../core/config.ts'
import type { AddressBook } from './address-book.ts'
import { ClientProgram } from './client-program.ts'
import type { Address, NodeRole, Occurrence, Standing } from './happening.ts'
import { NodeProgram, type NodeProgramStart } from './node-program.ts'
import { ObserverProgram } from './observer-program.ts'
import type { Process, Program } from './process.ts'
import type { Recorder } from './recorder.ts'
import { RoleWitness } from './role-witness.ts'
import { SentinelProgram, type SentinelProgramStart } from './sentinel-program.ts'
import { SentinelWitness } from './sentinel-witness.ts'
import type { Shell } from './shell.ts'
import type { ClientSpec, GroupSpec, NodeSpec, SentinelSpec, Topology } from './topology.ts'
import type { WriteLog } from './write-log.ts'

/** What processes are made of: of simulated parts, or of those of production. */
export interface Makers {
  node(start: NodeProgramStart): Program
  sentinel(start: SentinelProgramStart): Program
  /** What clients and the observer run in. */
  shell(process: Process): Shell
}

export const SIMULATED: Makers = {
  node: (start) => new NodeProgram(start),
  sentinel: (start) => new SentinelProgram(start),
  shell: (process) => process,
}

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
  /** The latest life of each data node, where it can be looked into. */
  readonly #nodes = new Map<string, NodeProgram>()
  /** For the observer, who always knows where everybody is. */
  readonly #nodeAddresses = new Map<string, Address>()
  /** For clients, who know the Sentinels by name and look them up whenever they connect. */
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
    const { nodes, sentinels, clients } = this.#start.topology
    const isOurs = (spec: { readonly name: string }): boolean => spec.name === process.name
    const node = nodes.find(isOurs)
    if (node !== undefined) return this.#node(process, node)
    const sentinel = sentinels.find(isOurs)
    if (sentinel !== undefined) return this.#sentinel(process, sentinel)
    const client = clients.find(isOurs)
    if (client !== undefined) return this.#client(process, client)
    return this.#observer(process)
  }

  /** The process has another address. */
  moved(name: string): void {
    const address = this.#addressOf(name)
    if (this.#nodeAddresses.has(name)) this.#nodeAddresses.set(name, address)
    const index = this.#start.topology.sentinels.findIndex((sentinel) => sentinel.name === name)
    if (index >= 0) this.#sentinelAddresses[index] = address
  }

  #node(process: Process, spec: NodeSpec): Program {
    const { recorder } = this.#start
    const witness = this.#roles.get(spec.name)
    witness?.forget()
    const directives = new Map(spec.directives)
    if (spec.replicaOf !== undefined) {
      const master = this.#configured(process, spec.replicaOf)
      directives.set('replicaof', `${master.host} ${master.port}`)
    }
    const program = this.#start.make.node({
      process,
      port: spec.port,
      directives,
      rng: this.#rngOf(process),
      tellMaster: (replicaof) => witness?.follows(replicaof),
      log: (level, text) => recorder.record(spec.name, { kind: 'log', level, text }),
    })
    if (program instanceof NodeProgram) this.#nodes.set(spec.name, program)
    return program
  }

  /** A Sentinel can only say whom it chose, not how everybody really stands. */
  #completed(what: Occurrence): Occurrence {
    if (what.kind !== 'selection') return what
    const nodes = this.#start.topology.nodes.filter(({ group }) => group === what.group)
    const standings = nodes.flatMap(({ name }): Standing[] => {
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
    return this.#start.make.sentinel({ process, config, rng: this.#rngOf(process), witness })
  }

  #sentinelConfig(process: Process, spec: SentinelSpec): SentinelConfig {
    const groups = this.#start.topology.groups.map((group) => this.#groupConfig(process, group))
    return { ...DEFAULT_SENTINEL, port: spec.port, groups }
  }

  #groupConfig(process: Process, spec: GroupSpec): GroupConfig {
    const { master, ...rules } = spec
    return { ...DEFAULT_GROUP, ...rules, ...this.#configured(process, master) }
  }

  #client(process: Process, spec: ClientSpec): Program {
    const { log } = this.#start
    const sentinels = this.#sentinelAddresses
    const { group, operation, pace } = spec
    const shell = this.#start.make.shell(process)
    return new ClientProgram({ shell, group, sentinels, operation, pace, log })
  }

  #observer(process: Process): Program {
    const nodes = this.#nodeAddresses
    const asksRole = (node: string) => this.#roles.get(node)?.asked() ?? (() => {})
    const shell = this.#start.make.shell(process)
    this.observer = new ObserverProgram({ shell, nodes, asksRole })
    return this.observer
  }

  /** A new life draws new numbers, as a new process would. */
  #rngOf(process: Process): Rng {
    return this.#start.rng.fork(`process/${process.name}/life/${process.life}`)
  }

  /**
   * Whom the process's own configuration file names: the address of the time when it was installed. It
   * is a file like others, so it stays as it is until the process comes back without its disk.
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
