/**
 * One input is one turn: the moment is set, the input is dealt with, and what was gathered leaves. While the
 * node hangs (DEBUG SLEEP) inputs wait in order, and are dealt with when that is over.
 */
import type { Moment } from '../base/clock.ts'
import type { NodeInput, Stall } from './sessions/stall.ts'

export interface TurnSteps {
  begin(now: Moment): void
  handle(input: NodeInput): void
  end(): void
}

export class Turns {
  readonly #stall: Stall
  readonly #steps: TurnSteps

  constructor(stall: Stall, steps: TurnSteps) {
    this.#stall = stall
    this.#steps = steps
  }

  take(now: Moment, input: NodeInput): void {
    if (this.isStalled(now)) this.#stall.add(input)
    else this.#turn(now, input)
  }

  /** Also ends a stall whose time is over, and deals with what came in meanwhile. */
  isStalled(now: Moment): boolean {
    if (!this.#stall.isActive) return false
    this.#stall.endIfOver(now.monoMs)
    if (this.#stall.isActive) return true
    this.#steps.begin(now)
    this.#steps.end()
    while (!this.#stall.isActive) {
      const input = this.#stall.next()
      if (input === undefined) return false
      this.#turn(now, input)
    }
    return true
  }

  #turn(now: Moment, input: NodeInput): void {
    this.#steps.begin(now)
    this.#steps.handle(input)
    this.#steps.end()
  }
}
