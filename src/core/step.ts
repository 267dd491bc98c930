import type { Moment } from '../base/clock.ts'
import type { Effect } from './effect.ts'
import type { Event } from './event.ts'
import type { State } from './state.ts'

/** One event in, an ordered batch of effects out. Synchronous; changes only `state`. */
export function step(_state: State, _now: Moment, _event: Event): readonly Effect[] {
  throw new Error('not built yet')
}

/** When the machine wants its next `wake`, in monotonic milliseconds. */
export function nextWakeUpMs(state: State): number | undefined {
  return state.timers.nextMs()
}
