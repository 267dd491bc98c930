/** `vedette fuzz`: random clusters under random faults, on all cores, until the seeds or the time are used up. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assemble } from '../fuzz/assemble.ts'
import { drawPlan } from '../fuzz/draw.ts'
import { renderScenario } from '../fuzz/file.ts'
import { titleOf } from '../fuzz/run.ts'
import type { FuzzOutcome, FuzzTask } from './fuzz-job.ts'
import { createFuzzOutput, type FuzzOutput } from './fuzz-output.ts'
import { FuzzTally } from './fuzz-tally.ts'
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
}

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
  if (options.print) return printPlans(range)
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
function printPlans({ first, last }: Range): number {
  const lastSeed = last ?? first
  for (let seed = first; seed <= lastSeed; seed++) {
    const words = assemble(drawPlan(`${seed}`), titleOf(`${seed}`))
    process.stdout.write(`${seed === first ? '' : '---\n'}${renderScenario(words)}`)
  }
  return 0
}

class Fuzzing {
  readonly #options: FuzzOptions
  readonly #range: Range
  readonly #startedAtMs = performance.now()
  readonly #output: FuzzOutput
  readonly #tally = new FuzzTally()
  readonly #abort = new AbortController()
  #next: number
  #isInterrupted = false

  constructor(options: FuzzOptions, range: Range) {
    this.#options = options
    this.#range = range
    this.#next = range.first
    this.#output = createFuzzOutput({ isJson: options.json === true })
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
    this.#output.finish(this.#tally, this.#elapsedMs, this.#isInterrupted)
    if (this.#isInterrupted) return EXIT_INTERRUPTED
    return this.#tally.failures === 0 ? 0 : EXIT_FAILED
  }

  #nextTask(): FuzzTask | undefined {
    const { first, last } = this.#range
    const isOver = this.#elapsedMs >= this.#limitMs
    // Time that is up before anything was tried would be no answer.
    if ((last !== undefined && this.#next > last) || (isOver && this.#next > first))
      return undefined
    return { seed: `${this.#next++}`, shrinks: this.#options.shrink }
  }

  #done({ seed }: FuzzTask, outcome: Outcome<FuzzOutcome>): void {
    this.#tally.add(outcome)
    const hasFailed = outcome.kind === 'crashed' || outcome.result.failure !== undefined
    if (hasFailed) {
      this.#output.failed(seed, outcome, this.#keep(seed, outcome))
      if (this.#options.stopAtFirst) this.#abort.abort()
    }
    this.#showProgress()
  }

  /** Writes the file of a failure. Gives its path; undefined: there is none. */
  #keep(seed: string, outcome: Outcome<FuzzOutcome>): string | undefined {
    const file = outcome.kind === 'done' ? outcome.result.file : undefined
    if (file === undefined) return undefined
    mkdirSync(this.#options.out, { recursive: true })
    const path = join(this.#options.out, `seed-${seed}.yml`)
    writeFileSync(path, file.text)
    return path
  }

  #showProgress(): void {
    const { first, last } = this.#range
    const { seeds, failures } = this.#tally
    this.#output.progress({
      ...{ seeds, failures, elapsedMs: this.#elapsedMs },
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
