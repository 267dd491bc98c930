/** All processes of a world by name: made from the topology, started, and found again. */
import { cpSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from '../../base/assert.ts'
import type { ProcessStatus } from '../../history/happening.ts'
import type { ClientSpec } from '../../history/topology.ts'
import type { ClientLife, ClientLog } from './client-log.ts'
import type { ClientReport } from './client-report.ts'
import type { RunClock } from './clock.ts'
import { mountDisk } from './disk.ts'
import { makeOwnedFolder, removeFolder } from './leftovers.ts'
import { RunningProcess } from './member.ts'
import type { HostNetwork } from './network.ts'
import {
  clientCommand,
  nodeRole,
  type ProcessRole,
  type ProcessSpecOptions,
  sentinelRole,
  writeFiles,
} from './process-spec.ts'

/** A full disk costs the records, and not the verdict. */
export type RecordsLost = (folder: string, error: unknown) => void

export interface RunningProcessesStart {
  readonly casting: ProcessSpecOptions
  readonly network: HostNetwork
  readonly clock: RunClock
  readonly log: ClientLog
  /** Processes whose disk is to fail. */
  readonly ownDisks: ReadonlySet<string>
  readonly changed: (member: RunningProcess, status: ProcessStatus) => void
  /** Where the records of the Sentinels go when all is over; undefined: there are none. */
  readonly records: string | undefined
  readonly recordsLost?: RecordsLost | undefined
}

/** How long a process that is told to end has for that. */
const LAST_WORDS_MS = 5_000

/** What every member needs, whatever its program. */
interface Part {
  readonly name: string
  readonly host: string
  readonly folder: string
}

export class RunningProcesses {
  readonly #start: RunningProcessesStart
  readonly #folder = makeOwnedFolder()
  readonly #members = new Map<string, RunningProcess>()

  constructor(start: RunningProcessesStart) {
    this.#start = start
    const { casting } = start
    const { nodes, sentinels, clients } = casting.topology
    for (const spec of nodes) {
      this.#add(spec, (folder) => nodeRole(spec, folder, casting))
    }
    for (const spec of sentinels) {
      this.#add(spec, (folder) => sentinelRole(spec, folder, casting))
    }
    for (const spec of clients) this.#addClient(spec)
  }

  get all(): readonly RunningProcess[] {
    return [...this.#members.values()]
  }

  /** Mounts a small disk for each process that needs one of its own. */
  async mountDisks(): Promise<void> {
    for (const name of this.#start.ownDisks) await mountDisk(this.get(name).folder)
  }

  get(name: string): RunningProcess {
    const member = this.#members.get(name)
    assert(member !== undefined, `${name} is a process of this world`)
    return member
  }

  on(hosts: readonly string[]): readonly RunningProcess[] {
    return this.all.filter(({ host }) => hosts.includes(host))
  }

  async close(): Promise<void> {
    const { records } = this.#start
    if (records !== undefined) await this.#keepRecords(records)
    await Promise.all(this.all.map((member) => member.kill()))
    removeFolder(this.#folder)
  }

  /** A Sentinel writes the end of its record when it is told to end. */
  async #keepRecords(folder: string): Promise<void> {
    const { sentinels } = this.#start.casting.topology
    const members = sentinels.map(({ name }) => this.get(name))
    await Promise.all(members.map((member) => member.end(LAST_WORDS_MS)))
    try {
      for (const member of members) copyRecords(member, join(folder, member.name))
    } catch (error) {
      const { recordsLost } = this.#start
      if (recordsLost === undefined) throw error
      recordsLost(folder, error)
    }
  }

  #add(
    spec: { readonly name: string; readonly host: string },
    roleIn: (f: string) => ProcessRole,
  ): void {
    const part = this.#part(spec)
    const { folder, host, name } = part
    const { network, changed } = this.#start
    const member = new RunningProcess({
      ...part,
      logPath: this.#logPath(name),
      prepare: () => writeFiles(folder, roleIn(folder)),
      command: () => inHost(network, host, roleIn(folder).command),
      changed,
      said: undefined,
    })
    this.#members.set(name, member)
  }

  #addClient(spec: ClientSpec): void {
    const { network, casting, clock, log, changed } = this.#start
    const { name, group } = spec
    let life: ClientLife = { client: name, group, open: new Map(), asked: new Map() }
    const member = new RunningProcess({
      ...this.#part(spec),
      logPath: this.#logPath(name),
      prepare: () => {},
      command: (number) => {
        life = { client: name, group, open: new Map(), asked: new Map() }
        const start = { life: number, originNs: clock.originNs }
        return inHost(network, spec.host, clientCommand(spec, start, casting))
      },
      changed: (one, status) => {
        if (status === 'down') log.ended(life, clock.nowMs())
        changed(one, status)
      },
      said: (line) => log.take(life, JSON.parse(line) as ClientReport),
    })
    this.#members.set(name, member)
  }

  #part({ name, host }: { readonly name: string; readonly host: string }): Part {
    const folder = join(this.#folder, name)
    mkdirSync(folder)
    return { name, host, folder }
  }

  #logPath(name: string): string {
    return join(this.#folder, `${name}.log`)
  }
}

function copyRecords(member: RunningProcess, folder: string): void {
  for (const name of readdirSync(member.folder)) {
    if (!name.endsWith('.blackbox')) continue
    cpSync(join(member.folder, name), folder, { recursive: true })
  }
}

function inHost(
  network: HostNetwork,
  host: string,
  [command = '', ...argv]: readonly string[],
): readonly string[] {
  return network.commandIn(host, command, argv)
}
