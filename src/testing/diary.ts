/** Everything that happened in a cluster, in order: what the test did, and what the Sentinels announced. */
import { utf8Text } from '../base/utf8.ts'
import type { AnnouncedEvent } from '../core/announced-event.ts'
import type { ClusterEvent } from './api.ts'
import type { ClusterClock } from './cluster-clock.ts'

export type DiaryEntry =
  | {
      readonly kind: 'done'
      /** Milliseconds since the cluster was started. */
      readonly atMs: number
      /** What the test did, in words. */
      readonly text: string
    }
  | {
      readonly kind: 'event'
      readonly atMs: number
      readonly event: ClusterEvent
    }
  | {
      readonly kind: 'log'
      readonly atMs: number
      readonly member: string
      readonly level: string
      readonly text: string
    }

/** More than this is not kept: the oldest entries go first. */
const ENTRIES_MAX = 20_000

export class Diary {
  readonly #clock: ClusterClock
  #entries: DiaryEntry[] = []
  #dropped = 0
  #waiting: (() => void)[] = []
  #isClosed = false

  constructor(clock: ClusterClock) {
    this.#clock = clock
  }

  get nowMs(): number {
    return this.#clock.nowMs
  }

  get entries(): readonly DiaryEntry[] {
    return this.#entries
  }

  done(text: string): void {
    this.#add({ kind: 'done', atMs: this.nowMs, text })
  }

  /** Told by the Sentinel of this name. Events at level debug go to its log only: its subscribers do not hear them. */
  announced(sentinel: string, { name, level, payload, group, epoch }: AnnouncedEvent): void {
    if (level === 'debug') return
    const named = group && utf8Text(group.name)
    this.heard({ sentinel, name, payload: utf8Text(payload), group: named, epoch })
  }

  heard(event: Omit<ClusterEvent, 'atMs'>): void {
    const atMs = this.nowMs
    this.#add({ kind: 'event', atMs, event: { atMs, ...event } })
  }

  logged(member: string, level: string, text: string): void {
    this.#add({ kind: 'log', atMs: this.nowMs, member, level, text })
  }

  /** Forgets what was written so far. */
  clear(): void {
    this.#dropped += this.#entries.length
    this.#entries = []
  }

  /** The iterations over the events end. */
  close(): void {
    this.#isClosed = true
    this.#wake()
  }

  /** The events from now on, until the cluster is stopped, whenever they are read. */
  events(): AsyncGenerator<ClusterEvent> {
    return this.#eventsFrom(this.#dropped + this.#entries.length)
  }

  async *#eventsFrom(first: number): AsyncGenerator<ClusterEvent> {
    let next = first
    for (;;) {
      while (next < this.#dropped + this.#entries.length) {
        const entry = this.#entries[next++ - this.#dropped]
        if (entry?.kind === 'event') yield entry.event
      }
      if (this.#isClosed) return
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  #add(entry: DiaryEntry): void {
    this.#entries.push(entry)
    if (this.#entries.length > ENTRIES_MAX) {
      this.#entries.shift()
      this.#dropped++
    }
    this.#wake()
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
