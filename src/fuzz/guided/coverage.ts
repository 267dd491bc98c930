/**
 * What runs have reached of the machines: which functions, and in them which blocks. A run tells for each
 * function how often it was called, and the gaps in it: the parts that were not reached. What no run has
 * reached of a function is what lies in the gaps of all its runs.
 */

/** From and to, in characters of the compiled file; the end is not part of it. */
export type Gap = readonly [start: number, end: number]

/** What one run reached of one function. */
export interface FunctionVisit {
  readonly start: number
  readonly end: number
  /** Empty for a function without a name. */
  readonly name: string
  /** 0: it was not called. */
  readonly calls: number
  readonly gaps: readonly Gap[]
  /** How often its blocks were run, where that differs from the calls: start, end, count. */
  readonly blocks: readonly (readonly [start: number, end: number, count: number])[]
}

/** By module: its path in the folder of compiled files. */
export type RunCoverage = ReadonlyMap<string, readonly FunctionVisit[]>

/** A run that reached a function. */
export interface Visitor {
  readonly seed: string
  readonly calls: number
  readonly gaps: readonly Gap[]
}

export interface CoveredFunction {
  readonly start: number
  readonly end: number
  readonly name: string
  /** What no run has reached: of a function that was never called all of it. */
  gaps: readonly Gap[]
  /** The first runs that called it, and every later one that reached something new in it. */
  readonly visitors: Visitor[]
}

/** The first runs that reach a function are all kept; nearly all runs reach nearly all functions. */
const VISITORS_KEPT = 8

export class CoverageMap {
  readonly #modules = new Map<string, Map<number, CoveredFunction>>()

  /** Adds what a run has reached. */
  add(seed: string, run: RunCoverage): void {
    for (const [module, visits] of run) {
      const functions = this.#modules.get(module) ?? new Map<number, CoveredFunction>()
      this.#modules.set(module, functions)
      for (const visit of visits) this.#visit(functions, seed, visit)
    }
  }

  /** By module, in the order of their names; the functions in their order in the file. */
  modules(): readonly (readonly [module: string, functions: readonly CoveredFunction[]])[] {
    return [...this.#modules]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([module, functions]) => [
        module,
        [...functions.values()].sort((a, b) => a.start - b.start),
      ])
  }

  #visit(functions: Map<number, CoveredFunction>, seed: string, visit: FunctionVisit): void {
    const { start, end, name, calls, gaps } = visit
    const known = functions.get(start)
    const covered = known ?? { start, end, name, gaps: [[start, end]], visitors: [] }
    functions.set(start, covered)
    if (calls === 0) return
    const left = common(covered.gaps, gaps)
    const isNews = lengthOf(left) < lengthOf(covered.gaps)
    covered.gaps = left
    if (isNews || covered.visitors.length < VISITORS_KEPT) {
      covered.visitors.push({ seed, calls, gaps })
    }
  }
}

/** What lies in both; each list is in order and without overlaps. */
export function common(some: readonly Gap[], others: readonly Gap[]): Gap[] {
  const found: Gap[] = []
  let [one, other] = [0, 0]
  for (;;) {
    const [a, b] = [some[one], others[other]]
    if (a === undefined || b === undefined) return found
    const [start, end] = [Math.max(a[0], b[0]), Math.min(a[1], b[1])]
    if (start < end) found.push([start, end])
    if (a[1] < b[1]) one++
    else other++
  }
}

function lengthOf(gaps: readonly Gap[]): number {
  return gaps.reduce((sum, [start, end]) => sum + end - start, 0)
}

/**
 * What is remarkable about a run, one text for each: the blocks it reached and roughly how often, so that a
 * run that does something twice differs from one that does it once.
 */
export function featuresOf(run: RunCoverage): string[] {
  return [...run].flatMap(([module, visits]) =>
    visits.flatMap(({ start, calls, blocks }) => [
      ...(calls === 0 ? [] : [`${module}:${start}~${roughly(calls)}`]),
      ...blocks.flatMap(([at, end, count]) =>
        count === 0 ? [] : [`${module}:${at}-${end}~${roughly(count)}`],
      ),
    ]),
  )
}

/** 0 for one, 1 for two or three, 2 up to seven, 3 up to 63, 4 for more. */
function roughly(count: number): number {
  if (count < 8) return Math.floor(Math.log2(count))
  return count < 64 ? 3 : 4
}
