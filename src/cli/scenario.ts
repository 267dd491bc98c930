/** `vedette scenario run`: scenario files played by one of the engines, with a verdict for each. */
import { performance } from 'node:perf_hooks'
import { parseScenario } from '../scenario/parse.ts'
import { type Played, playScenario } from '../scenario/run.ts'
import type { ScenarioFile } from '../scenario/scenario-file.ts'
import type { Engine } from '../scenario/world.ts'
import { loadEngine } from './engines.ts'
import { readTextFile } from './files.ts'
import { eachInOrder } from './in-order.ts'
import { EXIT_CONFIG, EXIT_FAILED, reportFailure, reportProblems, say } from './report.ts'
import { writePage } from './run-page.ts'
import { renderRun } from './run-text.ts'
import { type Plan, planRuns, type ScenarioOptions } from './scenario-options.ts'
import { StatusLine } from './status-line.ts'

/** Resolves to the exit status. Nothing is run unless every file can be read. */
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
  const engine = await loadEngine(options.engine, options.against)
  return await new Series(engine, options, planned.plan).run(files)
}

/** Undefined: at least one is wrong, and the problems of all have been shown. */
function readAll(paths: readonly string[]): readonly ScenarioFile[] | undefined {
  const files = paths.flatMap((path) => readFile(path) ?? [])
  return files.length === paths.length ? files : undefined
}

function readFile(path: string): ScenarioFile | undefined {
  try {
    const parsed = parseScenario(readTextFile(path, 'utf8'), path)
    if (parsed.ok) return parsed.value
    reportProblems(parsed.problems)
  } catch (error) {
    // It cannot be read at all: to whoever named it, one more kind of wrong file.
    reportFailure(error)
  }
  return undefined
}

interface Run {
  readonly file: ScenarioFile
  readonly seed: string
}

/** All runs of one command; what they tell comes in their order. */
class Series {
  readonly #engine: Engine
  readonly #options: ScenarioOptions
  readonly #plan: Plan
  readonly #status = new StatusLine()
  readonly #count = { passed: 0, failed: 0, skipped: 0 }
  /** Of the runs, and of the machine that ran them. */
  readonly #spentMs = { virtual: 0, real: 0 }

  constructor(engine: Engine, options: ScenarioOptions, plan: Plan) {
    this.#engine = engine
    this.#options = options
    this.#plan = plan
  }

  async run(files: readonly ScenarioFile[]): Promise<number> {
    const runs = files.flatMap((file) => this.#plan.seeds.map((seed) => ({ file, seed })))
    const work = async ({ file, seed }: Run, index: number): Promise<Played> => {
      if (runs.length > 1) {
        this.#status.show(`${index + 1} of ${runs.length}: ${file.file}, seed ${seed}`)
      }
      return await this.#play(file, seed)
    }
    await eachInOrder(runs, this.#plan.jobs, work, async ({ file }, played) => {
      this.#count[played.result.verdict]++
      this.#status.clear()
      await this.#tell(file, played)
    })
    this.#sumUp(runs.length)
    return this.#count.failed === 0 ? 0 : EXIT_FAILED
  }

  async #play(file: ScenarioFile, seed: string): Promise<Played> {
    const startedMs = performance.now()
    const { graceMs } = this.#plan
    const played = await playScenario(file, { seed, engine: this.#engine, graceMs })
    this.#spentMs.real += performance.now() - startedMs
    this.#spentMs.virtual += played.result.endMs
    return played
  }

  async #tell(file: ScenarioFile, played: Played): Promise<void> {
    const isOneOfMany = this.#plan.seeds.length > 1
    process.stdout.write(await renderRun(file, played, this.#options, isOneOfMany))
    const { report } = this.#options
    if (report === undefined || played.result.verdict === 'skipped') return
    say(`report: ${await writePage(report, file, played)}`)
  }

  /** On standard error: results must be the same whatever machine they come from. */
  #sumUp(runs: number): void {
    const { passed, failed, skipped } = this.#count
    if (runs > 1 && this.#options.json === undefined) {
      const left = skipped === 0 ? '' : `, ${skipped} skipped`
      process.stdout.write(`${passed} passed, ${failed} failed${left}\n`)
    }
    if (this.#engine.name !== 'sim' || runs === skipped) return
    const { virtual, real } = this.#spentMs
    const speed = Math.round(virtual / Math.max(real, 1))
    say(`sim: ${seconds(virtual, 1)} in ${seconds(real, 2)}, ${speed} times real time`)
  }
}

function seconds(ms: number, digits: number): string {
  return `${(ms / 1_000).toFixed(digits)} s`
}
