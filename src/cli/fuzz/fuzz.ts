/**
 * `vedette fuzz`: random clusters under random faults, on all cores, until the seeds or the time
 * are used up.
 */
import { join } from 'node:path'
import { createRng } from '../../base/rng.ts'
import { DETECTIONS, type Detection } from '../../core/config.ts'
import { assemble } from '../../fuzz/assemble.ts'
import type { Origin } from '../../fuzz/draw/draw.ts'
import { renderScenario } from '../../fuzz/file.ts'
import { Corpus } from '../../fuzz/guided/corpus.ts'
import { CoverageMap } from '../../fuzz/guided/coverage.ts'
import type { FuzzPlan } from '../../fuzz/plan.ts'
import { titleOf } from '../../fuzz/run.ts'
import type { Engine, EngineName } from '../../scenario/world.ts'
import { writeResult, writeResultIn } from '../files.ts'
import { type JobOutcome, runPool } from '../pool/pool.ts'
import { EXIT_CONFIG, EXIT_FAILED, EXIT_NOTHING_PLAYED, reportFailure, say } from '../report.ts'
import { loadEngine } from '../scenario/engines.ts'
import { coverageFile, coverageJson, coverageLines, summarise } from './coverage-report.ts'
import {
  drawForEngine,
  engineProblem,
  jobsFor,
  machineProblem,
  removeOwnLeftovers,
} from './fuzz-engine.ts'
import type { FuzzOutcome, FuzzTask } from './fuzz-job.ts'
import { createFuzzOutput, type FuzzOutput } from './fuzz-output.ts'
import { FuzzTallies } from './fuzz-tally.ts'

export interface FuzzOptions {
  readonly seeds?: { readonly first: number; readonly last: number | undefined }
  readonly minutes?: number
  readonly jobs?: number
  readonly out: string
  readonly stopAtFirst?: true
  readonly json?: true
  /** False with --no-shrink. */
  readonly shrink: boolean
  readonly print?: true
  readonly guided?: true
  readonly coverage?: true
  /** The file to write. */
  readonly coverageJson?: string
  readonly profile: Origin['profile']
  readonly engine: EngineName
  readonly detection?: DetectionOption
  /** How long a long life is. */
  readonly days?: number
}

/** `both`: every seed is played once in each mode. */
export type DetectionOption = Detection | 'both'

/** What ends a run early, and the exit status by which a shell knows it. */
const INTERRUPTS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
const DEFAULT_SEEDS = { first: 1, last: 100 }
const REFRESH_MS = 250
/** A month takes minutes, and more on a machine that is busy with other things. */
const LONG_LIMIT_MS = 3_600_000
const KIND = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
const JOB = new URL(`./fuzz-job.${KIND}`, import.meta.url)
const MEASURED_JOB = new URL(`./measured-job.${KIND}`, import.meta.url)

/** Resolves to the exit status. */
export async function runFuzz(options: FuzzOptions): Promise<number> {
  const range = rangeOf(options)
  const problem = optionsProblem(options)
  if (range === undefined || problem !== undefined) {
    say(`fuzz: ${problem ?? NO_END}`)
    return EXIT_CONFIG
  }
  const engine = await loadEngine(options.engine, 'vedette')
  if (options.print) return printPlans(range, options, engine)
  const refusal = await machineProblem(options.engine)
  if (refusal === undefined) return await new Fuzzing(options, range).run()
  say(`fuzz: nothing was played: ${refusal}`)
  return EXIT_NOTHING_PLAYED
}

const NO_END = 'an open range of seeds needs a time limit: add --minutes, or write --seeds 1..100'

/** Why these options do not go together, in words; undefined: they do. */
function optionsProblem(options: FuzzOptions): string | undefined {
  const { days, profile, guided, print, json } = options
  if (days !== undefined && profile !== 'long-life') return '--days needs --profile long-life'
  if (guided && profile !== 'faults') return '--guided works only with --profile faults'
  if (print && json) return '--print prints scenarios, which are YAML: leave --json out'
  return engineProblem(options)
}

interface Range {
  readonly first: number
  /** Undefined: as many as the time allows. */
  readonly last: number | undefined
}

