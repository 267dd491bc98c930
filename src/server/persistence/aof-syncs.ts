/**
 * What of the append-only file is where: turns of the node of which something is not written yet, turns
 * of which something is written and not synced, and the syncs under way. Several may be, because a sync
 * that takes its time must not keep a rewrite from asking for the one it has to wait for.
 *
 * A turn counts as kept when nothing it did is in any of these. A sync that was given up, or failed, puts
 * back what it would have made safe.
 */
import { earliest } from '../earliest.ts'

export interface Sync {
  /** The first turn of which something is written that it makes safe. */
  readonly since: number | undefined
  readonly startedAtMs: number
  isCounted: boolean
}

/** A sync that takes longer counts as delayed, as in Redis. */
const MAX_POSTPONED_MS = 2000

export class AofSyncs {
  /** The first turn of which something is not written. */
  #unwrittenSince: number | undefined
  /** The first turn of which something is written, and neither synced nor being synced. */
  #unsyncedSince: number | undefined
  readonly #running = new Set<Sync>()
  /** How many took too long. */
  delayed = 0

  get isRunning(): boolean {
    return this.#running.size > 0
  }

  /** Something is written that no sync makes safe. */
  get isWanted(): boolean {
    return this.#unsyncedSince !== undefined
  }

  /** Everything that is written is on the disk. */
  get isIdle(): boolean {
    return !this.isWanted && !this.isRunning
  }

  /** Something was done in that turn that is to be written. */
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

  /** Makes safe what is written at this moment. */
  begin(nowMs: number): Sync {
    const sync: Sync = { since: this.#unsyncedSince, startedAtMs: nowMs, isCounted: false }
    this.#running.add(sync)
    this.#unsyncedSince = undefined
    return sync
  }

  succeeded(sync: Sync): void {
    this.#running.delete(sync)
  }

  /** If it has not succeeded, what it would have made safe is still to be synced. */
  ended(sync: Sync): void {
    if (this.#running.delete(sync)) this.#unsyncedSince = earliest(sync.since, this.#unsyncedSince)
  }

  /** There is something to be synced, whether or not anything was written. */
  require(turn: number): void {
    this.#unsyncedSince ??= turn
  }

  /** Nothing is written any more, and what syncs under way bring does not matter. */
  forget(): void {
    this.#running.clear()
    this.#unwrittenSince = undefined
    this.#unsyncedSince = undefined
  }

  /** Up to which turn everything is on the disk, but for `turn`, the present one. */
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

  /** One has been under way since then. */
  hasRunSince(sinceMs: number): boolean {
    return [...this.#running].some(({ startedAtMs }) => startedAtMs <= sinceMs)
  }
}
