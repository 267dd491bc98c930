/**
 * A group of consumers: how far it has read the stream, and what it has handed to whom without an
 * acknowledgement so far. Each pending id is known to the group and to the one consumer it is with.
 */

import type { StreamId } from './stream-id.ts'
import { IdMap } from './stream-id-map.ts'

/** How many entries a group has read is not known, after it was moved or entries were deleted. */
export const UNKNOWN_ENTRIES_READ = -1n

/** Never changed, but replaced (`assign`): a snapshot may read it. */
export interface Pending {
  readonly consumer: Consumer
  /** Wall-clock milliseconds. */
  readonly deliveredAtMs: number
  readonly deliveries: number
}

export interface Consumer {
  readonly name: string
  /** Wall-clock milliseconds. */
  seenAtMs: number
  /** What it was given and has not acknowledged; the same objects as in its group. */
  readonly pending: IdMap<Pending>
}

export class Group {
  /** Of the last entry that was handed out as new. */
  lastId: StreamId
  /** How many entries of the stream come no later than `lastId`, those removed since included. */
  entriesRead: bigint
  #pending = new IdMap<Pending>()
  readonly #consumers = new Map<string, Consumer>()

  constructor(lastId: StreamId, entriesRead: bigint) {
    this.lastId = lastId
    this.entriesRead = entriesRead
  }

  get pending(): Omit<IdMap<Pending>, 'set' | 'delete'> {
    return this.#pending
  }

  get consumers(): ReadonlyMap<string, Consumer> {
    return this.#consumers
  }

  addConsumer(name: string, nowMs: number): Consumer {
    const consumer = { name, seenAtMs: nowMs, pending: new IdMap<Pending>() }
    this.#consumers.set(name, consumer)
    return consumer
  }

  /** With it goes everything that is pending with it. */
  removeConsumer(consumer: Consumer): void {
    for (const [id] of consumer.pending.entries()) this.#pending.delete(id)
    this.#consumers.delete(consumer.name)
  }

  /** Hands the entry to the consumer, whoever has had it. */
  assign(id: StreamId, consumer: Consumer, deliveredAtMs: number, deliveries: number): Pending {
    const before = this.#pending.get(id)?.consumer
    if (before !== consumer) before?.pending.delete(id)
    const pending = { consumer, deliveredAtMs, deliveries }
    this.#pending.set(id, pending)
    consumer.pending.set(id, pending)
    return pending
  }

  /** Nobody has to deal with the entry any more; false: nobody had to. */
  forget(id: StreamId): boolean {
    const pending = this.#pending.get(id)
    if (pending === undefined) return false
    pending.consumer.pending.delete(id)
    return this.#pending.delete(id)
  }

  /** Shares nothing with the original. */
  copy(): Group {
    const copy = new Group(this.lastId, this.entriesRead)
    for (const { name, seenAtMs, pending } of this.#consumers.values()) {
      const consumer = copy.addConsumer(name, seenAtMs)
      for (const [id, { deliveredAtMs, deliveries }] of pending.entries()) {
        copy.assign(id, consumer, deliveredAtMs, deliveries)
      }
    }
    return copy
  }

  /** The group as it is now, to be read whatever is changed here. Who has a pending id, its consumer says. */
  frozen(): Group {
    const frozen = new Group(this.lastId, this.entriesRead)
    frozen.#pending = this.#pending.frozen()
    for (const { name, seenAtMs, pending } of this.#consumers.values()) {
      frozen.#consumers.set(name, { name, seenAtMs, pending: pending.frozen() })
    }
    return frozen
  }
}

/** By name, the order in which Redis shows groups and consumers. */
export function byName<T>(named: ReadonlyMap<string, T>): (readonly [string, T])[] {
  return [...named].sort(([a], [b]) => (a < b ? -1 : 1))
}
