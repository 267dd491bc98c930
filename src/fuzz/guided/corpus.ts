/**
 * The search that prefers what is new. A run is kept if it showed something that no run before it did: a
 * block of the machines, one that was run more often, or an event in another state of a failover. From what was kept
 * comes what is tried next, what was kept lately more often; one run in four is drawn afresh, so that the
 * search does not run dry.
 */
import type { Rng } from '../../base/rng.ts'
import type { FuzzPlan } from '../plan.ts'
import { changePlan } from './change-plan.ts'

/** So many runs are drawn afresh before any is changed. */
const FIRST_RUNS = 20
const FRESH_ONE_IN = 4

export class Corpus {
  readonly #rng: Rng
  readonly #known = new Set<string>()
  readonly #kept: FuzzPlan[] = []
  #runs = 0

  constructor(rng: Rng) {
    this.#rng = rng
  }

  /** How many runs showed something new. */
  get size(): number {
    return this.#kept.length
  }

  /** How many features all runs have shown together. */
  get features(): number {
    return this.#known.size
  }

  /** Takes what a run has shown. Returns how much of it is new. */
  add(plan: FuzzPlan, features: readonly string[]): number {
    this.#runs++
    const before = this.#known.size
    for (const feature of features) this.#known.add(feature)
    const news = this.#known.size - before
    if (news > 0) this.#kept.push(plan)
    return news
  }

  /** The plan to play next; undefined: one that is drawn afresh. */
  next(): FuzzPlan | undefined {
    if (this.#runs < FIRST_RUNS || this.#rng.chance(1, FRESH_ONE_IN)) return undefined
    const [one, other] = [this.#choose(), this.#choose()]
    return one && other && changePlan(this.#rng, one, other)
  }

  /** The later of two: what is new lately is rare. */
  #choose(): FuzzPlan | undefined {
    if (this.#kept.length === 0) return undefined
    const index = Math.max(this.#rng.below(this.#kept.length), this.#rng.below(this.#kept.length))
    return this.#kept[index]
  }
}
