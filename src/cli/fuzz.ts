/** `vedette fuzz`: random clusters under random faults, on all cores, until the seeds or the time are used up. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DETECTIONS, type Detection } from '../core/config.ts'
import { assemble } from '../fuzz/assemble.ts'
import { drawRun, type Origin } from '../fuzz/draw.ts'
import { renderScenario } from '../fuzz/file.ts'
import { titleOf } from '../fuzz/run.ts'
import type { FuzzOutcome, FuzzTask } from './fuzz-job.ts'
import { createFuzzOutput, type FuzzOutput } from './fuzz-output.ts'
import { FuzzTallies } from './fuzz-tally.ts'
import { defaultWorkers, type Outcome, runPool } from './pool/pool.ts'
import { EXIT_CONFIG, EXIT_FAILED, say } from './report.ts'

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
  readonly profile: Origin['profile']
  readonly detection?: DetectionOption
}

/** `both`: every seed is played once with each. */
export type DetectionOption = Detection | 'both'

/** As the shell says it of a program that Ctrl-C has ended. */
const EXIT_INTERRUPTED = 130
const DEFAULT_SEEDS = { first: 1, last: 100 }
const REFRESH_MS = 250
const JOB = new URL(
  import.meta.url.endsWith('.ts') ? './fuzz-job.ts' : './fuzz-job.js',
  import.meta.url,
)

/** Resolves to the exit status. */
export async function runFuzz(options: FuzzOptions): Promise<number> {
  const range = rangeOf(options)
  if (range === undefined) {
    say('fuzz: seeds without an end need a time: add --minutes, or write --seeds 1..100')
    return EXIT_CONFIG
  }
  if (options.print) return printPlans(range, options)
  return await new Fuzzing(options, range).run()
}

interface Range {
  readonly first: number
  /** Undefined: as many as there is time for. */
  readonly last: number | undefined
}

function rangeOf({ seeds, minutes }: FuzzOptions): Range | undefined {
  if (seeds === undefined)
    return minutes === undefined ? DEFAULT_SEEDS : { ...DEFAULT_SEEDS, last: undefined }
  return seeds.last === undefined && minutes === undefined ? undefined : seeds
}

/** The scenarios as they are drawn, without playing them. */
function printPlans({ first, last }: Range, options: FuzzOptions): number {
  const texts: string[] = []
  for (let seed = first; seed <= (last ?? first); seed++) {
    for (const origin of originsOf(`${seed}`, options)) {
      texts.push(renderScenario(assemble(drawRun(origin), titleOf(origin.seed))))
    }
  }
  process.stdout.write(texts.join('---\n'))
  return 0
}

/** The runs of one seed: one, or one for each mode of detection that is compared. */
function originsOf(seed: string, { profile, detection }: FuzzOptions): Origin[] {
  const asked = detection ?? (profile === 'noise' ? 'both' : undefined)
  const modes = asked === 'both' ? DETECTIONS : [asked]
  return modes.map((mode) => ({ seed, profile, detection: mode }))
}

class Fuzzing {
  readonly #options: FuzzOptions
  readonly #range: Range
  readonly #startedAtMs = performance.now()
  readonly #output: FuzzOutput
  readonly #tallies: FuzzTallies
  /** Runs of seeds that were begun. */
  readonly #queue: Origin[] = []
  readonly #abort = new AbortController()
  #next: number
  #isInterrupted = false

  constructor(options: FuzzOptions, range: Range) {
    this.#options = options
    this.#range = range
    this.#next = range.first
    this.#output = createFuzzOutput({ isJson: options.json === true })
    this.#tallies = new FuzzTallies(originsOf('', options).map(({ detection }) => detection))
  }

  async run(): Promise<number> {
    const interrupt = (): void => {
      this.#isInterrupted = true
      this.#abort.abort()
    }
    process.once('SIGINT', interrupt)
    const timer = setInterval(() => this.#showProgress(), REFRESH_MS)
    await runPool<FuzzTask, FuzzOutcome>({
      module: JOB,
      workers: this.#options.jobs ?? defaultWorkers(),
      next: () => this.#nextTask(),
      done: (task, outcome) => this.#done(task, outcome),
      signal: this.#abort.signal,
    })
    clearInterval(timer)
    process.off('SIGINT', interrupt)
    this.#output.finish(this.#tallies, this.#elapsedMs, this.#isInterrupted)
    if (this.#isInterrupted) return EXIT_INTERRUPTED
    return this.#tallies.all.failures === 0 ? 0 : EXIT_FAILED
  }

  #fromQueue(): FuzzTask | undefined {
    const origin = this.#queue.shift()
    return origin && { origin, shrinks: this.#options.shrink }
  }

  #nextTask(): FuzzTask | undefined {
    const begun = this.#fromQueue()
    if (begun !== undefined) return begun
    const { first, last } = this.#range
    const isOver = this.#elapsedMs >= this.#limitMs
    // Time that is up before anything was tried would be no answer.
    if ((last !== undefined && this.#next > last) || (isOver && this.#next > first))
      return undefined
    this.#queue.push(...originsOf(`${this.#next++}`, this.#options))
    return this.#fromQueue()
  }

  #done({ origin }: FuzzTask, outcome: Outcome<FuzzOutcome>): void {
    this.#tallies.add(origin.detection, outcome)
    const hasFailed = outcome.kind === 'crashed' || outcome.result.failure !== undefined
    if (hasFailed) {
      this.#output.failed(origin, outcome, this.#keep(origin, outcome))
      if (this.#options.stopAtFirst) this.#abort.abort()
    }
    this.#showProgress()
  }

  /** Writes the file of a failure. Gives its path; undefined: there is none. */
  #keep({ seed, profile, detection }: Origin, outcome: Outcome<FuzzOutcome>): string | undefined {
    const file = outcome.kind === 'done' ? outcome.result.file : undefined
    if (file === undefined) return undefined
    mkdirSync(this.#options.out, { recursive: true })
    const name = [profile === 'noise' ? 'noise' : '', 'seed', seed, detection ?? '']
    const path = join(this.#options.out, `${name.filter((part) => part !== '').join('-')}.yml`)
    writeFileSync(path, file.text)
    return path
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
