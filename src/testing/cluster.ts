/**
 * A whole high-availability cluster inside a test: data nodes and Sentinels of production on real sockets of
 * this process, which can be killed, stopped, cut off and put out of time, and which say what happened.
 */
import { rmSync } from 'node:fs'
import type { Reply } from '../resp/reply.ts'
import type {
  Cluster,
  ClusterEvent,
  FailoverOrder,
  Member,
  NodeMember,
  Partition,
  PlayedScenarioFile,
  PlayedScript,
  ScriptStep,
  Slowness,
  TimelineOptions,
  WriteRecorder,
} from './api.ts'
import {
  checkMs,
  checkNames,
  checkSwitch,
  checkText,
  checkTextsByName,
  shown,
} from './arguments.ts'
import { alreadyStopped, type ClusterClock, ManualClock, RunningClock } from './cluster-clock.ts'
import { ClusterTls } from './cluster-tls.ts'
import { Diary } from './diary.ts'
import { createMembers } from './members.ts'
import type { Members } from './members-start.ts'
import { ClusterNetwork } from './network.ts'
import { type FullOptions, fullOptions, runIdOf } from './options.ts'
import type { ManagedGroup, ManagedMember, ManagedNode, ManagedSentinel } from './parts.ts'
import type { ScriptStage } from './script.ts'
import type { StartClusterOptions } from './start-options.ts'
import { CLIENTS, Switchboard } from './switchboard.ts'
import { timelineOf } from './timeline.ts'
import { ClusterUntil } from './until.ts'
import { ask } from './wire.ts'
import { type RecorderStart, RunningRecorder } from './writes.ts'

export async function startCluster(options: StartClusterOptions = {}): Promise<RunningCluster> {
  const full = fullOptions(options)
  const switchboard = new Switchboard(() => clock)
  const clock =
    full.clock === 'manual' ? new ManualClock(() => switchboard.arrivals) : new RunningClock()
  const diary = new Diary(clock)
  let cluster: RunningCluster | undefined
  const surroundings = {
    note: (text: string) => cluster?.note(text),
    partition: (partition: Partition) => cluster?.partition(partition),
    slow: (slowness: Slowness) => cluster?.slow(slowness),
  }
  try {
    const tls = full.tls === undefined ? undefined : new ClusterTls(full.tls)
    const start = { options: full, switchboard, clock, diary, cluster: surroundings, tls }
    const members = await createMembers(start)
    cluster = new RunningCluster(full, members, { switchboard, clock, diary, tls })
    for (const member of [...members.nodes, ...members.sentinels]) member.start()
    await cluster.until.settled()
    return cluster
  } catch (error) {
    await cluster?.stop()
    await switchboard.close()
    clock.stop()
    throw error
  }
}

/** What the members of a cluster live in. */
interface Room {
  readonly switchboard: Switchboard
  readonly clock: ClusterClock
  readonly diary: Diary
  readonly tls: ClusterTls | undefined
}

class RunningCluster implements Cluster {
  readonly nodes: readonly ManagedNode[]
  readonly sentinels: readonly ManagedSentinel[]
  readonly until: ClusterUntil
  readonly #options: FullOptions
  readonly #groups: ReadonlyMap<string, RunningGroup>
  readonly #room: Room
  readonly #folder: string | undefined
  readonly #network: ClusterNetwork
  readonly #recorders = new Map<string, RunningRecorder>()
  /** The masters at the time when the test last did something. */
  readonly #before = new Map<string, NodeMember>()

