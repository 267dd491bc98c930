import type { Happening, NodeRole, Occurrence, ProcessStatus } from '../../src/history/happening.ts'
import type { Operation, Read, Write, WriteOutcome } from '../../src/history/writes.ts'
import type { RunHistory } from '../../src/scenario/world.ts'

export const GROUP = 'mymaster'
const PORT = 6_379

/** A history told in the order of its times. Processes are known by the host of their address. */
export class HistoryBuilder {
  readonly happenings: Happening[] = []
  readonly writes: Write[] = []
  readonly reads: Read[] = []
  readonly #missing = new Set<Write>()
  #hasFinalMaster = true

  status(atMs: number, process: string, status: ProcessStatus): this {
    return this.#happened(atMs, process, { kind: 'status', status })
  }

  master(atMs: number, node: string): this {
    return this.#role(atMs, node, { kind: 'master' })
  }

  replica(atMs: number, node: string, of: string, isLinkUp = true): this {
    const master = { host: of, port: PORT }
    return this.#role(atMs, node, { kind: 'replica', master, isLinkUp })
  }

  /** A Sentinel tells who is master by right. */
  reign(atMs: number, node: string, configEpoch: number): this {
    const master = { host: node, port: PORT }
    const hello = { kind: 'hello', sentinelId: 'id', group: GROUP, configEpoch, master } as const
    return this.#happened(atMs, 's1', hello)
  }

  restart(downAtMs: number, upAtMs: number, process: string): this {
    return this.status(downAtMs, process, 'down').status(upAtMs, process, 'running')
  }

  write(start: {
    readonly atMs: number
    readonly node: string
    readonly client?: string
    readonly operation?: Operation
    readonly outcome?: 'acknowledged' | 'refused' | 'unknown'
    readonly withMajority?: boolean
    readonly value?: number
    readonly isLost?: boolean
  }): Write {
    const { atMs, node, client = 'app', outcome = 'acknowledged', withMajority = true } = start
    const operation: Operation = start.operation ?? { kind: 'key', key: String(this.writes.length) }
    const value = start.value === undefined ? {} : { value: start.value }
    const outcomes: Record<typeof outcome, WriteOutcome> = {
      acknowledged: { kind: 'acknowledged', atMs, withMajority, ...value },
      refused: { kind: 'refused', atMs, text: 'NOREPLICAS Not enough good replicas to write.' },
      unknown: { kind: 'unknown', atMs },
    }
    const attemptedAtMs = atMs - 2
    const write = {
      ...{ client, operation, group: GROUP, node, attemptedAtMs },
      outcome: outcomes[outcome],
    }
    this.writes.push(write)
    if (start.isLost === true) this.#missing.add(write)
    return write
  }

  read(atMs: number, node: string, value: number | undefined): this {
    const attemptedAtMs = atMs - 2
    const read = { client: 'app', group: GROUP, node, key: 'r', attemptedAtMs, atMs, value }
    this.reads.push(read)
    return this
  }

  withoutFinalMaster(): this {
    this.#hasFinalMaster = false
    return this
  }

  history(endMs = 60_000): RunHistory {
    return {
      happenings: this.happenings.toSorted((a, b) => a.atMs - b.atMs),
      writes: this.writes,
      reads: this.reads,
      questions: [],
      nameOf: ({ host }) => host,
      labels: new Map(),
      endMs,
      missing: this.#hasFinalMaster ? new Map([[GROUP, this.#missing]]) : new Map(),
    }
  }

  #role(atMs: number, node: string, role: NodeRole): this {
    return this.#happened(atMs, node, { kind: 'role', role })
  }

  #happened(atMs: number, process: string, occurrence: Occurrence): this {
    this.happenings.push({ atMs, process, ...occurrence })
    return this
  }
}
