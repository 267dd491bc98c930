import type { Effect } from '../../src/core/effect.ts'
import type { SavedState } from '../../src/core/persistence/saved.ts'

/** An effect to be examined later: what a save writes is fixed now, not when it is examined. */
export function frozen(effect: Effect): Effect {
  if (effect.kind !== 'save') return effect
  const state = effect.state()
  return { ...effect, state: () => state }
}

/** What it writes; undefined if it is not a save. */
export function savedBy(effect: Effect | undefined): SavedState | undefined {
  return effect?.kind === 'save' ? effect.state() : undefined
}
