/** What each process of a topology runs, and who watches it. */
import { assert } from '../base/assert.ts'
import type { Rng } from '../base/rng.ts'
import { DEFAULT_SENTINEL, type GroupConfig, type SentinelConfig } from '../core/config.ts'
import { ClientProgram } from './client-program.ts'
import type { Address, NodeRole } from './happening.ts'
import { NodeProgram } from './node-program.ts'
import { ObserverProgram } from './observer-program.ts'
import type { Process, Program } from './process.ts'
import type { Recorder } from './recorder.ts'
import { RoleWitness } from './role-witness.ts'
import { SentinelProgram } from './sentinel-program.ts'
import { SentinelWitness } from './sentinel-witness.ts'
import type { ClientSpec, GroupSpec, NodeSpec, SentinelSpec, Topology } from './topology.ts'
import type { WriteLog } from './write-log.ts'

export interface ProgramsStart {
  readonly topology: Topology
  readonly rng: Rng
  readonly addresses: ReadonlyMap<string, Address>
  readonly recorder: Recorder
  readonly log: WriteLog
}

export class Programs {
  readonly #start: ProgramsStart
  readonly #roles = new Map<string, RoleWitness>()
  readonly #sentinels = new Map<string, SentinelWitness>()
  /** Set while the observer's process runs. */
  observer: ObserverProgram | undefined

  constructor(start: ProgramsStart) {
    this.#start = start
    const { topology, recorder } = start
    for (const { name } of topology.nodes) {
      const tell = (role: NodeRole): void => recorder.record(name, { kind: 'role', role })
      this.#roles.set(name, new RoleWitness(tell))
    }
    for (const { name } of topology.sentinels) {
      this.#sentinels.set(name, new SentinelWitness((what) => recorder.record(name, what)))
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

  #node(process: Process, spec: NodeSpec): Program {
    const { recorder } = this.#start
    const witness = this.#roles.get(spec.name)
    witness?.forget()
    const directives = new Map(spec.directives)
    if (spec.replicaOf !== undefined) {
      const master = this.#addressOf(spec.replicaOf)
      directives.set('replicaof', `${master.host} ${master.port}`)
    }
    return new NodeProgram({
      process,
      port: spec.port,
      directives,
      rng: this.#rngOf(process),
      tellMaster: (replicaof) => witness?.follows(replicaof),
      log: (level, text) => recorder.record(spec.name, { kind: 'log', level, text }),
    })
  }

  #sentinel(process: Process, spec: SentinelSpec): Program {
    const witness = this.#sentinels.get(spec.name)
    assert(witness !== undefined, `${spec.name} is watched`)
    witness.forget()
    const config = this.#sentinelConfig(spec)
    return new SentinelProgram({ process, config, rng: this.#rngOf(process), witness })
  }

  #sentinelConfig(spec: SentinelSpec): SentinelConfig {
    const groups = this.#start.topology.groups.map((group) => this.#groupConfig(group))
    return { ...DEFAULT_SENTINEL, port: spec.port, groups }
  }

  #groupConfig(spec: GroupSpec): GroupConfig {
    const { name, quorum, downAfterMs, failoverTimeoutMs, parallelSyncs } = spec
    const auth = { authUser: '', authPass: '' }
    const address = this.#addressOf(spec.master)
    return { name, ...address, quorum, downAfterMs, failoverTimeoutMs, parallelSyncs, ...auth }
  }

  #client(process: Process, spec: ClientSpec): Program {
    const { topology, log } = this.#start
    const sentinels = topology.sentinels.map(({ name }) => this.#addressOf(name))
    const { group, operation, pace } = spec
    return new ClientProgram({ process, group, sentinels, operation, pace, log })
  }

  #observer(process: Process): Program {
    const nodes = new Map(
      this.#start.topology.nodes.map(({ name }) => [name, this.#addressOf(name)]),
    )
    const tellRole = (node: string, role: NodeRole): void => this.#roles.get(node)?.answered(role)
    this.observer = new ObserverProgram({ process, nodes, tellRole })
    return this.observer
  }

  /** A new life draws new numbers, as a new process would. */
  #rngOf(process: Process): Rng {
    return this.#start.rng.fork(`process/${process.name}/life/${process.life}`)
  }

  #addressOf(name: string): Address {
    const address = this.#start.addresses.get(name)
    assert(address !== undefined, `${name} has an address`)
    return address
  }
}
