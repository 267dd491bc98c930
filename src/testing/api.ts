/**
 * What a test sees of a cluster: the types of `vedette/testing`. They stand apart from the classes behind
 * them, so that the types of the package are these and nothing of the machines.
 *
 * Times are milliseconds. Nothing here throws without words that say what is wrong and how to mend it.
 */

/** `running`; `stopped` as by SIGSTOP: its connections stay, nothing is answered; `down`: it is not there. */
export type MemberStatus = 'running' | 'stopped' | 'down'

/** The wall clock of a member. Its monotonic clock, by which down-after runs, never jumps. */
export interface MemberClock {
  /**
   * Puts the wall clock on, or back if `ms` is negative, as an administrator or a bad NTP server does.
   *
   * @example
   * cluster.sentinels[0].clock.jump(60_000) // it announces +tilt
   */
  jump(ms: number): void
}

/** A process of the cluster: where it listens, and what can be done to it. */
export interface Member {
  /** `n1`, `n2`, … for nodes, `s1`, `s2`, … for Sentinels. */
  readonly name: string
  /** Always 127.0.0.1. */
  readonly host: string
  readonly port: number
  /** `127.0.0.1:PORT`. */
  readonly address: string
  readonly status: MemberStatus
  readonly clock: MemberClock
  /** As SIGKILL: its connections break, new ones are refused. Nothing happens if it is down. */
  kill(): void
  /** As SIGSTOP: its connections stay, and nothing is answered until `resume`. */
  stop(): void
  /** As SIGCONT: it goes on where it was, and finds everything that came meanwhile. */
  resume(): void
  /** Stops it for so many milliseconds, as a long garbage collection or a suspended host would. */
  stall(ms: number): void
  /** Starts it, with what its disk holds; a running one is killed first. */
  restart(): void
  /** Kills it and takes its disk away, as when a container comes back without its volume. */
  loseData(): void
  /** From now on nothing can be written to its disk, until `emptyDisk`. */
  fillDisk(): void
  /** Its disk has room again. */
  emptyDisk(): void
  /**
   * Cuts it off, until `cluster.heal()`; by default from everything, the clients included.
   *
   * @example
   * cluster.master.partition({ to: cluster.sentinels }) // its replicas and clients still reach it
   */
  partition(options?: Omit<Partition, 'from'>): void
  /** Everything from and to it takes `ms` longer, until `cluster.heal()`. */
  slow(ms: number, options?: Omit<Partition, 'from'>): void
}

/** What a data node says of its own replication. */
export interface NodeReplication {
  readonly role: 'master' | 'replica'
  /** Of a replica: whether it follows its master's stream at this moment. */
  readonly isLinkUp: boolean
  /** Of a replica: the port of its master. */
  readonly masterPort: number | undefined
  /** Bytes of the replication stream that it has written or applied. */
  readonly offset: number
}

/** A data node of the cluster. */
export interface NodeMember extends Member {
  /** The group that it belongs to. */
  readonly group: string
  /** Undefined while it is down. */
  readonly replication: NodeReplication | undefined
}

/** A Sentinel of the cluster. */
export interface SentinelMember extends Member {
  readonly kind: 'sentinel'
}

/** A group of the cluster: a master and its replicas. */
export interface TestGroup {
  readonly name: string
  /** In the order of their names; the first one was the first master. */
  readonly nodes: readonly NodeMember[]
  /** The node that most of the running Sentinels tell clients; while they disagree, the last one. */
  readonly master: NodeMember
  /** All nodes but the master, whether they run or not. */
  readonly replicas: readonly NodeMember[]
}

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

export interface Bound {
  /** How long to wait at most, in milliseconds; 15 000 by default. */
  readonly withinMs?: number | undefined
}

export interface SwitchBound extends Bound {
  /** By default the only group. */
  readonly group?: string | undefined
  /** The master that is to be replaced; by default the one there was when the test last did something. */
  readonly from?: NodeMember | undefined
}

/** Waiting for what a test needs. Each method throws a `NotInTime`, which says what was missing. */
export interface Until {
  /** All running members agree, and nothing is under way. */
  settled(bound?: Bound): Promise<void>
  /** Every running Sentinel tells clients another master than `from`, and that one is master. */
  switched(bound?: SwitchBound): Promise<NodeMember>
  /** Every running replica has all that its master had written when this was called. */
  replicated(bound?: Bound): Promise<void>
  /**
   * Until nothing is missing.
   *
   * @param what - What is waited for, for the error.
   * @param missing - What is missing at this moment, in words; nothing ends the wait.
   *
   * @example
   * await cluster.until.true('ten orders', () => (orders.length < 10 ? [`${orders.length} of 10`] : []))
   */
  true(what: string, missing: () => readonly string[], bound?: Bound): Promise<void>
}

