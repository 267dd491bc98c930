/**
 * A group of consumers: how far it has read the stream, and which entries it has delivered to which
 * consumer without an acknowledgement so far. Each pending id is known to the group and to the one
 * consumer that has it.
 */

import { mapBytes, objectBytes, textBytes } from './engine-sizes.ts'
import type { StreamId } from './stream-id.ts'
import { IdMap } from './stream-id-map.ts'

/** After a group was moved or entries were deleted, how many entries it has read is unknown. */
export const UNKNOWN_ENTRIES_READ = -1n

/** With a copy of the id of its own, as it has when it comes from a file or its entry is deleted. */
const PENDING_BYTES = objectBytes(3) + 16 + textBytes(16)
/** In the maps of the group and of the consumer: an id and a record each, and room. */
const PLACES_BYTES = 42
const CONSUMER_BYTES = objectBytes(3) + 16 + objectBytes(3) + 64
const GROUP_BYTES = objectBytes(4) + textBytes(16) + 24 + objectBytes(3) + 64

/** Never changed, only replaced (`assign`): a snapshot may read it. */
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
  /** Entries it was given and has not acknowledged; the same objects as in its group. */
  readonly pending: IdMap<Pending>
}

export class ConsumerGroup {
  /** The id of the last entry that was delivered as new. */
  lastId: StreamId
  /** How many entries of the stream come no later than `lastId`, including those removed since. */
  entriesRead: bigint
  #pending = new IdMap<Pending>()
  readonly #consumers = new Map<string, Consumer>()
  /** What the names of the consumers take. */
  #namesBytes = 0

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

  /** What the group takes in memory. */
  heapBytes(name: string): number {
    const { size } = this.#consumers
    const consumers = mapBytes(size) + CONSUMER_BYTES * size + this.#namesBytes
    const pending = (PENDING_BYTES + PLACES_BYTES) * this.#pending.size
    return GROUP_BYTES + textBytes(name.length) + consumers + pending
  }

  addConsumer(name: string, nowMs: number): Consumer {
    const consumer = { name, seenAtMs: nowMs, pending: new IdMap<Pending>() }
    this.#consumers.set(name, consumer)
    this.#namesBytes += textBytes(name.length)
    return consumer
  }

  /** Everything pending with the consumer goes with it. */
  removeConsumer(consumer: Consumer): void {
    for (const [id] of consumer.pending.entries()) this.#pending.delete(id)
    if (this.#consumers.delete(consumer.name)) this.#namesBytes -= textBytes(consumer.name.length)
  }

  /** Assigns the entry to the consumer, taking it from any other. */
  assign(id: StreamId, consumer: Consumer, deliveredAtMs: number, deliveries: number): Pending {
    const before = this.#pending.get(id)?.consumer
    if (before !== consumer) before?.pending.delete(id)
    const pending = { consumer, deliveredAtMs, deliveries }
    this.#pending.set(id, pending)
    consumer.pending.set(id, pending)
    return pending
  }

  /** The entry is no longer pending; false if it was not. */
  forget(id: StreamId): boolean {
    const pending = this.#pending.get(id)
    if (pending === undefined) return false
    pending.consumer.pending.delete(id)
    return this.#pending.delete(id)
  }

  /** Shares nothing with the original. */
  copy(): ConsumerGroup {
    const copy = new ConsumerGroup(this.lastId, this.entriesRead)
    for (const { name, seenAtMs, pending } of this.#consumers.values()) {
      const consumer = copy.addConsumer(name, seenAtMs)
      for (const [id, { deliveredAtMs, deliveries }] of pending.entries()) {
        copy.assign(id, consumer, deliveredAtMs, deliveries)
      }
    }
    return copy
  }

  /**
   * The group as it is now, for reading, whatever changes later. To find which consumer has a pending id,
   * look in the consumers: the shared records name the original ones.
   */
  frozen(): ConsumerGroup {
    const frozen = new ConsumerGroup(this.lastId, this.entriesRead)
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
