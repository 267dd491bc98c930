/**
 * What a driver needs to know about a batch: where its barrier stands. Batches that were made while
 * a save was under way are carried out as one, with one save for all of them [group commit].
 * Everything behind the first barrier then waits for a state that is newer than it needs. That is
 * safe, and a hundred failovers at once cost a few writes to disk instead of hundreds.
 */
import type { Effect } from './effect.ts'
import type { SavedState } from './persistence/saved.ts'

export interface Batch {
  /** Effects that may happen at once. */
  readonly before: readonly Effect[]
  /**
   * What must be on disk before `behind` happens; undefined: there is no save, and `behind` is
   * empty.
   */
  readonly state: SavedState | undefined
  readonly behind: readonly Effect[]
}

/**
 * Splits a batch, or several in their order, at the first save. The last save says what is saved.
 */
export function splitAtSave(effects: readonly Effect[]): Batch {
  const first = effects.findIndex((effect) => effect.kind === 'save')
  if (first < 0) return { before: effects, state: undefined, behind: [] }
  const behind = effects.slice(first).filter((effect) => effect.kind !== 'save')
  const newest = effects.findLast((effect) => effect.kind === 'save')
  return { before: effects.slice(0, first), state: newest?.state(), behind }
}
