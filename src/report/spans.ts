import type { Span } from './lane-model.ts'
import { isSameState, type LaneState } from './lane-state.ts'

/** Makes spans without gaps out of the moments at which a state began. */
export class SpanBuilder {
  readonly #spans: Span[] = []
  #state: LaneState
  #fromMs = 0

  constructor(first: LaneState) {
    this.#state = first
  }

  get state(): LaneState {
    return this.#state
  }

  /** Gives whether it is another state than before. */
  enter(atMs: number, state: LaneState): boolean {
    if (isSameState(state, this.#state)) return false
    this.#close(atMs)
    this.#state = state
    return true
  }

  finish(endMs: number): readonly Span[] {
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
