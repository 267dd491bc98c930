/**
 * `vedette scenario run`: plays scenario files with one of the engines, and gives a verdict for
 * each.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { RecordsOf } from '../../engine/process/engine.ts'
import { secondsText } from '../../scenario/duration.ts'
import { parseScenario } from '../../scenario/parse.ts'
import { type Played, playScenario } from '../../scenario/run.ts'
import type { ScenarioFile } from '../../scenario/scenario-file.ts'
import type { Engine } from '../../scenario/world.ts'
import { makeResultFolder, readYmlFile, unwritable } from '../files.ts'
import {
  EXIT_CONFIG,
  EXIT_FAILED,
  EXIT_NOTHING_PLAYED,
  reportFailure,
  reportProblems,
  say,
} from '../report.ts'
import { StatusLine } from '../status-line.ts'
import { loadEngine } from './engines.ts'
import { resultNames } from './result-names.ts'
import { writePage } from './run-page.ts'
import { printRun, renderRun } from './run-text.ts'
import { planRuns, type ScenarioOptions, type ScenarioRunPlan } from './scenario-options.ts'
import { telling } from './scenario-progress.ts'

/** Resolves to the exit status. No scenario runs unless every file can be read. */
export async function runScenarios(
  paths: readonly string[],
  options: ScenarioOptions,
): Promise<number> {
  const planned = planRuns(options)
  if (!planned.ok) {
    say(`vedette: ${planned.message}`)
    say(`  ${planned.hint}`)
    return EXIT_CONFIG
  }
  const files = readAll(paths)
  if (files === undefined) return EXIT_CONFIG
  const names = resultNames(paths)
  const recordsOf = recordsIn(options.records, names, planned.plan)
  const taken = recordsOf && takenFolder(files, planned.plan, recordsOf)
  if (taken !== undefined) {
    say(`vedette: --records: ${taken} is there already, and records are never mixed`)
    say('  choose another folder, or remove that one')
    return EXIT_CONFIG
  }
  for (const folder of [options.report, options.records]) {
    if (folder !== undefined && !isMade(folder)) return EXIT_CONFIG
  }
  const lost = { records: 0 }
  const engine = await loadEngine(options.engine, options.against, recordsOf, (folder, error) => {
    lost.records++
    reportFailure(unwritable(folder, error))
  })
  const status = await new Series(engine, options, { ...planned.plan, names }).run(files)
  return lost.records > 0 ? EXIT_FAILED : status
}

/** A place that takes no file is told before the runs, which may take minutes. */
function isMade(folder: string): boolean {
  try {
    makeResultFolder(folder)
    return true
  } catch (error) {
    reportFailure(error)
    return false
  }
}

/** One folder for each run, named after its file. */
function recordsIn(
  folder: string | undefined,
  names: ReadonlyMap<string, string>,
  { seeds }: ScenarioRunPlan,
): RecordsOf | undefined {
  if (folder === undefined) return undefined
  return ({ file }, seed) => {
    const name = names.get(file) as string
    return join(folder, seeds.length > 1 ? `${name}-seed-${seed}` : name)
  }
}

function takenFolder(
  files: readonly ScenarioFile[],
  { seeds }: ScenarioRunPlan,
  recordsOf: RecordsOf,
): string | undefined {
  const folders = files.flatMap((file) => seeds.map((seed) => recordsOf(file, seed)))
  return folders.find((folder, at) => existsSync(folder) || folders.indexOf(folder) !== at)
}

/** Undefined: at least one file is wrong, and the problems of all files have been shown. */
function readAll(paths: readonly string[]): readonly ScenarioFile[] | undefined {
  const files = paths.flatMap((path) => readFile(path) ?? [])
  return files.length === paths.length ? files : undefined
}

function readFile(path: string): ScenarioFile | undefined {
  try {
    const parsed = parseScenario(readYmlFile(path), path)
    if (parsed.ok) return parsed.value
    reportProblems(parsed.problems)
  } catch (error) {
    // For the user, a file that cannot be read is one more kind of wrong file.
    reportFailure(error)
  }
  return undefined
}

interface SeriesPlan extends ScenarioRunPlan {
  /** What the results of each file are called. */
  readonly names: ReadonlyMap<string, string>
}

interface Run {
  readonly file: ScenarioFile
  readonly seed: string
}

