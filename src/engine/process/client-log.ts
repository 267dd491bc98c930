/** What all clients of a run have reported, put together as the judge wants it. */
import type { Read, Write } from '../../sim/write-log.ts'
import type { Report } from './client-report.ts'

export interface ClientLogStart {
  /** The name of the process at `host:port`. */
  readonly nameOf: (address: string) => string
  readonly isWithMajority: (node: string) => boolean
}

/** One life of one client: its writes by the numbers it gives them. */
export interface ClientLife {
  readonly client: string
  readonly group: string
  /** Those without an outcome. */
  readonly open: Map<number, Write>
}

export class ClientLog {
  readonly #start: ClientLogStart
  readonly #writes: Write[] = []
  readonly #reads: Read[] = []
  #isSorted = true

  constructor(start: ClientLogStart) {
    this.#start = start
  }

  /** In the order of the attempts, whichever client told its own first. */
  get writes(): readonly Write[] {
    if (!this.#isSorted) this.#writes.sort((a, b) => a.attemptedAtMs - b.attemptedAtMs)
    this.#isSorted = true
    return this.#writes
  }

  get reads(): readonly Read[] {
    return [...this.#reads].sort((a, b) => a.atMs - b.atMs)
  }

  take(life: ClientLife, report: Report): void {
    if (report.kind === 'attempted') this.#attempted(life, report)
    else if (report.kind === 'read') this.#read(life, report)
    else this.#ended(life, report)
  }

  /** The client is gone: what became of its last writes, nobody will tell. */
  ended(life: ClientLife, atMs: number): void {
    for (const write of life.open.values()) write.outcome = { kind: 'unknown', atMs }
    life.open.clear()
  }

  #attempted(life: ClientLife, report: Report & { kind: 'attempted' }): void {
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

  #ended({ open }: ClientLife, report: Exclude<Report, { kind: 'attempted' | 'read' }>): void {
    const write = open.get(report.write)
    if (write === undefined) return
    open.delete(report.write)
    const { atMs } = report
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

  #read({ client, group }: ClientLife, report: Report & { kind: 'read' }): void {
    const { key, attemptedAtMs, atMs, value } = report
    const node = this.#start.nameOf(report.node)
    this.#reads.push({ client, group, node, key, attemptedAtMs, atMs, value })
  }
}
