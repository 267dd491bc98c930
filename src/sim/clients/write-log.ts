/** Keeps what applications requested and were told, outside of the simulated processes. */
import type { Address } from '../../base/ip.ts'
import type { DataRequest } from '../../history/data/requests.ts'
import type { Told } from '../../history/data/told.ts'
import type { Operation, Question, Read, Write, WriteOutcome } from '../../history/writes.ts'

/** Which client did something, and on which node. */
export type WriteOrigin = Pick<Write, 'client' | 'group' | 'node'>

/** A read that has no answer yet. */
export type OpenRead = Omit<Read, 'atMs' | 'value'>

/** Receives what a client requested and what it was told. The receiver knows the true time. */
export interface WriteSink {
  /** The name of the node at an address; called once per connection, not once per write. */
  nameOf(address: Address): string
  attempted(by: WriteOrigin, operation: Operation): Write
  /**
   * `value`: the counter's value after an increment. `by`: behind a proxy, the name of the node that answered; undefined:
   * the one that the write was sent to.
   */
  acknowledged(write: Write, value?: number, by?: string): void
  /** `text` is the node's error, with its code; `by` as above. */
  refused(write: Write, text: string, by?: string): void
  /** The connection ended or the time was up. */
  lostSight(write: Write): void
  readAttempted(by: WriteOrigin, key: string): OpenRead
  /** `value` is undefined if there was none. A read that is not answered is not mentioned again. */
  readAnswered(read: OpenRead, value: number | undefined): void
  asked(by: WriteOrigin, question: NewQuestion): Question
  told(question: Question, told: Told): void
}

/** What a client is about to ask about its own databases. */
export interface NewQuestion {
  readonly connection: number
  readonly request: DataRequest
  readonly write: Write | undefined
}

export interface WriteLogStart {
  readonly nowMs: () => number
  readonly nameOf: (address: Address) => string
  readonly isWithMajority: (node: string) => boolean
}

export class WriteLog implements WriteSink {
  readonly writes: Write[] = []
  readonly reads: Read[] = []
  readonly questions: Question[] = []
  readonly #start: WriteLogStart

  constructor(start: WriteLogStart) {
    this.#start = start
  }

  nameOf(address: Address): string {
    return this.#start.nameOf(address)
  }

  attempted({ client, group, node }: WriteOrigin, operation: Operation): Write {
    const attemptedAtMs = this.#start.nowMs()
    const write: Write = { client, operation, group, node, attemptedAtMs, outcome: PENDING }
    this.writes.push(write)
    return write
  }

  acknowledged(write: Write, value?: number, by = write.node): void {
    write.node = by
    const atMs = this.#start.nowMs()
    const withMajority = this.#start.isWithMajority(write.node)
    write.outcome =
      value === undefined
        ? { kind: 'acknowledged', atMs, withMajority }
        : { kind: 'acknowledged', atMs, withMajority, value }
  }

  refused(write: Write, text: string, by = write.node): void {
    write.node = by
    write.outcome = { kind: 'refused', atMs: this.#start.nowMs(), text }
  }

  lostSight(write: Write): void {
    write.outcome = { kind: 'unknown', atMs: this.#start.nowMs() }
  }

  readAttempted({ client, group, node }: WriteOrigin, key: string): OpenRead {
    return { client, group, node, key, attemptedAtMs: this.#start.nowMs() }
  }

  readAnswered({ client, group, node, key, attemptedAtMs }: OpenRead, value?: number): void {
    this.reads.push({ client, group, node, key, attemptedAtMs, atMs: this.#start.nowMs(), value })
  }

  asked({ client, group, node }: WriteOrigin, question: NewQuestion): Question {
    const attemptedAtMs = this.#start.nowMs()
    const asked: Question = {
      ...{ client, group, node, attemptedAtMs, answer: undefined },
      ...question,
    }
    this.questions.push(asked)
    return asked
  }

  told(question: Question, told: Told): void {
    question.answer = { atMs: this.#start.nowMs(), told }
  }
}

const PENDING: WriteOutcome = { kind: 'pending' }
