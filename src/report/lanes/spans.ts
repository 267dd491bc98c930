import type { LaneSpan } from './lane-model.ts'
import { isSameState, type LaneState } from './lane-state.ts'

/** Makes gapless spans out of the moments at which a state began. */
export class SpanBuilder {
  readonly #spans: LaneSpan[] = []
  #state: LaneState
  #fromMs = 0

  constructor(first: LaneState) {
    this.#state = first
  }

  get state(): LaneState {
    return this.#state
  }

  /** Returns whether the state is different from before. */
  enter(atMs: number, state: LaneState): boolean {
    if (isSameState(state, this.#state)) return false
    this.#close(atMs)
    this.#state = state
    return true
  }

  finish(endMs: number): readonly LaneSpan[] {
    this.#close(endMs)
    return this.#spans
  }

  #close(atMs: number): void {
    if (atMs > this.#fromMs) {
      this.#spans.push({ fromMs: this.#fromMs, untilMs: atMs, state: this.#state })
      this.#fromMs = atMs
    }
  }
}
