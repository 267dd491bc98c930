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

export interface Write {
  readonly client: string
  readonly key: string
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
  readonly #start: WriteLogStart

  constructor(start: WriteLogStart) {
    this.#start = start
  }

  /** The name of the node at an address; asked once per connection, not once per write. */
  nameOf(address: Address): string {
    return this.#start.nameOf(address)
  }

  attempted(client: string, group: string, key: string, node: string): Write {
    const attemptedAtMs = this.#start.nowMs()
    const write: Write = { client, key, group, node, attemptedAtMs, outcome: PENDING }
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