/** An event that a Sentinel announced, as its subscribers hear it. */
export interface ClusterEvent {
  /** Milliseconds since the cluster was started. */
  readonly atMs: number
  /** The Sentinel that announced it. */
  readonly sentinel: string
  /** `+sdown`, `+switch-master`, …: docs/events.md has all of them. */
  readonly name: string
  /** The payload of the published message. */
  readonly payload: string
  /** The group it is about; undefined: none. */
  readonly group: string | undefined
  /** The epoch of the failover that is under way; otherwise the highest one that the Sentinel knows. */
  readonly epoch: number
}

/**
 * Why an acknowledged write is gone. `asynchronous`: the promise was good, but the write had not reached the
 * node that was promoted. `split-brain`: another node was master already, or the one that acknowledged it was
 * cut off from most of the Sentinels. `empty-restart`: a master has begun anew without it. `overwritten`: the
 * key has another value. `unknown`: the test told of the write and did not say which node acknowledged it.
 */
export type WriteLossCause =
  | 'asynchronous'
  | 'split-brain'
  | 'empty-restart'
  | 'overwritten'
  | 'unknown'

export interface MissingWrite {
  readonly key: string
  readonly value: string
  /** What the key holds instead at the present master; undefined: nothing. */
  readonly found: string | undefined
  /** The node that acknowledged it; undefined: the test told us of it and did not say. */
  readonly by: string | undefined
  /** Milliseconds since the cluster was started. */
  readonly acknowledgedAtMs: number
  readonly cause: WriteLossCause
  /** The cause in words, with the members' names. */
  readonly story: string
}

export interface WriteLoad {
  /** Writes per second, up to 1 000; 500 by default. */
  readonly perSecond?: number | undefined
}

/** Knows which writes were acknowledged, by which node and when, and says later which of them are gone. */
export interface WriteRecorder {
  /** Writes that a node has acknowledged. */
  readonly acknowledged: number
  /** Writes that no node has answered: they may have been done or not. */
  readonly unanswered: number
  /** Writes that a node has refused (READONLY, NOREPLICAS, LOADING, …). */
  readonly refused: number
  /**
   * Tells the recorder of a write of the test's own to a string (`SET`, `INCR`), once it has been acknowledged. Of several
   * notes about one key the last one counts.
   *
   * @param by - The node that acknowledged it, if the test knows; without it the cause of a loss is unknown.
   */
  note(key: string, value: string, by?: NodeMember): void
  /** Writes numbered keys, each once, at the group's present master, until `stop`. */
  start(load?: WriteLoad): void
  /**
   * Ends what `start` began, and waits for the answers that are on their way, half a second at most. With `clock: 'manual'`
   * that time passes.
   */
  stop(): Promise<void>
  /**
   * The acknowledged writes that the present master does not have. Rejects if it cannot be asked, and if it has a list, a hash
   * or the like under a noted key: what was written to that is not known.
   */
  lost(): Promise<readonly MissingWrite[]>
  /** Forgets everything. */
  clear(): void
}

export interface TimelineOptions {
  /** `text` by default; `html` is a page that stands alone, with a lane for each member. */
  readonly format?: 'text' | 'html' | undefined
  /** Also what the members wrote into their logs. */
  readonly withLogs?: boolean | undefined
}

/**
 * A step in the words of a scenario file's timeline (docs/scenarios.md): a time or a condition, and one action. Hosts
 * have the names of the members.
 *
 * @example
 * { at: '200ms', kill: 'the-master' }
 * { after: { event: { name: '+switch-master' } }, within: '5s', start: 'n1' }
 */
export type ScriptStep = Readonly<Record<string, unknown>>

/** How a script went that was played on a cluster. */
export interface PlayedScript {
  /** When each named step was done, in milliseconds since the cluster was started. */
  readonly labels: ReadonlyMap<string, number>
}

/** How a scenario file went that was played on a cluster. */
export interface PlayedScenarioFile extends PlayedScript {
  /** What was expected and how it went, as `vedette scenario run` prints it. */
  readonly report: string
}

