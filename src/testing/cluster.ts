/**
 * A whole high-availability cluster inside a test: data nodes and Sentinels of production on real sockets of
 * this process, which can be killed, stopped, cut off and put out of time, and which say what happened.
 */
import { ClusterClock } from './cluster-clock.ts'
import { type ClusterEvent, clusterEvent, Diary } from './diary.ts'
import { TestGroup } from './group.ts'
import type { Member } from './member.ts'
import { createMembers, type Members } from './members.ts'
import type { NodeMember } from './node-member.ts'
import { type FullOptions, fullOptions, type StartClusterOptions } from './options.ts'
import type { SentinelMember } from './sentinel-member.ts'
import { CLIENTS, Switchboard } from './switchboard.ts'
import { type TimelineOptions, timelineText } from './timeline.ts'
import { Until } from './until.ts'
import { ask } from './wire.ts'
import { WriteRecorder } from './writes.ts'

/** A member, its name, or `'clients'` for everything outside of the cluster. */
export type Party = Member | string

export interface Partition {
  readonly from: Party | readonly Party[]
  /** By default every other member, and the clients. */
  readonly to?: Party | readonly Party[] | undefined
  /** Only what goes from `from` to `to` is cut; by default both directions. */
  readonly oneWay?: boolean | undefined
}

export interface Slowness extends Partition {
  /** How much longer everything takes, in milliseconds. */
  readonly ms: number
}

export interface FailoverOrder {
  /** By default the only group. */
  readonly group?: string | undefined
  /** The master hands over by itself, and no write is lost. */
  readonly coordinated?: boolean | undefined
  /** The replica to promote; by default the best. */
  readonly to?: NodeMember | undefined
}

