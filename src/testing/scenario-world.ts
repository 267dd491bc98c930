/**
 * A running cluster as the world of a scenario file: what the timeline asks for is done by the cluster's own means, and
 * what can be seen of it is written down in the words that the judge of every engine reads. Events are known to the
 * moment; roles and views are looked at every two milliseconds, so nothing is known of a state that lasts less.
 */
import type { Address } from '../base/ip.ts'
import { heardEvent } from '../core/event-table.ts'
import { type Action, describeAction } from '../history/action.ts'
import {
  eventWords,
  type Happening,
  type Occurrence,
  type ProcessStatus,
} from '../history/happening.ts'
import type { ClientSpec, Topology } from '../history/topology.ts'
import type { Write, WriteOutcome } from '../history/writes.ts'
import { encodeReply } from '../resp/encode.ts'
import type { Reply } from '../resp/reply.ts'
import { ReplyDecoder } from '../resp/reply-decoder.ts'
import type { World } from '../scenario/world.ts'
import type { ClusterEvent, MemberStatus, NodeReplication } from './api.ts'
import { standingOf } from './loss-cause.ts'
import type { ManagedNode, ManagedSentinel } from './parts.ts'
import { DOING, type ScriptStage } from './script.ts'
import { CLIENTS, LOOPBACK } from './switchboard.ts'
import { type NodeLogin, Wire } from './wire.ts'
import { KeyWriter, NumberedKeys, type RecorderStart } from './writes.ts'

/** What a scenario needs of a cluster. */
export interface ScenarioStage extends ScriptStage {
  readonly nodes: readonly ManagedNode[]
  readonly sentinels: readonly ManagedSentinel[]
  readonly events: AsyncIterable<ClusterEvent>
  readonly login: Omit<NodeLogin, 'host' | 'port'>
  recorderOf(group: string): RecorderStart
  runIdOf(sentinel: string): string
}

type Announced = Extract<Occurrence, { readonly kind: 'event' }>

const LOOK_EVERY_MS = 2
const ANSWER_WITHIN_MS = 5_000
const STATUS: Readonly<Record<MemberStatus, ProcessStatus>> = {
  ...{ running: 'running', stopped: 'paused', down: 'down' },
}

export class StagedWorld implements World {
  readonly #stage: ScenarioStage
  readonly #topology: Topology
  readonly #startMs: number
  readonly #happenings: Happening[] = []
  readonly #writes: Write[] = []
  readonly #writers = new Map<string, KeyWriter>()
  /** What each process was last seen to be, by what is looked at. */
  readonly #seen = new Map<string, string>()
  /** Config epochs from before the scenario count as none. */
  readonly #epochs = new Map<string, number>()
  #isOver = false

  constructor(stage: ScenarioStage, topology: Topology) {
    this.#stage = stage
    this.#topology = topology
    this.#startMs = stage.clock.nowMs
    for (const { name } of topology.groups) {
      const epochs = stage.sentinels.map((sentinel) => sentinel.view(name)?.configEpoch ?? 0)
      this.#epochs.set(name, Math.max(0, ...epochs))
    }
    this.#look()
    void this.#listen()
    for (const client of topology.clients) this.#startWriter(client)
  }