function rangeOf({ seeds, minutes }: FuzzOptions): Range | undefined {
  if (seeds === undefined)
    return minutes === undefined ? DEFAULT_SEEDS : { ...DEFAULT_SEEDS, last: undefined }
  return seeds.last === undefined && minutes === undefined ? undefined : seeds
}

/** Prints the scenarios as they are drawn, without playing them. */
function printPlans({ first, last }: Range, options: FuzzOptions, engine: Engine): number {
  const texts: string[] = []
  for (let seed = first; seed <= (last ?? first); seed++) {
    for (const origin of originsOf(`${seed}`, options)) {
      texts.push(renderScenario(assemble(drawForEngine(origin, engine), titleOf(origin.seed))))
    }
  }
  process.stdout.write(texts.join('---\n'))
  return 0
}

/** The runs of one seed: a single one, or one for each detection mode that is compared. */
function originsOf(seed: string, { profile, detection, days }: FuzzOptions): Origin[] {
  const asked = detection ?? (profile === 'noise' ? 'both' : undefined)
  const modes = asked === 'both' ? DETECTIONS : [asked]
  return modes.map((mode) => ({ seed, profile, detection: mode, days }))
}

class Fuzzing {
  readonly #options: FuzzOptions
  readonly #range: Range
  readonly #startedAtMs = performance.now()
  readonly #output: FuzzOutput
  readonly #tallies: FuzzTallies
  /** Runs of seeds that have begun. */
  readonly #queue: Origin[] = []
  readonly #abort = new AbortController()
  /** Undefined if coverage was not asked for. */
  readonly #reached: ReachedCode | undefined
  #next: number
  #interruptedBy: keyof typeof INTERRUPTS | undefined

  constructor(options: FuzzOptions, range: Range) {
    this.#options = options
    this.#range = range
    this.#next = range.first
    const { guided, coverage, coverageJson } = options
    const isAsked = guided === true || coverage === true || coverageJson !== undefined
    this.#reached = isAsked ? new ReachedCode(`${range.first}`) : undefined
    this.#output = createFuzzOutput({ isJson: options.json === true, engine: options.engine })
    this.#tallies = new FuzzTallies(originsOf('', options).map(({ detection }) => detection))
  }

