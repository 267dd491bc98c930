/**
 * Makes a failing plan small, as long as it goes on failing in the same way. Greedy: everything
 * that can be removed is removed at once, and everything is tried again until nothing more can go.
 * The same failure always shrinks to the same plan, unless the time is up first.
 */
import { calmBudgetMs } from './budget.ts'
import type { Failure } from './failure.ts'
import { type FuzzPlan, hasExpectation } from './plan.ts'
import { narrowDemands, REDUCTIONS } from './reductions.ts'

export interface ShrinkLimits {
  readonly maxRuns: number
  /** Whether the time is up. */
  readonly isOver: () => boolean
}

export interface Shrunk {
  readonly plan: FuzzPlan
  readonly failure: Failure
  readonly runs: number
}

/** Plays a plan and says why it failed. */
export type Play = (plan: FuzzPlan) => Promise<Failure | undefined>

export async function shrink(
  plan: FuzzPlan,
  failure: Failure,
  play: Play,
  limits: ShrinkLimits,
): Promise<Shrunk> {
  const shrinker = new Shrinker({ plan, failure, runs: 0 }, play, limits)
  await shrinker.tryFirst(narrowDemands(plan, failure, calmBudgetMs(plan)))
  while ((await shrinker.round()) && !shrinker.isSpent) {}
  return shrinker.best
}

class Shrinker {
  best: Shrunk
  readonly #play: Play
  readonly #limits: ShrinkLimits
  /** The plans that have been tried, so that no round repeats what an earlier one found out. */
  readonly #tried = new Set<string>()

  constructor(start: Shrunk, play: Play, limits: ShrinkLimits) {
    this.best = start
    this.#play = play
    this.#limits = limits
    this.#tried.add(JSON.stringify(start.plan))
  }

  get isSpent(): boolean {
    return this.best.runs >= this.#limits.maxRuns || this.#limits.isOver()
  }

  /** True if the plan has become smaller. */
  async round(): Promise<boolean> {
    let isSmaller = false
    for (const reduction of REDUCTIONS) {
      while (await this.tryFirst(reduction(this.best.plan))) isSmaller = true
    }
    return isSmaller
  }

  /** Takes the first candidate that fails as before. */
  async tryFirst(candidates: Iterable<FuzzPlan>): Promise<boolean> {
    for (const candidate of candidates) {
      if (this.isSpent) return false
      if (await this.#try(candidate)) return true
    }
    return false
  }

  async #try(plan: FuzzPlan): Promise<boolean> {
    const text = JSON.stringify(plan)
    if (!hasExpectation(plan) || this.#tried.has(text)) return false
    this.#tried.add(text)
    const failure = await this.#play(plan)
    const runs = this.best.runs + 1
    const isSame = failure?.signature === this.best.failure.signature
    this.best = isSame ? { plan, failure, runs } : { ...this.best, runs }
    return isSame
  }
}
