import type { Moment } from '../base/clock.ts'
import type { Rng } from '../base/rng.ts'
import type { SentinelConfig } from './config.ts'
import type { Effect } from './effect.ts'
import type { SavedState } from './saved.ts'
import type { State } from './state.ts'

export interface SentinelStart {
  readonly config: SentinelConfig
  /** What the state file holds; undefined on the first start. */
  readonly saved: SavedState | undefined
  readonly rng: Rng
  readonly now: Moment
}

/** Builds the machine. The effects are its first batch: save, announce the groups, open the links. */
export function startSentinel(_start: SentinelStart): {
  readonly state: State
  readonly effects: readonly Effect[]
} {
  throw new Error('not built yet')
}
