/**
 * What all runs together have reached of the machines, for people (`--coverage`: what was never reached, by
 * file, line and function) and for programs (`--coverage-json`).
 *
 * The file of `--coverage-json` is one object:
 *
 *     { "format": "vedette-coverage-1", "runs": 500,
 *       "modules": { "core/election/vote.js": [FUNCTION, …], … } }
 *
 * A FUNCTION is `{ name, source, start, end, never, reachedBy }`. `start`, `end` and all other offsets are in
 * characters of the compiled file (dist/core/election/vote.js); `source` is where it begins in the source
 * (`src/core/election/vote.ts:41`). `never` are the parts that no run reached, as [start, end] pairs: all of it if it
 * was never called. `reachedBy` are runs that called it, `{ seed, calls, gaps }`, where `gaps` are the parts that this
 * run did not reach: the first eight, and every later one that reached something that none before it did. To find the
 * seeds that execute a place: the innermost function that contains it, and of its runs those without a gap there.
 */
import type { CoverageMap, CoveredFunction } from '../../fuzz/guided/coverage.ts'
import { type MappedPlace, SourcePlaces } from './source-places.ts'

const EXCERPT_CHARS = 90

export interface Unreached {
  readonly place: MappedPlace
  readonly function: string
  /** Whether the whole function was never called. */
  readonly isWhole: boolean
  readonly excerpt: string
}

export interface CoverageSummary {
  readonly functions: number
  readonly called: number
  readonly unreached: readonly Unreached[]
}

export function summarise(map: CoverageMap): CoverageSummary {
  const places = new SourcePlaces()
  let [functions, called] = [0, 0]
  const unreached: Unreached[] = []
  for (const [module, covered] of map.modules()) {
    functions += covered.length
    called += covered.filter(({ visitors }) => visitors.length > 0).length
    for (const one of outermost(covered)) unreached.push(...unreachedIn(module, one, places))
  }
  return { functions, called, unreached }
}

/** A function within one that was never called goes without saying. */
function outermost(functions: readonly CoveredFunction[]): CoveredFunction[] {
  const uncalled = functions.filter(({ visitors }) => visitors.length === 0)
  return functions.filter(
    (one) =>
      !uncalled.some((other) => other !== one && other.start <= one.start && one.end <= other.end),
  )
}

function unreachedIn(module: string, one: CoveredFunction, places: SourcePlaces): Unreached[] {
  return one.gaps
    .filter(([start, end]) => places.hasCode(module, start, end))
    .map(([start, end]) => ({
      place: places.of(module, start),
      function: one.name === '' ? '(anonymous)' : one.name,
      isWhole: one.visitors.length === 0,
      excerpt: places.excerpt(module, start, end, EXCERPT_CHARS),
    }))
}

export function coverageLines({ functions, called, unreached }: CoverageSummary): string[] {
  const share = ((100 * called) / Math.max(1, functions)).toFixed(1)
  const files = [...new Set(unreached.map(({ place }) => place.file))]
  return [
    `${called} of ${functions} functions were called (${share} %); never reached:`,
    ...files.flatMap((file) => [
      file,
      ...unreached.filter(({ place }) => place.file === file).map(unreachedLine),
    ]),
  ]
}

function unreachedLine({ place, function: name, isWhole, excerpt }: Unreached): string {
  return `  ${place.line}  ${name}${isWhole ? ', never called' : ''}: ${excerpt}`
}

/** For `--json`: one object a line, like everything there. */
export function coverageJson({ functions, called, unreached }: CoverageSummary): string {
  const places = unreached.map(({ place, ...rest }) => ({ ...place, ...rest }))
  return JSON.stringify({ kind: 'coverage', functions, called, unreached: places })
}

/** The text of `--coverage-json`. */
export function coverageFile(map: CoverageMap, runs: number): string {
  const places = new SourcePlaces()
  const modules = map.modules().map(([module, functions]) => [
    module,
    functions.map(({ name, start, end, gaps, visitors }) => {
      const { file, line } = places.of(module, start)
      return { name, source: `${file}:${line}`, start, end, never: gaps, reachedBy: visitors }
    }),
  ])
  return JSON.stringify({
    format: 'vedette-coverage-1',
    runs,
    modules: Object.fromEntries(modules),
  })
}
