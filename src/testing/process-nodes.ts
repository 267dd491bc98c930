/** Data nodes and Sentinels that are processes of their own, and what they say of themselves when they are asked. */
import { infoFields } from '../base/info-fields.ts'
import type { Reply } from '../resp/reply.ts'
import type { ClusterEvent, NodeReplication } from './api.ts'
import type { MemberProgram } from './member.ts'
import { replicationOf } from './node-member.ts'
import type { ManagedNode, ManagedSentinel, SeenInstance, SentinelView } from './parts.ts'
import { ProcessMember, type ProcessMemberStart } from './process-member.ts'
import { type Wire, wordsOf } from './wire.ts'

export class ProcessNode extends ProcessMember implements ManagedNode {
  readonly group: string
  #replication: NodeReplication | undefined

  constructor(start: ProcessMemberStart, group: string) {
    super(start)
    this.group = group
  }

  get replication(): NodeReplication | undefined {
    return this.status === 'down' ? undefined : this.#replication
  }

  async unpause(): Promise<void> {
    await this.ask('CLIENT', 'UNPAUSE').catch(() => undefined)
  }

  override async refresh(): Promise<void> {
    if (this.status === 'stopped') return
    if (this.status === 'down') this.#replication = undefined
    else this.#replication = await this.ask('INFO', 'replication').then(infoOf, () => undefined)
  }
}

function infoOf(reply: Reply): NodeReplication | undefined {
  if (reply.kind !== 'bulk') return undefined
  return replicationOf(reply.bytes)
}

export interface ProcessSentinelStart extends ProcessMemberStart {
  readonly groups: readonly string[]
  readonly onEvent: (event: Omit<ClusterEvent, 'atMs'>) => void
}

/**
 * Sentinels of a test hear of a returned node soon; and a machine that is busy with other tests puts no member out of
 * action for half a minute.
 */
const PERIODS = [
  ['info-period', '1000'],
  ['publish-period', '500'],
  ['tilt-period', '500'],
] as const

export class ProcessSentinel extends ProcessMember implements ManagedSentinel {
  readonly kind = 'sentinel'
  readonly #own: ProcessSentinelStart
  readonly #views = new Map<string, SentinelView>()
  #listener: Wire | undefined
  #epoch = 0

  constructor(start: ProcessSentinelStart) {
    super(start)
    this.#own = start
  }

  view(group: string): SentinelView | undefined {
    return this.status === 'down' ? undefined : this.#views.get(group)
  }

  order(argv: readonly string[]): Promise<Reply> {
    if (this.status === 'running') return this.ask(...argv)
    return Promise.reject(new Error(`${this.name} is ${this.status}`))
  }

  hurry(): void {
    // Its periods are those of its protocol.
  }

  redial(): void {
    // The same.
  }

  override async refresh(): Promise<void> {
    if (this.status === 'stopped') return
    await Promise.all(this.#own.groups.map((group) => this.#look(group)))
  }

  override gone(): Promise<void> {
    this.#listener?.close()
    return super.gone()
  }

  protected override boot(
    surroundings: Parameters<ProcessMember['boot']>[0],
    life: number,
  ): MemberProgram {
    this.#views.clear()
    const program = super.boot(surroundings, life)
    void this.#listen(life)
    return program
  }

  async #listen(life: number): Promise<void> {
    const wire = await this.connected(life)
    if (wire === undefined) return
    this.#listener = wire
    for (const [name, ms] of PERIODS) {
      // One of them may know a period that the other does not.
      await wire.send('SENTINEL', 'DEBUG', name, ms).catch(() => undefined)
    }
    // It ends with the process, and begins anew with the next one.
    await wire.listen((name, payload) => this.#heard(name, payload)).catch(() => undefined)
  }

  #heard(name: string, payload: string): void {
    if (!/^[+-]/.test(name)) return
    if (name === '+new-epoch') this.#epoch = Number(payload)
    const words = payload.split(' ')
    const [first = ''] = words
    const named = words[words.indexOf('@') + 1]
    const group = this.#own.groups.find((one) => one === named || one === first || one === words[1])
    this.#own.onEvent({ sentinel: this.name, name, payload, group, epoch: this.#epoch })
  }

  async #look(group: string): Promise<void> {
    try {
      if (this.status === 'down') throw new Error('it is down')
      const [address = [], [master] = [], replicas = [], sentinels = [], info = ''] =
        await Promise.all([
          this.ask('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', group).then(wordsOf),
          this.ask('SENTINEL', 'MASTER', group).then((reply) => [fieldsOf(reply)]),
          this.ask('SENTINEL', 'REPLICAS', group).then(listOf),
          this.ask('SENTINEL', 'SENTINELS', group).then(listOf),
          this.ask('INFO', 'sentinel').then((reply) => (reply.kind === 'bulk' ? reply.bytes : '')),
        ])
      const [masterHost = '', masterPort = ''] = address
      const isFailingOver = master?.get('flags')?.includes('failover_in_progress') ?? false
      const instances = [
        ...[master ?? new Map(), ...sentinels].map((fields) => instanceOf(fields, true)),
        ...replicas.map((fields) => instanceOf(fields, follows(fields, masterPort))),
      ]
      this.#views.set(group, {
        masterHost,
        masterPort: Number(masterPort),
        instances,
        isFailingOver,
        isTilted: infoFields(info).get('sentinel_tilt') === '1',
        configEpoch: Number(master?.get('config-epoch') ?? 0),
      })
    } catch {
      this.#views.delete(group)
    }
  }
}

function follows(replica: ReadonlyMap<string, string>, masterPort: string): boolean {
  return replica.get('master-link-status') === 'ok' && replica.get('master-port') === masterPort
}

function instanceOf(fields: ReadonlyMap<string, string>, isInPlace: boolean): SeenInstance {
  const flags = fields.get('flags') ?? ''
  return {
    port: Number(fields.get('port')),
    isDown: flags.includes('s_down'),
    isReached: !flags.includes('disconnected'),
    isInPlace,
  }
}

function listOf(reply: Reply): ReadonlyMap<string, string>[] {
  return reply.kind === 'array' ? reply.items.map(fieldsOf) : []
}

function fieldsOf(reply: Reply): ReadonlyMap<string, string> {
  const words = wordsOf(reply)
  return new Map(
    words.flatMap((word, index): [string, string][] =>
      index % 2 === 0 ? [[word, words[index + 1] ?? '']] : [],
    ),
  )
}
