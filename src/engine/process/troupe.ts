/** All processes of a world by name: made from the topology, started, and found again. */
import { mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from '../../base/assert.ts'
import type { ProcessStatus } from '../../sim/process.ts'
import type { ClientSpec } from '../../sim/topology.ts'
import {
  type Casting,
  clientCommand,
  nodeRole,
  type Role,
  sentinelRole,
  writeFiles,
} from './cast.ts'
import type { ClientLife, ClientLog } from './client-log.ts'
import type { Report } from './client-report.ts'
import type { RunClock } from './clock.ts'
import { mountDisk } from './disk.ts'
import { ownedFolderPrefix, removeFolder } from './leftovers.ts'
import { Member } from './member.ts'
import type { HostNetwork } from './network.ts'

export interface TroupeStart {
  readonly casting: Casting
  readonly network: HostNetwork
  readonly clock: RunClock
  readonly log: ClientLog
  /** Processes whose disk is to fail. */
  readonly ownDisks: ReadonlySet<string>
  readonly changed: (member: Member, status: ProcessStatus) => void
}

/** What every member needs, whatever it is. */
interface Part {
  readonly name: string
  readonly host: string
  readonly folder: string
}

export class Troupe {
  readonly #start: TroupeStart
  readonly #folder = mkdtempSync(ownedFolderPrefix())
  readonly #members = new Map<string, Member>()

  constructor(start: TroupeStart) {
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

  get all(): readonly Member[] {
    return [...this.#members.values()]
  }

  /** Small disks of their own, for those that need one. */
  async mountDisks(): Promise<void> {
    for (const name of this.#start.ownDisks) await mountDisk(this.get(name).folder)
  }

  get(name: string): Member {
    const member = this.#members.get(name)
    assert(member !== undefined, `${name} is a process of this world`)
    return member
  }

  on(hosts: readonly string[]): readonly Member[] {
    return this.all.filter(({ host }) => hosts.includes(host))
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((member) => member.kill()))
    removeFolder(this.#folder)
  }

  #add(spec: { readonly name: string; readonly host: string }, roleIn: (f: string) => Role): void {
    const part = this.#part(spec)
    const { folder, host, name } = part
    const { network, changed } = this.#start
    const member = new Member({
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
    let life: ClientLife = { client: name, group, open: new Map() }
    const member = new Member({
      ...this.#part(spec),
      logPath: this.#logPath(name),
      prepare: () => {},
      command: (number) => {
        life = { client: name, group, open: new Map() }
        const start = { life: number, originNs: clock.originNs }
        return inHost(network, spec.host, clientCommand(spec, start, casting))
      },
      changed: (one, status) => {
        if (status === 'down') log.ended(life, clock.nowMs())
        changed(one, status)
      },
      said: (line) => log.take(life, JSON.parse(line) as Report),
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

function inHost(
  network: HostNetwork,
  host: string,
  [command = '', ...argv]: readonly string[],
): readonly string[] {
  return network.commandIn(host, command, argv)
}
