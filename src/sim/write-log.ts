/**
 * What applications asked for and what they were told, write by write. It is kept outside of the
 * simulated processes, for it is what the run is judged by: an acknowledged write is a promise.
 */
import type { Address } from './happening.ts'

export type WriteOutcome =
  | { readonly kind: 'pending' }
  | {
      readonly kind: 'acknowledged'
      readonly atMs: number
      /** The node could talk to a majority of the Sentinels' hosts when it promised. */
      readonly withMajority: boolean
      /** Of an increment: what the counter was after it. */
      readonly value?: number
    }
  /** `text` is the error as the node put it, with its code. */
  | { readonly kind: 'refused'; readonly atMs: number; readonly text: string }
  /** The connection ended or the time was up: it may have happened or not. */
  | { readonly kind: 'unknown'; readonly atMs: number }

/** What a write did, and so how to find out later whether a node has it. */
export type Operation =
  /** SET key key: this key once and never again. */
  | { readonly kind: 'key'; readonly key: string }
  /** SADD set member. */
  | { readonly kind: 'member'; readonly set: string; readonly member: string }
  /** INCR counter, which nobody else does. */
  | { readonly kind: 'increment'; readonly counter: string }
  /** SET key value: of one writer, each value greater than the one before. */
  | { readonly kind: 'assign'; readonly key: string; readonly value: number }

/** A register's value as a client read it. */
export interface Read {
  readonly client: string
  readonly group: string
  readonly node: string
  readonly key: string
  readonly attemptedAtMs: number
  readonly atMs: number
  /** Undefined: there was none. */
  readonly value: number | undefined
}

export interface Write {
  readonly client: string
  readonly operation: Operation
  readonly group: string
  /** Name of the node it was sent to; its address when that is no node of ours. */
  readonly node: string
  readonly attemptedAtMs: number
  outcome: WriteOutcome
}

/** Who did something, and to which node. */
export type By = Pick<Write, 'client' | 'group' | 'node'>

/** A read that has no answer yet. */
export type OpenRead = Omit<Read, 'atMs' | 'value'>

/** Whom a client tells what it asked for and what it was told. Whoever listens knows the true time. */
export interface WriteSink {
  /** The name of the node at an address; asked once per connection, not once per write. */
  nameOf(address: Address): string
  attempted(by: By, operation: Operation): Write
  /** `value`: what a counter was after its increment. */
  acknowledged(write: Write, value?: number): void
  /** `text` is the error as the node put it, with its code. */
  refused(write: Write, text: string): void
  /** The connection ended or the time was up. */
  lostSight(write: Write): void
  readAttempted(by: By, key: string): OpenRead
  /** `value` is undefined when there was none. A read that is not answered is not mentioned again. */
  readAnswered(read: OpenRead, value: number | undefined): void
}

export interface WriteLogStart {
  readonly nowMs: () => number
  readonly nameOf: (address: Address) => string
  readonly isWithMajority: (node: string) => boolean
}

export class WriteLog implements WriteSink {
  readonly writes: Write[] = []
  readonly reads: Read[] = []
  readonly #start: WriteLogStart

  constructor(start: WriteLogStart) {
    this.#start = start
  }

  nameOf(address: Address): string {
    return this.#start.nameOf(address)
  }

  attempted({ client, group, node }: By, operation: Operation): Write {
    const attemptedAtMs = this.#start.nowMs()
    const write: Write = { client, operation, group, node, attemptedAtMs, outcome: PENDING }
    this.writes.push(write)
    return write
  }

  acknowledged(write: Write, value?: number): void {
    const atMs = this.#start.nowMs()
    const withMajority = this.#start.isWithMajority(write.node)
    write.outcome =
      value === undefined
        ? { kind: 'acknowledged', atMs, withMajority }
        : { kind: 'acknowledged', atMs, withMajority, value }
  }

  refused(write: Write, text: string): void {
    write.outcome = { kind: 'refused', atMs: this.#start.nowMs(), text }
  }

  lostSight(write: Write): void {
    write.outcome = { kind: 'unknown', atMs: this.#start.nowMs() }
  }

  readAttempted({ client, group, node }: By, key: string): OpenRead {
    return { client, group, node, key, attemptedAtMs: this.#start.nowMs() }
  }

  readAnswered({ client, group, node, key, attemptedAtMs }: OpenRead, value?: number): void {
    this.reads.push({ client, group, node, key, attemptedAtMs, atMs: this.#start.nowMs(), value })
  }
}

const PENDING: WriteOutcome = { kind: 'pending' }
