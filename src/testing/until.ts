/** Waiting for what a test needs, with a bound; and what was missing, if the bound is over. */
import type { TestGroup } from './group.ts'
import type { NodeMember } from './node-member.ts'
import type { SentinelMember } from './sentinel-member.ts'
import { unsettled } from './unsettled.ts'

/** Long beyond anything that takes its ordinary time, on a machine that is busy with other tests. */
const WITHIN_MS = 15_000
const LOOK_EVERY_MS = 2

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

/** The bound is over. `missing` says what was not so. */
export class NotInTime extends Error {
  readonly missing: readonly string[]

  constructor(what: string, withinMs: number, missing: readonly string[]) {
    super(`${what} was not reached within ${withinMs} ms: ${missing.join('; ')}`)
    this.name = 'NotInTime'
    this.missing = missing
  }
}

export interface UntilStart {
  readonly groups: ReadonlyMap<string, TestGroup>
  readonly sentinels: readonly SentinelMember[]
  /** The master of a group before the test last did something. */
  readonly before: (group: string) => NodeMember
  readonly groupOf: (name: string | undefined) => TestGroup
}

export class Until {
  readonly #start: UntilStart

  constructor(start: UntilStart) {
    this.#start = start
  }

  /** All running members agree, and nothing is under way. */
  async settled(bound: Bound = {}): Promise<void> {
    const { groups, sentinels } = this.#start
    const missing = () => [...groups.values()].flatMap((group) => unsettled(group, sentinels))
    await this.true('a cluster at rest', missing, bound)
  }

  /** Every running Sentinel tells clients another master than `from`, and that one is master. */
  async switched({ group: wanted, from, ...bound }: SwitchBound = {}): Promise<NodeMember> {
    const group = this.#start.groupOf(wanted)
    const { name } = group
    const old = from ?? this.#start.before(name)
    const missing = () => [
      ...group.told().flatMap(({ sentinel, node }) => {
        return node === old ? [`${sentinel} still tells clients ${old.name}`] : []
      }),
      ...(group.master === old ? [`${name} has no other master than ${old.name}`] : []),
      ...(group.master.replication?.role === 'master'
        ? []
        : [`${group.master.name} is not a master yet`]),
    ]
    await this.true(`another master of ${name} than ${old.name}`, missing, bound)
    return group.master
  }

  /** Every running replica has all that its master has written. */
  async replicated(bound: Bound = {}): Promise<void> {
    const groups = [...this.#start.groups.values()]
    await this.true('equal offsets', () => groups.flatMap(unreplicated), bound)
  }

  /** Until nothing is missing. `what` is for the error. */
  async true(what: string, missing: () => readonly string[], bound: Bound = {}): Promise<void> {
    const { withinMs = WITHIN_MS } = bound
    const endMs = performance.now() + withinMs
    for (;;) {
      const left = missing()
      if (left.length === 0) return
      if (performance.now() > endMs) throw new NotInTime(what, withinMs, left)
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
  }
}

function unreplicated(group: TestGroup): string[] {
  const { master } = group
  const offset = master.replication?.offset
  if (offset === undefined) return [`${master.name} is down`]
  return group.replicas.flatMap((node) => {
    const view = node.replication
    if (view === undefined || (view.isLinkUp && view.offset >= offset)) return []
    return [`${node.name} has ${view.offset} of ${offset} bytes`]
  })
}
