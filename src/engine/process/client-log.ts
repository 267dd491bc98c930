/** Everything that the clients of a run have reported, put together as the judge needs it. */
import type { Question, Read, Write } from '../../history/writes.ts'
import type { ClientReport } from './client-report.ts'

export interface ClientLogStart {
  /** The name of the process at `host:port`. */
  readonly nameOf: (address: string) => string
  readonly isWithMajority: (node: string) => boolean
}

/** One life of one client: its writes by the numbers it gives them. */
export interface ClientLife {
  readonly client: string
  readonly group: string
  /** The client's writes without an outcome. */
  readonly open: Map<number, Write>
  /** The client's questions without an answer. */
  readonly asked: Map<number, Question>
}

export class ClientLog {
  readonly #start: ClientLogStart
  readonly #writes: Write[] = []
  readonly #reads: Read[] = []
  readonly #questions: Question[] = []
  #isSorted = true

  constructor(start: ClientLogStart) {
    this.#start = start
  }

  /** In the order of the attempts, whichever client reported first. */
  get writes(): readonly Write[] {
    if (!this.#isSorted) this.#writes.sort((a, b) => a.attemptedAtMs - b.attemptedAtMs)
    this.#isSorted = true
    return this.#writes
  }

  get reads(): readonly Read[] {
    return [...this.#reads].sort((a, b) => a.atMs - b.atMs)
  }

  get questions(): readonly Question[] {
    return [...this.#questions].sort((a, b) => a.attemptedAtMs - b.attemptedAtMs)
  }

  take(life: ClientLife, report: ClientReport): void {
    if (report.kind === 'attempted') this.#attempted(life, report)
    else if (report.kind === 'read') this.#read(life, report)
    else if (report.kind === 'asked') this.#asked(life, report)
    else if (report.kind === 'told') this.#told(life, report)
    else this.#ended(life, report)
  }

  /** The client is gone: the outcome of its last writes will never be known. */
  ended(life: ClientLife, atMs: number): void {
    for (const write of life.open.values()) write.outcome = { kind: 'unknown', atMs }
    life.open.clear()
  }

  #attempted(life: ClientLife, report: ClientReport & { kind: 'attempted' }): void {
    const { client, group, open } = life
    const { atMs: attemptedAtMs, operation } = report
    const node = this.#start.nameOf(report.node)
    const outcome = { kind: 'pending' } as const
    const write: Write = { client, group, node, operation, attemptedAtMs, outcome }
    const last = this.#writes.at(-1)
    if (last !== undefined && last.attemptedAtMs > attemptedAtMs) this.#isSorted = false
    this.#writes.push(write)
    open.set(report.write, write)
  }

  #ended(
    { open }: ClientLife,
    report: Exclude<ClientReport, { kind: 'attempted' | 'read' | 'asked' | 'told' }>,
  ): void {
    const write = open.get(report.write)
    if (write === undefined) return
    open.delete(report.write)
    const { atMs } = report
    if (report.kind !== 'lostSight' && report.by !== undefined) {
      write.node = this.#start.nameOf(report.by)
    }
    if (report.kind === 'refused') write.outcome = { kind: 'refused', atMs, text: report.text }
    else if (report.kind === 'lostSight') write.outcome = { kind: 'unknown', atMs }
    else {
      const withMajority = this.#start.isWithMajority(write.node)
      const { value } = report
      write.outcome = {
        kind: 'acknowledged',
        atMs,
        withMajority,
        ...(value === undefined ? {} : { value }),
      }
    }
  }

  #asked(
    { client, group, open, asked }: ClientLife,
    report: ClientReport & { kind: 'asked' },
  ): void {
    const { connection, request, atMs: attemptedAtMs } = report
    const node = this.#start.nameOf(report.node)
    const write = open.get(report.write ?? 0)
    const question: Question = {
      ...{ client, group, node, connection, request, attemptedAtMs, write },
      answer: undefined,
    }
    this.#questions.push(question)
    asked.set(report.question, question)
  }

  #told({ asked }: ClientLife, { question, atMs, told }: ClientReport & { kind: 'told' }): void {
    const open = asked.get(question)
    if (open !== undefined) open.answer = { atMs, told }
    asked.delete(question)
  }

  #read({ client, group }: ClientLife, report: ClientReport & { kind: 'read' }): void {
    const { key, attemptedAtMs, atMs, value } = report
    const node = this.#start.nameOf(report.node)
    this.#reads.push({ client, group, node, key, attemptedAtMs, atMs, value })
  }
}