  constructor(options: FullOptions, { nodes, sentinels, folder }: Members, room: Room) {
    this.#folder = folder
    this.nodes = nodes
    this.sentinels = sentinels
    this.#options = options
    this.#room = room
    this.#groups = new Map(
      options.groups.map((name) => {
        const own = nodes.filter(({ group }) => group === name)
        return [name, new RunningGroup(name, own, sentinels)]
      }),
    )
    this.#network = new ClusterNetwork({
      switchboard: room.switchboard,
      members: () => this.members,
      note: (text) => this.note(text),
    })
    this.until = new ClusterUntil({
      ...{ groups: this.#groups, sentinels, members: this.members, clock: room.clock },
      before: (group) => this.#before.get(group) ?? this.group(group).master,
      groupOf: (name) => this.group(name),
    })
  }

  get members(): readonly ManagedMember[] {
    return [...this.nodes, ...this.sentinels]
  }

  group(name?: string): RunningGroup {
    const known = [...this.#groups.keys()].join(', ')
    if (name === undefined && this.#groups.size > 1) {
      throw new TypeError(`which group? There are ${known}`)
    }
    const group = name === undefined ? [...this.#groups.values()][0] : this.#groups.get(name)
    if (group === undefined) throw new TypeError(`there is no group '${name}'; there are ${known}`)
    return group
  }

  member(name: string): Member {
    const member = this.members.find((one) => one.name === name)
    if (member !== undefined) return member
    const known = this.members.map((one) => one.name).join(', ')
    throw new TypeError(`there is no member '${name}'; there are ${known}`)
  }

  get addresses(): { host: string; port: number }[] {
    return this.sentinels.map(({ host, port }) => ({ host, port }))
  }

  get master(): ManagedNode {
    return this.group().master
  }

  get replicas(): readonly ManagedNode[] {
    return this.group().replicas
  }

  // What can be done to it

  partition(partition: Partition): void {
    this.#demandRunning()
    this.#network.partition(partition)
  }

  slow(slowness: Slowness): void {
    this.#demandRunning()
    this.#network.slow(slowness)
  }

  heal(): void {
    this.#network.heal()
  }

  async failover(order: FailoverOrder = {}): Promise<void> {
    checkNames('failover', order, ['group', 'coordinated', 'to'])
    this.#demandRunning()
    const { group, coordinated = false, to } = order
    checkSwitch('failover: coordinated', coordinated)
    const { name, nodes } = this.group(group)
    if (to !== undefined && !nodes.some((node) => node === to)) {
      throw new TypeError(
        `failover: to is a node of ${name}, such as cluster.replicas[0], not ${shown(to)}`,
      )
    }
    const sentinel = this.sentinels.find(({ status }) => status === 'running')
    if (sentinel === undefined) throw new Error('no Sentinel is running')
    this.note(`${sentinel.name} is told to fail ${name} over${coordinated ? ', coordinated' : ''}`)
    const words = [
      ...(coordinated ? ['COORDINATED'] : []),
      ...(to === undefined ? [] : ['TO', to.host, `${to.port}`]),
    ]
    const reply = await sentinel.order(['SENTINEL', 'FAILOVER', name, ...words])
    if (reply.kind === 'error') throw new Error(`${sentinel.name} refuses: ${reply.text}`)
  }

  async advance(ms: number): Promise<void> {
    if (this.#options.clock !== 'manual') {
      throw new TypeError(
        "advance: this cluster's time passes by itself; start it with clock: 'manual'",
      )
    }
    checkMs('advance', ms)
    await this.until.pass(ms)
  }

  async at(steps: readonly ScriptStep[]): Promise<PlayedScript> {
    this.#demandRunning()
    // The language of scenarios is loaded only when it is used.
    const { playScript } = await import('./script.ts')
    return playScript(steps, this.#stage())
  }

  async scenario(file: string | URL): Promise<PlayedScenarioFile> {
    this.#demandRunning()
    const { playScenarioFile } = await import('./scenario.ts')
    const { seed, clock, quorum, downAfterMs, failoverTimeoutMs } = this.#options
    return playScenarioFile(file, {
      ...this.#stage(),
      ...{ nodes: this.nodes, sentinels: this.sentinels, events: this.events, seed },
      isManual: clock === 'manual',
      options: { quorum, downAfterMs, failoverTimeoutMs },
      runIdOf: (sentinel) => runIdOf(this.#options, sentinel),
      login: this.#login(),
      recorderOf: (group) => this.#recorderStart(this.group(group)),
      lead: (group, node) => this.#lead(group, node),
    })
  }

  #stage(): ScriptStage {
    const { clock } = this.#room
    const groups = [...this.#groups.values()]
    const stage = { clock, until: this.until, members: this.members, groups, history: [] }
    Object.defineProperty(stage, 'history', { get: () => this.history })
    return Object.assign(stage, {
      member: (name: string) => this.member(name),
      partition: (partition: Partition) => this.partition(partition),
      slow: (slowness: Slowness) => this.slow(slowness),
      heal: () => this.heal(),
    })
  }

  async #lead(group: string, name: string): Promise<void> {
    const to = this.group(group).nodes.find((node) => node.name === name)
    if (to === undefined || to === this.group(group).master) return
    await this.failover({ group, coordinated: true, to })
    await this.until.switched({ group })
    await this.until.settled()
  }

  // What can be seen of it

  get events(): AsyncIterable<ClusterEvent> {
    return this.#room.diary.events()
  }

  get history(): readonly ClusterEvent[] {
    return this.#room.diary.entries.flatMap((entry) => {
      return entry.kind === 'event' ? [entry.event] : []
    })
  }

  writes(group?: string): WriteRecorder {
    const of = this.group(group)
    const known = this.#recorders.get(of.name)
    if (known !== undefined) return known
    const recorder = new RunningRecorder(this.#recorderStart(of))
    this.#recorders.set(of.name, recorder)
    return recorder
  }

  #recorderStart(group: RunningGroup): RecorderStart {
    return {
      ...{ group, sentinels: this.sentinels, clock: this.#room.clock },
      isCut: (one, other) => this.#network.isCut(one, other),
      login: this.#login(),
      ask: (node, ...argv) => this.#ask(node, ...argv),
    }
  }

  timeline(options?: TimelineOptions): string {
    const runIds = this.sentinels.map(({ name }) => [runIdOf(this.#options, name), name] as const)
    const cast = { members: this.members, sentinels: new Map(runIds) }
    const { entries, nowMs: atMs } = this.#room.diary
    const waits = this.until.waits.map((text) => ({ kind: 'done', atMs, text }) as const)
    return timelineOf([...entries, ...waits], cast, options)
  }

  note(text: string): void {
    checkText('note', text)
    if (text === '') throw new TypeError('note: a text of one character at least')
    for (const group of this.#groups.values()) this.#before.set(group.name, group.master)
    this.#room.diary.done(text)
  }

  // Its end, and the next test

  async seed(values: Readonly<Record<string, string>>, group?: string): Promise<void> {
    checkTextsByName('seed', values)
    this.#demandRunning()
    const { master } = this.group(group)
    const words = Object.entries(values).flat()
    if (words.length > 0) await this.#ask(master, 'MSET', ...words)
    await this.until.replicated()
  }

  async reset(): Promise<void> {
    this.#demandRunning()
    this.#room.diary.done('the cluster is reset')
    this.until.abandon()
    await this.#stopWriters()
    this.#room.switchboard.heal()
    for (const member of this.members) {
      member.emptyDisk()
      if (member.status === 'stopped') member.resume()
      member.correctClock()
    }
    for (const { nodes, master } of this.#groups.values()) {
      const down = nodes.filter(({ status }) => status === 'down')
      for (const node of down) node.start(node === master ? undefined : master)
    }
    for (const one of this.sentinels) if (one.status === 'down') one.start()
    await Promise.all(this.nodes.map((node) => node.unpause()))
    await this.until.settled()
    const groups = [...this.#groups.values()]
    await Promise.all(groups.map(({ master }) => this.#ask(master, 'FLUSHALL')))
    await this.until.replicated()
    for (const recorder of this.#recorders.values()) recorder.clear()
    this.#before.clear()
    this.#room.diary.clear()
  }

  async stop(): Promise<void> {
    await this.#stopWriters()
    for (const member of this.members) member.halt()
    await Promise.all(this.members.map((member) => member.gone()))
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true })
    await this.#room.switchboard.close()
    this.#room.diary.close()
    this.#room.clock.stop()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  #demandRunning(): void {
    if (this.#room.clock.isStopped) throw alreadyStopped()
  }

  async #stopWriters(): Promise<void> {
    await Promise.all([...this.#recorders.values()].map((recorder) => recorder.stop()))
  }

  #ask(member: NodeMember, ...argv: readonly string[]): Promise<Reply> {
    const isCut = this.#network.isCut(member, { name: CLIENTS })
    return ask({ member, login: this.#login(), isCut }, ...argv)
  }

  #login() {
    return { password: this.#options.password, ...this.#room.tls?.login }
  }
}

/** A group of the cluster as a test sees it: which of its nodes is the master, and which follow it. */
class RunningGroup implements ManagedGroup {
  readonly name: string
  readonly nodes: readonly ManagedNode[]
  readonly #sentinels: readonly ManagedSentinel[]
  #last: ManagedNode

  constructor(name: string, nodes: readonly ManagedNode[], sentinels: readonly ManagedSentinel[]) {
    this.name = name
    this.nodes = nodes
    this.#sentinels = sentinels
    this.#last = nodes[0] as ManagedNode
  }

  get master(): ManagedNode {
    const told = this.told().map(({ node }) => node)
    const [first] = [...this.nodes].sort((one, other) => countOf(told, other) - countOf(told, one))
    if (first !== undefined && 2 * countOf(told, first) > told.length) this.#last = first
    return this.#last
  }

  get replicas(): readonly ManagedNode[] {
    const { master } = this
    return this.nodes.filter((node) => node !== master)
  }

  told(): readonly { readonly sentinel: string; readonly node: ManagedNode | undefined }[] {
    return this.#sentinels.flatMap((sentinel) => {
      const port = sentinel.view(this.name)?.masterPort
      if (port === undefined) return []
      return [{ sentinel: sentinel.name, node: this.nodes.find((node) => node.port === port) }]
    })
  }
}

function countOf<Item>(items: readonly Item[], item: Item): number {
  return items.filter((one) => one === item).length
}
