import type { Address } from '../../src/base/ip.ts'
import type { Action } from '../../src/history/action.ts'
import type { Told } from '../../src/history/data/told.ts'
import type { Happening, NodeRole, Occurrence } from '../../src/history/happening.ts'
import type { Topology } from '../../src/history/topology.ts'
import type { Operation, Question, Write } from '../../src/history/writes.ts'
import {
  violationsAfter,
  violationsInRealTime,
} from '../../src/scenario/final-checks/final-checks.ts'
import type { FinishedRun } from '../../src/scenario/final-checks/finished-run.ts'
import { createTopology } from '../sim/topology.ts'

const GROUP = 'mymaster'
const EVERYBODY = ['n1', 'n2', 'n3', 's1', 's2', 's3', 'app']

/** A run written down by hand: three nodes that came up at 0, with n1 as master. */
export class Account {
  readonly #topology: Topology
  readonly #happenings: Happening[] = []
  readonly #writes: Write[] = []
  readonly #questions: Question[] = []
  readonly #missing = new Set<Write>()
  #nowMs = 0
  #master = 'n1'

  constructor(settings: Readonly<Record<string, string>> = {}) {
    const topology = createTopology()
    const directives = new Map(Object.entries(settings))
    this.#topology = { ...topology, nodes: topology.nodes.map((node) => ({ ...node, directives })) }
    for (const name of EVERYBODY) this.status(name, 'running')
    this.master('n1').linked('n2', 'n1').linked('n3', 'n1')
  }

  until(nowMs: number): this {
    this.#nowMs = nowMs
    return this
  }

  status(process: string, status: 'running' | 'paused' | 'down'): this {
    return this.#tell(process, { kind: 'status', status })
  }

  does(action: Action): this {
    return this.#tell(undefined, { kind: 'fault', text: '', action })
  }

  kill(process: string): this {
    return this.does({ kind: 'kill', processes: [process] }).status(process, 'down')
  }

  master(node: string): this {
    return this.#role(node, { kind: 'master' })
  }

  linked(node: string, master: string): this {
    return this.#role(node, { kind: 'replica', master: at(master), isLinkUp: true })
  }

  unlinked(node: string, master: string): this {
    return this.#role(node, { kind: 'replica', master: at(master), isLinkUp: false })
  }

  /** A write that was sent now and whose acknowledgement was heard so much later. */
  writes(node: string, fate: 'kept' | 'lost' = 'kept', operation?: Operation, tookMs = 2): this {
    const key = `key${this.#writes.length}`
    const write: Write = {
      ...{ client: 'app', operation: operation ?? { kind: 'key', key }, group: GROUP, node },
      attemptedAtMs: this.#nowMs,
      outcome: { kind: 'acknowledged', atMs: this.#nowMs + tookMs, withMajority: true },
    }
    this.#writes.push(write)
    if (fate === 'lost') this.#missing.add(write)
    return this
  }

  /** A command of the client's connection to this node, and what it was told so much later. */
  asks(node: string, line: string, told: Told, tookMs = 2): this {
    const asked = { client: 'app', group: GROUP, node, connection: 1, attemptedAtMs: this.#nowMs }
    const request = { commands: [line.split(' ')], form: 'command' } as const
    const answer = { atMs: this.#nowMs + tookMs, told }
    this.#questions.push({ ...asked, request, write: undefined, answer })
    return this
  }

  /** Whom all Sentinels name at the end. */
  endsWith(master: string): this {
    this.#master = master
    return this
  }

  get violations(): string[] {
    return violationsAfter(this.#finished).map(({ checker }) => checker)
  }

  /** On real sockets, in a world that was behind the clock by so much. */
  violationsOnSockets(latestMs: number): string[] {
    return violationsInRealTime(this.#finished, latestMs).map(({ checker }) => checker)
  }

  get #finished(): FinishedRun {
    const history = {
      ...{
        happenings: this.#happenings,
        writes: this.#writes,
        reads: [],
        questions: this.#questions,
        labels: new Map(),
      },
      nameOf: ({ host }: Address) => host,
      endMs: this.#nowMs,
      missing: new Map([[GROUP, this.#missing]]),
    }
    const masters = new Map([[GROUP, this.#master]])
    return { topology: this.#topology, history, masters }
  }

  #role(node: string, role: NodeRole): this {
    return this.#tell(node, { kind: 'role', role })
  }

  #tell(process: string | undefined, occurrence: Occurrence): this {
    this.#happenings.push({ atMs: this.#nowMs, process, ...occurrence })
    return this
  }
}

function at(node: string): Address {
  return { host: node, port: 6379 }
}
