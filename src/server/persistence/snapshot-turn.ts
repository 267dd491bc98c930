/**
 * Which task may take a snapshot. One runs at a time: a save to disk, a rewrite of the append-only file, or a
 * full resynchronisation. A user that finds the turn taken tries again when it is woken.
 */
import { assert } from '../../base/assert.ts'

export type SnapshotUser = 'save' | 'rewrite' | 'transfer'

export class SnapshotTurn {
  #user: SnapshotUser | undefined
  /** How long the last save in the background or the last copy for replicas took: to Redis both are a BGSAVE. */
  lastBackgroundMs: number | undefined

  get user(): SnapshotUser | undefined {
    return this.#user
  }

  get isFree(): boolean {
    return this.#user === undefined
  }

  /** False if the turn is taken. */
  take(user: SnapshotUser): boolean {
    if (this.#user !== undefined) return false
    this.#user = user
    return true
  }

  release(user: SnapshotUser): void {
    assert(this.#user === user, 'only its owner gives the turn back')
    this.#user = undefined
  }
}
