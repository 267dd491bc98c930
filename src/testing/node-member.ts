/** A data node of the cluster. */
import { infoFields } from '../base/info-fields.ts'
import { createRng } from '../base/rng.ts'
import { utf8Bytes } from '../base/utf8.ts'
import type { Surroundings } from '../io/host-environment.ts'
import { bareLogger } from '../io/log/bare-logger.ts'
import { NodeHost } from '../io/node-host.ts'
import { checkNodeUsers } from '../server/access/access-start.ts'
import { DataNode } from '../server/node.ts'
import { Settings } from '../server/settings/settings.ts'
import type { NodeMember, NodeReplication } from './api.ts'
import { HostedMember, MemberDisk, type MemberPlace, type MemberProgram } from './member.ts'
import type { ManagedNode } from './parts.ts'

export interface NodeMemberStart extends MemberPlace {
  readonly group: string
  readonly seed: string
  /** Directives of redis.conf by name. */
  readonly directives: Readonly<Record<string, string>>
  /** Lines of users. */
  readonly users?: readonly string[]
  /** `127.0.0.1 PORT` of the master it follows at first; undefined: it is the first master. */
  readonly replicaOf: string | undefined
  readonly log: (member: string, level: string, text: string) => void
}

const SETTINGS_FILE = 'settings'
/** A test waits for nothing that it has not asked for: no file is written unless the user says so. */
const QUICK: Readonly<Record<string, string>> = {
  'protected-mode': 'no',
  'enable-debug-command': 'yes',
  save: '',
  'repl-diskless-sync-delay': '0',
  'repl-ping-replica-period': '1',
}

export class HostedNodeMember extends HostedMember implements ManagedNode {
  readonly group: string
  readonly #start: NodeMemberStart
  readonly #disk = new MemberDisk()
  readonly #users: readonly (readonly string[])[]
  #node: DataNode | undefined

  constructor(start: NodeMemberStart) {
    super(start)
    this.group = start.group
    this.#start = start
    // A directive that is wrong is told now, not when the node is started.
    const settings = this.#settings()
    this.#users = (start.users ?? []).map((line) => utf8Bytes(line).trim().split(/\s+/))
    const fault = checkNodeUsers(this.#users, settings)
    if (fault !== undefined) throw new Error(`users: ${fault}`)
  }

  /** Undefined while it is down. */
  get replication(): NodeReplication | undefined {
    return this.#node && this.status !== 'down'
      ? replicationOf(this.#node.report().lines)
      : undefined
  }

  /** Not by a command: a pause of everything would hold it back. */
  async unpause(): Promise<void> {
    this.#node?.services.pause.end()
  }

  protected override wipe(): void {
    this.#disk.wipe()
  }

  protected override failDisk(code: string | undefined): void {
    this.#disk.failWith(code)
  }

  protected override boot(
    surroundings: Surroundings,
    life: number,
    master?: NodeMember,
  ): MemberProgram {
    const settings = this.#settings()
    if (master !== undefined) settings.set('replicaof', `${master.host} ${master.port}`)
    const rng = createRng(`${this.#start.seed}/${this.name}/${life}`)
    const host = new NodeHost({
      createNode: (port) => {
        const now = surroundings.clock.read()
        const node = new DataNode({
          ...{ settings, port, rng, now, hasConfigFile: true },
          users: this.#users,
        })
        this.#node = node
        return node
      },
      logger: bareLogger((level, text) => this.#start.log(this.name, level, text)),
      saveSettings: (changed) => this.#disk.save(SETTINGS_FILE, JSON.stringify([...changed])),
      files: {
        ask: (request) => Promise.resolve(this.#disk.data.ask(request)),
        appendNow: (path, bytes) => this.#disk.data.appendNow(path, bytes),
      },
      onExit: () => this.ended(life),
      surroundings,
      tls: this.place.tls?.opening,
    })
    return {
      take: (socket) => host.accept(socket),
      abandon: () => host.abandon(),
    }
  }

  /** The directives of the test, and over them what CONFIG REWRITE kept in an earlier life. */
  #settings(): Settings {
    const { directives, replicaOf } = this.#start
    const settings = new Settings()
    settings.set('port', String(this.port))
    for (const [name, value] of Object.entries(QUICK)) settings.set(name, value)
    for (const [name, value] of Object.entries(directives)) {
      const problem = settings.knows(name)
        ? settings.load(name, [utf8Bytes(value)])
        : 'there is no such directive'
      if (problem !== undefined) throw new Error(`directives: ${name} ${value}: ${problem}`)
    }
    if (replicaOf !== undefined) settings.set('replicaof', replicaOf)
    settings.markFiled()
    const kept = JSON.parse(this.#disk.read(SETTINGS_FILE) ?? '[]') as [string, string][]
    for (const [name, value] of kept) settings.set(name, value)
    return settings
  }
}

/** From INFO replication. */
export function replicationOf(info: string | readonly string[]): NodeReplication {
  const fields = infoFields(info)
  const isReplica = fields.get('role') === 'slave'
  return {
    role: isReplica ? 'replica' : 'master',
    isLinkUp: fields.get('master_link_status') === 'up',
    masterPort: isReplica ? Number(fields.get('master_port')) : undefined,
    offset: Number(fields.get(isReplica ? 'slave_repl_offset' : 'master_repl_offset')),
  }
}
