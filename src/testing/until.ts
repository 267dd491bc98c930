/** Waiting for what a test needs, with a bound; and what was missing, if the bound is over. */
import type { Bound, NodeMember, SwitchBound, Until } from './api.ts'
import { checkMs, checkNames, checkText, shown } from './arguments.ts'
import type { ClusterClock } from './cluster-clock.ts'
import { NotInTime } from './not-in-time.ts'
import type { ManagedGroup, ManagedMember, ManagedNode, ManagedSentinel } from './parts.ts'
import { unsettled } from './unsettled.ts'

/** Long beyond anything that takes its ordinary time, on a machine that is busy with other tests. */
const WITHIN_MS = 15_000
const LOOK_EVERY_MS = 2

export interface UntilStart {
  readonly groups: ReadonlyMap<string, ManagedGroup>
  readonly sentinels: readonly ManagedSentinel[]
  readonly members: readonly ManagedMember[]
  readonly clock: ClusterClock
  /** The master of a group before the test last did something. */
  readonly before: (group: string) => NodeMember
  readonly groupOf: (name: string | undefined) => ManagedGroup
}

/** One wait that is under way. */
interface Wait {
  readonly what: string
  left: readonly string[]
  isAbandoned: boolean
}

export class ClusterUntil implements Until {
  readonly #start: UntilStart
  readonly #waits = new Set<Wait>()

  constructor(start: UntilStart) {
    this.#start = start
  }

  async settled(bound: Bound = {}): Promise<void> {
    const { groups, sentinels } = this.#start
    const missing = () => [...groups.values()].flatMap((group) => unsettled(group, sentinels))
    await this.true('a cluster at rest', missing, bound)
  }

  async switched(switchBound: SwitchBound = {}): Promise<NodeMember> {
    checkNames('until', switchBound, ['withinMs', 'group', 'from'])
    const { group: wanted, from, ...bound } = switchBound
    const group = this.#start.groupOf(wanted)
    const { name, nodes } = group
    if (from !== undefined && !nodes.some((node) => node === from)) {
      throw new TypeError(
        `switched: from is a node of ${name}, such as cluster.master, not ${shown(from)}`,
      )
    }
    const old = from ?? this.#start.before(name)
    const missing = () => [
      ...group.told().flatMap(({ sentinel, node }) => {
        return node === old
          ? [`${sentinel} still tells clients ${old.name}${this.#why(sentinel, group, old)}`]
          : []
      }),
      ...(group.master === old ? [`${name} has no other master than ${old.name}`] : []),
      ...(group.master.replication?.role === 'master'
        ? []
        : [`${group.master.name} is not a master yet`]),
    ]
    await this.true(`another master of ${name} than ${old.name}`, missing, bound)
    return group.master
  }

  async replicated(bound: Bound = {}): Promise<void> {
    const groups = [...this.#start.groups.values()]
    const goals: OffsetGoals = new Map()
    const missing = () => groups.flatMap((group) => unreplicated(group, goals))
    await this.true('replicas with all writes so far', missing, bound)
  }

  async true(what: string, missing: () => readonly string[], bound: Bound = {}): Promise<void> {
    checkText('until.true: what', what)
    checkNames('until', bound, ['withinMs'])
    const { withinMs = WITHIN_MS } = bound
    checkMs('withinMs', withinMs)
    const wait = { what, left: [], isAbandoned: false }
    this.#waits.add(wait)
    await this.#look(wait, missing, withinMs).finally(() => this.#waits.delete(wait))
  }

  /** Lets time pass for a test, and no longer than the test has the cluster. */
  async pass(ms: number): Promise<void> {
    const wait = { what: `${ms} ms to pass`, left: ['they are not over'], isAbandoned: false }
    this.#waits.add(wait)
    const passed = this.#start.clock.pass(ms, () => wait.isAbandoned)
    await passed.finally(() => this.#waits.delete(wait))
    demandWanted(wait)
  }

  /** What is waited for at this moment: runners end a test before its wait is over, and show nothing of it. */
  get waits(): readonly string[] {
    return [...this.#waits].map(({ what, left }) => `waits for ${what}: ${left.join('; ')}`)
  }

  /** Ends the waits of a test that is over; they would let time pass in the next one. */
  abandon(): void {
    for (const wait of this.#waits) wait.isAbandoned = true
  }

  async #look(wait: Wait, missing: () => readonly string[], withinMs: number): Promise<void> {
    const { clock, members } = this.#start
    const endMs = clock.nowMs + withinMs
    for (;;) {
      await Promise.all(members.map((member) => member.refresh()))
      const failed = members.find(({ failure }) => failure !== undefined)
      if (failed !== undefined) throw new Error(failed.failure)
      demandWanted(wait)
      wait.left = missingOf(missing)
      if (wait.left.length === 0) return
      if (clock.nowMs > endMs) throw new NotInTime(wait.what, withinMs, wait.left)
      await clock.pass(LOOK_EVERY_MS)
    }
  }

  /** What a Sentinel thinks of the master that it should have replaced. */
  #why(name: string, group: ManagedGroup, old: NodeMember): string {
    const sentinel = this.#start.sentinels.find((one) => one.name === name)
    if (sentinel === undefined || sentinel.status !== 'running')
      return ` (it is ${sentinel?.status})`
    const view = sentinel.view(group.name)
    if (view?.isTilted) return ' and is in TILT, in which it decides nothing'
    if (view?.isFailingOver) return ' and leads a failover'
    const seen = view?.instances.find(({ port }) => port === old.port)
    return seen?.isDown ? ' and holds it for down' : ' and does not hold it for down'
  }
}

function demandWanted({ isAbandoned, what }: Wait): void {
  if (isAbandoned) throw new Error(`the cluster was reset while a test waited for ${what}`)
}

/** What the test says is missing; it may forget that this is a list. */
function missingOf(missing: () => readonly string[]): readonly string[] {
  const left: unknown = typeof missing === 'function' ? missing() : missing
  if (Array.isArray(left)) return left
  const found = typeof missing === 'function' ? `one that returns ${shown(left)}` : shown(left)
  throw new TypeError(
    `until.true: the second argument is a function that returns a list of what is missing, empty at the end, not ${found}`,
  )
}

/**
 * How far each master had written when it was first looked at: it writes on by itself, PINGs and hellos, and a replica
 * behind a slow link would never be level with it. After a restart it may count from the beginning.
 */
type OffsetGoals = Map<NodeMember, number>

function unreplicated(group: ManagedGroup, goals: OffsetGoals): string[] {
  const { master } = group
  const writtenTo = master.replication?.offset
  if (writtenTo === undefined) return [`${master.name} is down`]
  const offset = Math.min(writtenTo, goals.get(master) ?? writtenTo)
  goals.set(master, offset)
  return group.replicas.flatMap((node: ManagedNode) => {
    const view = node.replication
    if (view === undefined || (view.isLinkUp && view.offset >= offset)) return []
    return [`${node.name} has ${view.offset} of ${offset} bytes`]
  })
}
