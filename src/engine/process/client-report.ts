/**
 * What a client process reports to its runner, one JSON value a line. Every line is written before
 * the turn in which its fact was learnt ends, so a client that is killed has reported everything it
 * was promised. Times are milliseconds of the run: all processes of a machine share the monotonic
 * clock.
 */

import type { Address } from '../../base/ip.ts'
import type { DataRequest } from '../../history/data/requests.ts'
import type { Told } from '../../history/data/told.ts'
import type { Manner, OperationKind, Pace } from '../../history/topology.ts'
import type { Operation, Question, Write } from '../../history/writes.ts'
import type { NewQuestion, OpenRead, WriteOrigin, WriteSink } from '../../sim/clients/write-log.ts'

/** The order a client process gets at its start, as its one argument. */
export interface ClientOrder {
  readonly name: string
  readonly life: number
  readonly group: string
  readonly sentinels: readonly Address[]
  readonly operation: OperationKind
  readonly pace: Pace
  readonly manner: Manner
  readonly wait?: number | undefined
  /** Those of a client that works on data. */
  readonly databases: readonly [number, number]
  readonly hasProxy?: boolean | undefined
  /** When the run began, by the monotonic clock. */
  readonly originNs: string
}

/**
 * Reports name nodes by `host:port`; the runner knows their names. `write` counts the writes of
 * this life.
 */
export type ClientReport =
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
      /** Behind a proxy: the node that answered. */
      readonly by?: string | undefined
    }
  | {
      readonly kind: 'refused'
      readonly write: number
      readonly atMs: number
      readonly text: string
      readonly by?: string | undefined
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
  | {
      readonly kind: 'asked'
      readonly question: number
      /** Undefined if the request changes nothing. */
      readonly write: number | undefined
      readonly connection: number
      readonly atMs: number
      readonly node: string
      readonly request: DataRequest
    }
  | { readonly kind: 'told'; readonly question: number; readonly atMs: number; readonly told: Told }

/** The client's side: `tell` has written the report when it returns, or by the end of the turn. */
export class Reporter implements WriteSink {
  readonly #nowMs: () => number
  readonly #tell: (report: ClientReport) => void
  readonly #open = new Map<Write, number>()
  readonly #questions = new Map<Question, number>()
  #count = 0
  #questionCount = 0

  constructor(nowMs: () => number, tell: (report: ClientReport) => void) {
    this.#nowMs = nowMs
    this.#tell = tell
  }

  nameOf({ host, port }: Address): string {
    return `${host}:${port}`
  }

  attempted({ client, group, node }: WriteOrigin, operation: Operation): Write {
    const attemptedAtMs = this.#nowMs()
    const outcome = { kind: 'pending' } as const
    const write: Write = { client, group, node, operation, attemptedAtMs, outcome }
    this.#count++
    this.#open.set(write, this.#count)
    this.#tell({ kind: 'attempted', write: this.#count, atMs: attemptedAtMs, node, operation })
    return write
  }

  acknowledged(write: Write, value?: number, by?: string): void {
    const report = { kind: 'acknowledged', ...this.#close(write), by } as const
    this.#tell(value === undefined ? report : { ...report, value })
  }

  refused(write: Write, text: string, by?: string): void {
    this.#tell({ kind: 'refused', ...this.#close(write), text, by })
  }

  lostSight(write: Write): void {
    this.#tell({ kind: 'lostSight', ...this.#close(write) })
  }

  readAttempted({ client, group, node }: WriteOrigin, key: string): OpenRead {
    return { client, group, node, key, attemptedAtMs: this.#nowMs() }
  }

  readAnswered({ node, key, attemptedAtMs }: OpenRead, value?: number): void {
    const report = { kind: 'read', node, key, attemptedAtMs, atMs: this.#nowMs() } as const
    this.#tell(value === undefined ? report : { ...report, value })
  }

  asked(
    { client, group, node }: WriteOrigin,
    { connection, request, write }: NewQuestion,
  ): Question {
    const attemptedAtMs = this.#nowMs()
    const question = { client, group, node, connection, request, write, attemptedAtMs }
    const asked: Question = { ...question, answer: undefined }
    this.#questionCount++
    this.#questions.set(asked, this.#questionCount)
    const number = write === undefined ? undefined : this.#open.get(write)
    this.#tell({
      ...{ kind: 'asked', question: this.#questionCount, write: number, connection },
      ...{ atMs: attemptedAtMs, node, request },
    })
    return asked
  }

  told(question: Question, told: Told): void {
    const number = this.#questions.get(question) ?? 0
    this.#questions.delete(question)
    this.#tell({ kind: 'told', question: number, atMs: this.#nowMs(), told })
  }

  #close(write: Write): { readonly write: number; readonly atMs: number } {
    const number = this.#open.get(write) ?? 0
    this.#open.delete(write)
    return { write: number, atMs: this.#nowMs() }
  }
}