/** A whole high-availability cluster on free ports of 127.0.0.1. */
export interface Cluster {
  readonly nodes: readonly NodeMember[]
  readonly sentinels: readonly SentinelMember[]
  readonly members: readonly Member[]
  /** Of the Sentinels, for clients: `new Redis({ sentinels: cluster.addresses, name: 'mymaster' })`. */
  readonly addresses: { host: string; port: number }[]
  /** The present master of the only group. */
  readonly master: NodeMember
  /** The present replicas of the only group. */
  readonly replicas: readonly NodeMember[]
  /** Waiting for what a test needs. */
  readonly until: Until
  /** A group by its name, or the only one. Throws a TypeError that names the groups there are. */
  group(name?: string): TestGroup
  /** A member by its name, such as `n1` or `s3`. Throws a TypeError that names the members there are. */
  member(name: string): Member

  /** What is sent arrives no more, until `heal`: it waits on the way, and connections stay. */
  partition(partition: Partition): void
  /** From now on everything takes longer, until `heal`. */
  slow(slowness: Slowness): void
  /** Nothing is cut or slow any more. What waited on the way arrives now. */
  heal(): void
  /**
   * Lets so many milliseconds pass in a cluster with `clock: 'manual'`: what is due comes in order, and what is
   * sent meanwhile arrives. Throws a TypeError if the cluster's time passes by itself.
   */
  advance(ms: number): Promise<void>
  /**
   * Plays a script: steps as in the timeline of a scenario file, their times from now on.
   *
   * @throws TypeError that names every mistake and every step that cannot be done, before anything is.
   *
   * @example
   * await cluster.at([{ at: '0s', partition: [['n1', 's1']] }, { at: '500ms', heal: true }])
   */
  at(steps: readonly ScriptStep[]): Promise<PlayedScript>
  /**
   * Plays a scenario file (docs/scenarios.md) on this cluster: its clients write, its timeline is done, its expectations
   * are judged. The file's groups, nodes and Sentinels must be those of the cluster; its hosts are members that are cut
   * off together. Down-after and the like stay the cluster's own. Deadlines are postponed by five seconds, but not with
   * `clock: 'manual'`. The cluster is left as the scenario leaves it: `reset` comes next.
   *
   * @param file - A path, from the working directory on, or a URL.
   * @throws TypeError that names each mistake in the file and all that does not fit, before anything is done.
   * @throws Error with the report, if an expectation does not hold.
   *
   * @example
   * await cluster.scenario('test/scenarios/master-killed.yml')
   */
  scenario(file: string | URL): Promise<PlayedScenarioFile>
  /** Orders a failover at the first running Sentinel. Throws what the Sentinel refuses it with. */
  failover(order?: FailoverOrder): Promise<void>

  /**
   * The events that Sentinels announce from now on, until the cluster is stopped.
   *
   * @example
   * for await (const { name, payload } of cluster.events) if (name === '+switch-master') break
   */
  readonly events: AsyncIterable<ClusterEvent>
  /** The events so far, the oldest first. */
  readonly history: readonly ClusterEvent[]
  /** The recorder of writes of a group, or of the only one. */
  writes(group?: string): WriteRecorder
  /** What the test did and what the Sentinels announced; at the end, what is waited for and what is missing. */
  timeline(options?: TimelineOptions): string
  /** Writes a line of the test's own into the timeline. */
  note(text: string): void

  /** Sets keys at the master, and waits until the replicas have them. */
  seed(values: Readonly<Record<string, string>>, group?: string): Promise<void>
  /**
   * As new, except that another node may be the master: healed, everything running and on time, empty, at rest, with an
   * empty timeline. Clients stay connected, and what they have configured stays: CONFIG SET, ACL SETUSER, SENTINEL SET,
   * functions. Whoever still waits with `until` is told so by an error.
   */
  reset(): Promise<void>
  /**
   * Ends everything: no port, timer, process or connection of the cluster is left. Whoever still waits with `until` is
   * told so by an error.
   */
  stop(): Promise<void>
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** A data node alone. */
export interface TestServer {
  /** What can be done to it: kill, restart, stop, resume, fill its disk. */
  readonly node: NodeMember
  readonly host: string
  readonly port: number
  /** Empties all databases. */
  flush(): Promise<void>
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Only a Sentinel, over nodes that run already. */
export interface TestSentinel {
  /** What can be done to it: kill, restart, stop, resume. */
  readonly sentinel: SentinelMember
  readonly host: string
  readonly port: number
  /** The events that it announces from now on, until it is stopped. */
  readonly events: AsyncIterable<ClusterEvent>
  /** The address that it tells clients of a group. Throws a TypeError if it does not watch the group. */
  masterOf(group: string): { host: string; port: number }
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
