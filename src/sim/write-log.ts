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

export interface WriteLogStart {
  readonly nowMs: () => number
  readonly nameOf: (address: Address) => string
  readonly isWithMajority: (node: string) => boolean
}

export class WriteLog {
  readonly writes: Write[] = []
  readonly reads: Read[] = []
  readonly #start: WriteLogStart

  constructor(start: WriteLogStart) {
    this.#start = start
  }

  /** The name of the node at an address; asked once per connection, not once per write. */
  nameOf(address: Address): string {
    return this.#start.nameOf(address)
  }

  attempted(by: Pick<Write, 'client' | 'group' | 'node'>, operation: Operation): Write {
    const attemptedAtMs = this.#start.nowMs()
    const write: Write = { ...by, operation, attemptedAtMs, outcome: PENDING }
    this.writes.push(write)
    return write
  }

  acknowledged(write: Write): void {
    const withMajority = this.#start.isWithMajority(write.node)
    write.outcome = { kind: 'acknowledged', atMs: this.#start.nowMs(), withMajority }
  }

  refused(write: Write, text: string): void {
    write.outcome = { kind: 'refused', atMs: this.#start.nowMs(), text }
  }

  lostSight(write: Write): void {
    write.outcome = { kind: 'unknown', atMs: this.#start.nowMs() }
  }
}

const PENDING: WriteOutcome = { kind: 'pending' }
