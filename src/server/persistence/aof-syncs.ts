/**
 * How durable the turns of the node are in the append-only file: turns with something not written yet,
 * turns with something written but not synced, and the running syncs. There may be several syncs, because
 * a slow one must not keep a rewrite from requesting the one it has to wait for.
 *
 * A turn counts as kept if nothing it did is in any of these. A sync that was given up, or failed, puts
 * back what it would have made durable.
 */
import { earliest } from '../earliest.ts'

export interface Sync {
  /** The first turn with something that this sync makes durable. */
  readonly since: number | undefined
  readonly startedAtMs: number
  isCounted: boolean
}

/** A sync that takes longer counts as delayed, as in Redis. */
const MAX_POSTPONED_MS = 2000

export class AofSyncs {
  /** The first turn with something not written. */
  #unwrittenSince: number | undefined
  /** The first turn with something written that no sync has covered or is covering. */
  #unsyncedSince: number | undefined
  readonly #running = new Set<Sync>()
  /** How many took too long. */
  delayed = 0

  get isRunning(): boolean {
    return this.#running.size > 0
  }

  /** Whether something is written that no sync covers. */
  get isWanted(): boolean {
    return this.#unsyncedSince !== undefined
  }

  /** Whether everything written is on the disk. */
  get isIdle(): boolean {
    return !this.isWanted && !this.isRunning
  }

  /** The turn did something that has to be written. */
  done(turn: number): void {
    this.#unwrittenSince ??= turn
  }

  /** A part of what was done is written. */
  writtenPart(): void {
    this.#unsyncedSince ??= this.#unwrittenSince
  }

  writtenAll(): void {
    this.#unwrittenSince = undefined
  }

  /** Begins a sync, which covers what is written at this moment. */
  begin(nowMs: number): Sync {
    const sync: Sync = { since: this.#unsyncedSince, startedAtMs: nowMs, isCounted: false }
    this.#running.add(sync)
    this.#unsyncedSince = undefined
    return sync
  }

  succeeded(sync: Sync): void {
    this.#running.delete(sync)
  }

  /** If the sync has not succeeded, what it covered still has to be synced. */
  ended(sync: Sync): void {
    if (this.#running.delete(sync)) this.#unsyncedSince = earliest(sync.since, this.#unsyncedSince)
  }

  /** There is something to be synced, whether or not anything was written. */
  require(turn: number): void {
    this.#unsyncedSince ??= turn
  }

  /** Nothing is written any more, and the results of running syncs do not matter. */
  forget(): void {
    this.#running.clear()
    this.#unwrittenSince = undefined
    this.#unsyncedSince = undefined
  }

  /** The turn up to which everything is on the disk, except `turn`, the present one. */
  keptTurn(turn: number): number {
    let first = Math.min(turn, this.#unwrittenSince ?? turn, this.#unsyncedSince ?? turn)
    for (const { since } of this.#running) first = Math.min(first, since ?? turn)
    return first - 1
  }

  countDelayed(nowMs: number): void {
    for (const sync of this.#running) {
      if (sync.isCounted || nowMs - sync.startedAtMs < MAX_POSTPONED_MS) continue
      sync.isCounted = true
      this.delayed++
    }
  }

  /** Whether a sync has been running since then. */
  hasRunSince(sinceMs: number): boolean {
    return [...this.#running].some(({ startedAtMs }) => startedAtMs <= sinceMs)
  }
}