  async runUntil(atMs: number, isMet?: (happening: Happening) => boolean): Promise<number> {
    const { clock, members } = this.#stage
    for (let known = this.#happenings.length; ; known = this.#happenings.length) {
      await clock.pass(Math.max(0, Math.min(LOOK_EVERY_MS, atMs - this.#nowMs)))
      await Promise.all(members.map((member) => (member as ManagedNode).refresh()))
      this.#look()
      const isThere = isMet !== undefined && this.#happenings.slice(known).some(isMet)
      if (isThere || this.#nowMs >= atMs) return this.#nowMs
    }
  }

  async apply(action: Action): Promise<void> {
    this.#record(undefined, { kind: 'fault', text: describeAction(action), action })
    // Its effects are looked at like everything else.
    if (action.kind === 'command') void this.ask(action.process, action.argv)
    for (const one of this.#onMembers(action)) {
      const act = DOING[one.kind] as ((stage: ScriptStage, action: Action) => void) | undefined
      act?.(this.#stage, one)
    }
    this.#look()
  }

  async ask(
    process: string,
    argv: readonly string[],
    before: readonly (readonly string[])[] = [],
  ): Promise<Reply | undefined> {
    const { sentinels, nodes, login, clock } = this.#stage
    const sentinel = sentinels.find(({ name }) => name === process)
    if (sentinel !== undefined) return sentinel.order(argv).then(asOnTheWire, () => undefined)
    const node = nodes.find(({ name }) => name === process)
    if (node === undefined) return undefined
    const wire = new Wire({ host: node.host, port: node.port, ...login })
    const cancel = clock.after(ANSWER_WITHIN_MS, () => wire.close())
    try {
      for (const words of before) await wire.send(...words)
      return await wire.send(...argv)
    } catch {
      return undefined
    } finally {
      cancel()
      wire.close()
    }
  }

  nameOf({ host, port }: Address): string {
    const member = this.#stage.members.find((one) => one.port === port)
    return member?.name ?? `${host}:${port}`
  }

  happenings(): readonly Happening[] {
    return this.#happenings
  }

  writes(): readonly Write[] {
    return this.#writes
  }

  reads(): readonly never[] {
    return []
  }

  questions(): readonly never[] {
    return []
  }

  /** Its clock leaves out the time in which the process was late. */
  latestMs(): undefined {
    return undefined
  }

  /** The cluster stays as the scenario has left it. */
  async close(): Promise<void> {
    this.#isOver = true
    await Promise.all([...this.#writers.keys()].map((name) => this.#stopWriter(name)))
  }

  get #nowMs(): number {
    return this.#sinceStart(this.#stage.clock.nowMs)
  }

  /** Whole milliseconds, as all times of a run. */
  #sinceStart(atMs: number): number {
    return Math.round(atMs - this.#startMs)
  }

  #record(process: string | undefined, what: Occurrence, atMs = this.#nowMs): void {
    this.#happenings.push({ atMs, process, ...what })
  }

  async #listen(): Promise<void> {
    for await (const { atMs, sentinel, name, payload, group, epoch } of this.#stage.events) {
      if (this.#isOver) return
      const sinceMs = this.#sinceStart(atMs)
      const event = { kind: 'event', name: heardEvent(name), payload } as const
      this.#record(sentinel, event, sinceMs)
      const sentinelId = this.#stage.runIdOf(sentinel)
      const vote = this.#voteIn(event, sentinelId)
      if (vote !== undefined) this.#record(sentinel, vote, sinceMs)
      if (event.name !== '+elected-leader' || group === undefined) continue
      this.#record(sentinel, { kind: 'leader', sentinelId, group, epoch }, sinceMs)
    }
  }

  /** The event does not name its group, so with several groups the vote cannot be attributed. */
  #voteIn({ name, payload }: Announced, sentinelId: string): Occurrence | undefined {
    const [group, ...others] = this.#topology.groups
    const vote = name === '+vote-for-leader' ? eventWords(name, payload) : undefined
    if (vote === undefined || group === undefined || others.length > 0) return undefined
    const { leader, epoch } = vote
    return { kind: 'vote', sentinelId, group: group.name, epoch: Number(epoch), leader }
  }

  #look(): void {
    const { members, nodes, sentinels } = this.#stage
    for (const { name, status } of members) {
      this.#tell(name, { kind: 'status', status: STATUS[status] })
      if (status === 'down') for (const key of ['role', 'view']) this.#forget(`${name} ${key}`)
    }
    for (const { name, replication } of nodes) {
      if (replication !== undefined) this.#tell(name, { kind: 'role', role: roleOf(replication) })
    }
    for (const { name: group } of this.#topology.groups) {
      for (const sentinel of sentinels) this.#lookAt(sentinel, group)
    }
  }

  #lookAt(sentinel: ManagedSentinel, group: string): void {
    const view = sentinel.view(group)
    if (view === undefined) return
    const master = { host: view.masterHost, port: view.masterPort }
    this.#tell(sentinel.name, { kind: 'view', group, master }, group)
    const configEpoch = view.configEpoch - (this.#epochs.get(group) ?? 0)
    const sentinelId = this.#stage.runIdOf(sentinel.name)
    const hello = { kind: 'hello', sentinelId, group, configEpoch, master } as const
    this.#tell(sentinel.name, hello, group)
  }

  /** Only what is not as it was seen last. */
  #tell(process: string, what: Occurrence, about = ''): void {
    const key = `${process} ${what.kind} ${about}`
    const text = JSON.stringify(what)
    if (this.#seen.get(key) === text) return
    this.#seen.set(key, text)
    this.#record(process, what)
  }

  #forget(prefix: string): void {
    for (const key of this.#seen.keys()) if (key.startsWith(prefix)) this.#seen.delete(key)
  }

  /** A host of the file is the members and clients that stand on it. */
  #onMembers(action: Action): readonly Action[] {
    switch (action.kind) {
      case 'kill':
      case 'start':
        return this.#ofProcesses(action)
      case 'powerLoss':
        return [{ kind: 'kill', processes: action.hosts.flatMap((host) => this.#membersOn(host)) }]
      case 'partition':
        return [{ kind: 'partition', groups: this.#sides(action.groups) }]
      case 'cut':
      case 'hold':
        return this.#partiesOn(action.from).flatMap((from) => {
          return this.#partiesOn(action.to).map((to) => ({ kind: action.kind, from, to }))
        })
      default:
        return [action]
    }
  }

  #ofProcesses(
    action: Action & { kind: 'kill' | 'stop' | 'pause' | 'resume' | 'start' },
  ): Action[] {
    const clients = this.#topology.clients.filter(({ name }) => action.processes.includes(name))
    for (const client of clients) {
      if (action.kind === 'start') this.#startWriter(client)
      else void this.#stopWriter(client.name)
    }
    const isClient = (name: string) => clients.some((client) => client.name === name)
    return [{ kind: action.kind, processes: action.processes.filter((name) => !isClient(name)) }]
  }

  /** The side that is not named stands with the others: the clients may be on it. */
  #sides(groups: readonly (readonly string[])[]): string[][] {
    const { nodes, sentinels, clients } = this.#topology
    const hosts = new Set([...nodes, ...sentinels, ...clients].map(({ host }) => host))
    const rest = [...hosts].filter((host) => !groups.flat().includes(host))
    return [...groups, rest].map((side) => [
      ...new Set(side.flatMap((host) => this.#partiesOn(host))),
    ])
  }

  #partiesOn(host: string): readonly string[] {
    const hasClient = this.#topology.clients.some((client) => client.host === host)
    return [...this.#membersOn(host), ...(hasClient ? [CLIENTS] : [])]
  }

  #membersOn(host: string): readonly string[] {
    const { nodes, sentinels } = this.#topology
    return [...nodes, ...sentinels].filter((one) => one.host === host).map(({ name }) => name)
  }

  #startWriter({ name, group, pace }: ClientSpec): void {
    if (this.#writers.has(name) || pace.kind !== 'rate') return
    const start = this.#stage.recorderOf(group)
    const keys = new NumberedKeys(`vedette:${name}:${this.#nowMs}`)
    const load = { perSecond: pace.perSecond, keys }
    const writer = new KeyWriter(start, load, (key, _value, to) => {
      const operation = { kind: 'key', key } as const
      const sent = { client: name, operation, group, node: to.name, attemptedAtMs: this.#nowMs }
      const write: Write = { ...sent, outcome: { kind: 'pending' } }
      this.#writes.push(write)
      return (outcome, text) => {
        const withMajority = standingOf(to, start) !== 'cut off'
        write.outcome = outcomeOf(outcome, { atMs: this.#nowMs, withMajority, text })
      }
    })
    this.#writers.set(name, writer)
  }

  async #stopWriter(name: string): Promise<void> {
    const writer = this.#writers.get(name)
    this.#writers.delete(name)
    await writer?.stop()
  }
}

function outcomeOf(
  outcome: 'acknowledged' | 'refused' | 'unanswered',
  { atMs, withMajority, text }: { atMs: number; withMajority: boolean; text: string },
): WriteOutcome {
  if (outcome === 'acknowledged') return { kind: outcome, atMs, withMajority }
  return outcome === 'refused' ? { kind: outcome, atMs, text } : { kind: 'unknown', atMs }
}

function roleOf({ role, isLinkUp, masterPort = 0 }: NodeReplication) {
  if (role === 'master') return { kind: 'master' } as const
  return { kind: 'replica', master: { host: LOOPBACK, port: masterPort }, isLinkUp } as const
}

/** What the machine answers, as a client decodes it. */
function asOnTheWire(reply: Reply): Reply | undefined {
  const decoder = new ReplyDecoder()
  decoder.push(encodeReply(reply, 2))
  const decoded = decoder.next()
  return decoded === undefined || decoded.kind === 'malformed' ? undefined : decoded
}
