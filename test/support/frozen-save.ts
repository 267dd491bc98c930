import type { Effect } from '../../src/core/effect.ts'
import type { SavedState } from '../../src/core/memory/saved.ts'

/** An effect to be looked at later: what a save would write is what it is now, not what it will be then. */
export function frozen(effect: Effect): Effect {
  if (effect.kind !== 'save') return effect
  const state = effect.state()
  return { ...effect, state: () => state }
}

/** What it writes; undefined: it is no save. */
export function savedBy(effect: Effect | undefined): SavedState | undefined {
  return effect?.kind === 'save' ? effect.state() : undefined
}