/** Starts a cluster and waits until it is at rest. Throws a TypeError for options that are wrong. */
export async function startCluster(options: StartClusterOptions = {}): Promise<Cluster> {
  const full = fullOptions(options)
  const switchboard = new Switchboard()
  const clock = new ClusterClock()
  const diary = new Diary(clock)
  let cluster: Cluster | undefined
  try {
    const note = (text: string) => cluster?.note(text)
    const members = await createMembers({ options: full, switchboard, clock, diary, note })
    cluster = new Cluster(full, members, { switchboard, clock, diary })
    for (const member of cluster.members) member.start()
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
interface Surrounding {
  readonly switchboard: Switchboard
  readonly clock: ClusterClock
  readonly diary: Diary
}

export class Cluster {
  /** What the test asked for, and the defaults for the rest. */
  readonly options: FullOptions
  readonly nodes: readonly NodeMember[]
  readonly sentinels: readonly SentinelMember[]
  /** Waiting for what a test needs. */
  readonly until: Until
  readonly #groups: ReadonlyMap<string, TestGroup>
  readonly #switchboard: Switchboard
  readonly #clock: ClusterClock
  readonly #diary: Diary
  readonly #recorders = new Map<string, WriteRecorder>()
  /** The masters at the time when the test last did something. */
  readonly #before = new Map<string, NodeMember>()

  constructor(
    options: FullOptions,
    { nodes, sentinels }: Members,
    { switchboard, clock, diary }: Surrounding,
  ) {
    this.options = options
    this.nodes = nodes
    this.sentinels = sentinels
    this.#switchboard = switchboard
    this.#clock = clock
    this.#diary = diary
    this.#groups = new Map(
      options.groups.map((name) => {
        const own = nodes.filter(({ group }) => group === name)
        return [name, new TestGroup(name, own, sentinels)]
      }),
    )
    this.until = new Until({
      groups: this.#groups,
      sentinels,
      before: (group) => this.#before.get(group) ?? this.group(group).master,
      groupOf: (name) => this.group(name),
    })
  }

  get members(): readonly Member[] {
    return [...this.nodes, ...this.sentinels]
  }

  /** A group by its name, or the only one. */
  group(name?: string): TestGroup {
    const known = [...this.#groups.keys()].join(', ')
    if (name === undefined && this.#groups.size > 1) {
      throw new TypeError(`which group? There are ${known}`)
    }
    const group = name === undefined ? [...this.#groups.values()][0] : this.#groups.get(name)
    if (group === undefined) throw new TypeError(`there is no group '${name}'; there are ${known}`)
    return group
  }

  /** A member by its name, such as `n1` or `s3`. */
  member(name: string): Member {
    const member = this.members.find((one) => one.name === name)
    if (member !== undefined) return member
    const known = this.members.map((one) => one.name).join(', ')
    throw new TypeError(`there is no member '${name}'; there are ${known}`)
  }

  /** For clients: `new Redis({ sentinels: cluster.addresses, name: 'mymaster' })`. */
  get addresses(): { host: string; port: number }[] {
    return this.sentinels.map(({ host, port }) => ({ host, port }))
  }

  /** The present master of the only group. */
  get master(): NodeMember {
    return this.group().master
  }

  /** The present replicas of the only group. */
  get replicas(): readonly NodeMember[] {
    return this.group().replicas
  }

  // What can be done to it

  /** What is sent arrives no more, until `heal`: it waits on the way, and connections stay. */
  partition(partition: Partition): void {
    this.note(`cut: ${this.#textOf(partition)}`)
    this.#eachWay(partition, (from, to) => this.#switchboard.way(from, to).cut())
  }

  /** From now on everything takes longer, until `heal`. */
  slow({ ms, ...partition }: Slowness): void {
    this.note(`slow by ${ms} ms: ${this.#textOf(partition)}`)
    this.#eachWay(partition, (from, to) => this.#switchboard.way(from, to).slow(ms))
  }

  /** Nothing is cut or slow any more. What waited on the way arrives now. */
  heal(): void {
    this.note('the network is healed')
    this.#switchboard.heal()
  }

  /** Orders a failover at the first running Sentinel. Throws what the Sentinel refuses it with. */
  async failover({ group, coordinated = false, to }: FailoverOrder = {}): Promise<void> {
    const { name } = this.group(group)
    const sentinel = this.sentinels.find(({ status }) => status === 'running')
    if (sentinel === undefined) throw new Error('no Sentinel is running')
    this.note(`${sentinel.name} is told to fail ${name} over${coordinated ? ', coordinated' : ''}`)
    const words = [
      ...(coordinated ? ['COORDINATED'] : []),
      ...(to === undefined ? [] : ['TO', to.host, `${to.port}`]),
    ]
    const reply = await sentinel.ask(['SENTINEL', 'FAILOVER', name, ...words])
    if (reply.kind === 'error') throw new Error(`${sentinel.name} refuses: ${reply.text}`)
  }

  // What can be seen of it

  /** The events that Sentinels announce from now on, until the cluster is stopped. */
  get events(): AsyncIterable<ClusterEvent> {
    return this.#diary.events()
  }

  /** The events so far, the oldest first. */
  get history(): readonly ClusterEvent[] {
    return this.#diary.entries.flatMap((entry) => {
      return entry.kind === 'event' ? [clusterEvent(entry)] : []
    })
  }

  /** The recorder of writes of a group, or of the only one. */
  writes(group?: string): WriteRecorder {
    const of = this.group(group)
    const known = this.#recorders.get(of.name)
    if (known !== undefined) return known
    const recorder = new WriteRecorder({
      group: of,
      nowMs: () => this.#diary.nowMs,
      password: this.options.password,
    })
    this.#recorders.set(of.name, recorder)
    return recorder
  }

  /** What the test did and what the Sentinels announced, a line each. */
  timeline(options?: TimelineOptions): string {
    return timelineText(this.#diary.entries, options)
  }

  // Its end, and the next test

  /** Sets keys at the master, and waits until the replicas have them. */
  async seed(values: Readonly<Record<string, string>>, group?: string): Promise<void> {
    const { master } = this.group(group)
    const words = Object.entries(values).flat()
    if (words.length > 0) await this.#ask(master, 'MSET', ...words)
    await this.until.replicated()
  }

  /** As new, but for who is master: healed, everything running, empty, at rest, with an empty timeline. */
  async reset(): Promise<void> {
    await this.#stopWriters()
    this.#switchboard.heal()
    for (const member of this.members) {
      member.emptyDisk()
      if (member.status === 'stopped') member.resume()
      if (member.status === 'down') member.start()
    }
    await this.until.settled()
    const groups = [...this.#groups.values()]
    await Promise.all(groups.map(({ master }) => this.#ask(master, 'FLUSHALL')))
    await this.until.replicated()
    for (const recorder of this.#recorders.values()) recorder.clear()
    this.#before.clear()
    this.#diary.clear()
  }

  /** Ends everything: no port, timer or connection of the cluster is left. */
  async stop(): Promise<void> {
    await this.#stopWriters()
    for (const member of this.members) member.halt()
    await this.#switchboard.close()
    this.#diary.close()
    this.#clock.stop()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  /** Writes a line of the test's own into the timeline. */
  note(text: string): void {
    for (const group of this.#groups.values()) this.#before.set(group.name, group.master)
    this.#diary.done(text)
  }

  async #stopWriters(): Promise<void> {
    await Promise.all([...this.#recorders.values()].map((recorder) => recorder.stop()))
  }

  #ask(node: NodeMember, ...argv: readonly string[]): Promise<unknown> {
    return ask({ ...this.#loginAt(node) }, ...argv)
  }

  #loginAt({ host, port }: NodeMember) {
    return { host, port, password: this.options.password }
  }

  #eachWay({ from, to, oneWay = false }: Partition, act: (from: string, to: string) => void): void {
    const some = this.#namesOf(from)
    const others = to === undefined ? this.#allBut(some) : this.#namesOf(to)
    for (const one of some) {
      for (const other of others) {
        if (one === other) continue
        act(one, other)
        if (!oneWay) act(other, one)
      }
    }
  }

  #namesOf(parties: Party | readonly Party[]): string[] {
    const list = (Array.isArray(parties) ? parties : [parties]) as readonly Party[]
    return list.map((party) => {
      const name = typeof party === 'string' ? party : party.name
      return name === CLIENTS ? name : this.member(name).name
    })
  }

  #allBut(names: readonly string[]): string[] {
    const all = [...this.members.map(({ name }) => name), CLIENTS]
    return all.filter((name) => !names.includes(name))
  }

  #textOf({ from, to, oneWay = false }: Partition): string {
    const others = to === undefined ? 'all others' : this.#namesOf(to).join(' ')
    return `${this.#namesOf(from).join(' ')} ${oneWay ? '->' : '-'} ${others}`
  }
}