/** All runs of one command; their output comes in their order. */
class Series {
  readonly #engine: Engine
  readonly #options: ScenarioOptions
  readonly #plan: SeriesPlan
  readonly #status = new StatusLine()
  readonly #count = { passed: 0, failed: 0, skipped: 0 }
  /** Virtual time of the runs, and real time of the machine that ran them. */
  readonly #spentMs = { virtual: 0, real: 0 }
  #unwrittenPages = 0

  constructor(engine: Engine, options: ScenarioOptions, plan: SeriesPlan) {
    this.#engine = engine
    this.#options = options
    this.#plan = plan
  }

  async run(files: readonly ScenarioFile[]): Promise<number> {
    const runs = files.flatMap((file) => this.#plan.seeds.map((seed) => ({ file, seed })))
    const work = async ({ file, seed }: Run, index: number): Promise<Played> => {
      const what = `${file.file}, seed ${seed}`
      const name = runs.length > 1 ? `${index + 1} of ${runs.length}: ${what}` : what
      if (runs.length > 1) this.#status.show(name)
      return await this.#play(file, seed, name)
    }
    await eachInOrder(runs, this.#plan.jobs, work, async ({ file }, played) => {
      this.#count[played.result.verdict]++
      this.#status.clear()
      await this.#tell(file, played)
    })
    this.#sumUp(runs.length)
    if (this.#count.failed + this.#unwrittenPages > 0) return EXIT_FAILED
    return this.#count.passed > 0 ? 0 : nothingPlayed(runs.length)
  }

  async #play(file: ScenarioFile, seed: string, name: string): Promise<Played> {
    const startedMs = performance.now()
    const { graceMs } = this.#plan
    const engine = telling(this.#engine, name, this.#status)
    const played = await playScenario(file, { seed, engine, graceMs })
    this.#spentMs.real += performance.now() - startedMs
    this.#spentMs.virtual += played.result.endMs
    return played
  }

  async #tell(file: ScenarioFile, played: Played): Promise<void> {
    const isOneOfMany = this.#plan.seeds.length > 1
    printRun(await renderRun(file, played, this.#options, isOneOfMany), this.#options)
    const { report, against } = this.#options
    if (report === undefined || played.result.verdict === 'skipped') return
    const name = this.#plan.names.get(file.file)
    try {
      say(`report: ${await writePage(report, file, played, { name, against })}`)
    } catch (error) {
      // The runs after this one are worth their verdict, with a page or without.
      this.#unwrittenPages++
      reportFailure(error)
    }
  }

  /** Written to standard error: standard output must be the same on every machine. */
  #sumUp(runs: number): void {
    const { passed, failed, skipped } = this.#count
    if (runs > 1 && this.#options.json === undefined) {
      const left = skipped === 0 ? '' : `, ${skipped} skipped`
      process.stdout.write(`${passed} passed, ${failed} failed${left}\n`)
    }
    if (this.#engine.name !== 'sim' || runs === skipped) return
    const { virtual, real } = this.#spentMs
    const speed = Math.round(virtual / Math.max(real, 1))
    say(`sim: ${secondsText(virtual, 1)} in ${secondsText(real, 2)}, ${speed} times real time`)
  }
}

function nothingPlayed(runs: number): number {
  const what = runs === 1 ? 'the run was skipped' : `all ${runs} runs were skipped`
  say(`vedette: nothing was played: ${what}, for the reasons above`)
  return EXIT_NOTHING_PLAYED
}

/**
 * Does `work` on all items, at most `jobs` at once, and reports each result in the order of the
 * items, as soon as it and all before it are there. The first failure in that order ends the call;
 * a job that has failed begins no further item.
 */
export async function eachInOrder<Item, Result>(
  items: readonly Item[],
  jobs: number,
  work: (item: Item, index: number) => Promise<Result>,
  tell: (item: Item, result: Result) => Promise<void>,
): Promise<void> {
  const begun: Promise<Result>[] = []
  const begin = (): void => {
    const item = items[begun.length]
    if (item === undefined) return
    const result = work(item, begun.length)
    // An item that ends makes room for the next; its failure is handled when its turn to be
    // reported comes.
    result.then(begin, () => {})
    begun.push(result)
  }
  for (let job = 0; job < jobs; job++) begin()
  for (const [index, item] of items.entries())
    await tell(item, await (begun[index] as Promise<Result>))
}