  async run(): Promise<number> {
    const interrupt = (signal: NodeJS.Signals): void => {
      this.#interruptedBy ??= signal as keyof typeof INTERRUPTS
      this.#abort.abort()
    }
    for (const signal of Object.keys(INTERRUPTS)) process.on(signal, interrupt)
    const timer = setInterval(() => this.#showProgress(), REFRESH_MS)
    await runPool<FuzzTask, FuzzOutcome>({
      module: this.#reached === undefined ? JOB : MEASURED_JOB,
      workers: this.#options.jobs ?? jobsFor(this.#options.engine),
      next: () => this.#nextTask(),
      done: (task, outcome) => this.#done(task, outcome),
      signal: this.#abort.signal,
      ...(this.#options.profile === 'long-life' ? { limitMs: LONG_LIMIT_MS } : {}),
    })
    clearInterval(timer)
    for (const signal of Object.keys(INTERRUPTS)) process.off(signal, interrupt)
    this.#output.finish(this.#tallies, this.#elapsedMs, this.#interruptedBy !== undefined)
    this.#reached?.tell(this.#options)
    if (this.#interruptedBy !== undefined) {
      await removeOwnLeftovers(this.#options.engine)
      return INTERRUPTS[this.#interruptedBy]
    }
    return this.#tallies.all.failures === 0 ? 0 : EXIT_FAILED
  }

  #fromQueue(): FuzzTask | undefined {
    const origin = this.#queue.shift()
    if (origin === undefined) return undefined
    const plan = this.#options.guided ? this.#reached?.nextPlan() : undefined
    const { shrink: shrinks, engine } = this.#options
    return { origin, shrinks, plan, engine }
  }

  #nextTask(): FuzzTask | undefined {
    const begun = this.#fromQueue()
    if (begun !== undefined) return begun
    const { first, last } = this.#range
    const isOver = this.#elapsedMs >= this.#limitMs
    // The first seed is played even if the time is already up: an empty run answers nothing.
    if ((last !== undefined && this.#next > last) || (isOver && this.#next > first))
      return undefined
    this.#queue.push(...originsOf(`${this.#next++}`, this.#options))
    return this.#fromQueue()
  }

  #done({ origin, plan }: FuzzTask, outcome: JobOutcome<FuzzOutcome>): void {
    this.#tallies.add(origin.detection, outcome)
    const missed = outcome.kind === 'done' ? outcome.result.missedOnce : undefined
    if (missed !== undefined) this.#output.missedOnce(origin, missed)
    this.#reached?.add(origin.seed, outcome)
    const hasFailed = outcome.kind === 'crashed' || outcome.result.failure !== undefined
    if (hasFailed) {
      const path = this.#keep(origin, this.#textOf(origin, outcome, plan))
      this.#output.failed({ origin, outcome, path, isChanged: plan !== undefined })
      if (this.#options.stopAtFirst) this.#abort.abort()
    }
    this.#showProgress()
  }

  /** A run that took its worker with it could not be made small: a changed plan is kept as it is. */
  #textOf(
    { seed }: Origin,
    outcome: JobOutcome<FuzzOutcome>,
    plan: FuzzPlan | undefined,
  ): string | undefined {
    if (outcome.kind === 'done') return outcome.result.file?.text
    return plan && renderScenario(assemble(plan, titleOf(seed)))
  }

  /** Writes the file of a failure. Returns its path; undefined: there is no file. */
  #keep({ seed, profile, detection }: Origin, text: string | undefined): string | undefined {
    if (text === undefined) return undefined
    const search = this.#options.guided ? 'guided' : ''
    const name = [search, profile === 'faults' ? '' : profile, 'seed', seed, detection ?? '']
    const path = join(this.#options.out, `${name.filter((part) => part !== '').join('-')}.yml`)
    return this.#isWritten(path, text) ? path : undefined
  }

  /** A disk that fills up must not end a search of hours: the seed makes the run again. */
  #isWritten(path: string, text: string): boolean {
    try {
      writeResultIn(path, text)
      return true
    } catch (error) {
      reportFailure(error)
      return false
    }
  }

  #showProgress(): void {
    const { first, last } = this.#range
    const { runs, failures } = this.#tallies.all
    const each = this.#tallies.modes
    this.#output.progress({
      ...{ seeds: Math.floor(runs / each), failures, elapsedMs: this.#elapsedMs },
      ofSeeds: last === undefined ? undefined : last - first + 1,
      limitMs: Number.isFinite(this.#limitMs) ? this.#limitMs : undefined,
    })
  }

  get #elapsedMs(): number {
    return performance.now() - this.#startedAtMs
  }

  get #limitMs(): number {
    const { minutes } = this.#options
    return minutes === undefined ? Number.POSITIVE_INFINITY : minutes * 60_000
  }
}

/** What the runs of `vedette fuzz` have reached: for the search that prefers what is new, and to be told at the end. */
interface CoverageOptions {
  readonly guided?: true
  readonly coverage?: true
  readonly coverageJson?: string
  readonly json?: true
}

class ReachedCode {
  readonly #map = new CoverageMap()
  readonly #corpus: Corpus
  #runs = 0

  constructor(seed: string) {
    this.#corpus = new Corpus(createRng(`guided/${seed}`))
  }

  add(seed: string, outcome: JobOutcome<FuzzOutcome>): void {
    const measured = outcome.kind === 'done' ? outcome.result.measured : undefined
    if (measured === undefined) return
    this.#runs++
    if (measured.all !== undefined) this.#map.add(seed, measured.all)
    this.#map.add(seed, measured.coverage)
    this.#corpus.add(measured.plan, measured.features)
  }

  /** Undefined: the one that the next seed stands for. */
  nextPlan(): FuzzPlan | undefined {
    return this.#corpus.next()
  }

  tell({ guided, coverage, coverageJson: path, json }: CoverageOptions): void {
    const { size, features } = this.#corpus
    if (guided && json)
      write([JSON.stringify({ kind: 'guided', runs: this.#runs, kept: size, features })])
    else if (guided)
      write([`  ${features} features, ${size} of ${this.#runs} runs showed a new one`])
    if (coverage) {
      const summary = summarise(this.#map)
      write(json ? [coverageJson(summary)] : coverageLines(summary))
    }
    if (path !== undefined) writeResult(path, coverageFile(this.#map, this.#runs))
  }
}

function write(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}
