/**
 * What a client process tells its runner, one JSON value a line. Every line is written before the
 * turn in which its fact was learnt ends, so that a client that is killed has told all it was promised.
 * Times are milliseconds of the run: the monotonic clock is one for all processes of a machine.
 */
import type { Address } from '../../sim/happening.ts'
import type { OperationKind, Pace } from '../../sim/topology.ts'
import type { By, OpenRead, Operation, Write, WriteSink } from '../../sim/write-log.ts'

/** What a client process is told at its start, as its one argument. */
export interface ClientOrder {
  readonly name: string
  readonly life: number
  readonly group: string
  readonly sentinels: readonly Address[]
  readonly operation: OperationKind
  readonly pace: Pace
  /** When the run began, by the monotonic clock. */
  readonly originNs: string
}

/** Nodes go by `host:port`; the runner knows their names. `write` counts the writes of this life. */
export type Report =
  | {
      readonly kind: 'attempted'
      readonly write: number
      readonly atMs: number
      readonly node: string
      readonly operation: Operation
    }
  | {
      readonly kind: 'acknowledged'
      readonly write: number
      readonly atMs: number
      readonly value?: number
    }
  | {
      readonly kind: 'refused'
      readonly write: number
      readonly atMs: number
      readonly text: string
    }
  | { readonly kind: 'lostSight'; readonly write: number; readonly atMs: number }
  | {
      readonly kind: 'read'
      readonly node: string
      readonly key: string
      readonly attemptedAtMs: number
      readonly atMs: number
      readonly value?: number
    }

/** The client's side: `tell` has the report out when it returns, or by the end of the turn. */
export class Reporter implements WriteSink {
  readonly #nowMs: () => number
  readonly #tell: (report: Report) => void
  readonly #open = new Map<Write, number>()
  #count = 0

  constructor(nowMs: () => number, tell: (report: Report) => void) {
    this.#nowMs = nowMs
    this.#tell = tell
  }

  nameOf({ host, port }: Address): string {
    return `${host}:${port}`
  }

  attempted({ client, group, node }: By, operation: Operation): Write {
    const attemptedAtMs = this.#nowMs()
    const outcome = { kind: 'pending' } as const
    const write: Write = { client, group, node, operation, attemptedAtMs, outcome }
    this.#count++
    this.#open.set(write, this.#count)
    this.#tell({ kind: 'attempted', write: this.#count, atMs: attemptedAtMs, node, operation })
    return write
  }

  acknowledged(write: Write, value?: number): void {
    const report = { kind: 'acknowledged', ...this.#close(write) } as const
    this.#tell(value === undefined ? report : { ...report, value })
  }

  refused(write: Write, text: string): void {
    this.#tell({ kind: 'refused', ...this.#close(write), text })
  }

  lostSight(write: Write): void {
    this.#tell({ kind: 'lostSight', ...this.#close(write) })
  }

  readAttempted({ client, group, node }: By, key: string): OpenRead {
    return { client, group, node, key, attemptedAtMs: this.#nowMs() }
  }

  readAnswered({ node, key, attemptedAtMs }: OpenRead, value?: number): void {
    const report = { kind: 'read', node, key, attemptedAtMs, atMs: this.#nowMs() } as const
    this.#tell(value === undefined ? report : { ...report, value })
  }

  #close(write: Write): { readonly write: number; readonly atMs: number } {
    const number = this.#open.get(write) ?? 0
    this.#open.delete(write)
    return { write: number, atMs: this.#nowMs() }
  }
}
