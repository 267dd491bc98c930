/**
 * Plays thousands of hostile inputs, one after another, and checks each against the bounds that every input
 * has: no exception, time, memory. A case is identified by its number alone: the number is the seed.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { assert } from '../../src/base/assert.ts'
import { oneLine } from '../../src/base/one-line.ts'
import { createRng, type Rng } from '../../src/base/rng.ts'

/** Plays one case and returns the outcome as a word; throws if a claim does not hold. */
export type HostileCase = (rng: Rng) => string

export interface HostileRun {
  /** How many times each outcome occurred. */
  readonly counts: ReadonlyMap<string, number>
  /** The first claims that did not hold, each with its case. */
  readonly problems: readonly string[]
  readonly slowestMs: number
  readonly largestGrowthMiB: number
  /** After the last collection, compared with the first one. */
  readonly keptMiB: number
}

const MIB = 1024 * 1024
const MAX_CASE_MS = 2_000
const MAX_CASE_GROWTH_MIB = 64
const MAX_KEPT_MIB = 64
const MAX_PROBLEMS = 20
const MAX_TRACE_LINES = 8
const MAX_MESSAGE_CHARS = 2_000
const PROGRESS_MS = 5_000
/** How often other work gets a turn: a test that does not respond for long is taken for dead. */
const BREATH_MS = 200
const CASES_PER_COLLECTION = 1_000
/** By then everything that is created once has been created. */
const WARM_UP_CASES = 200

/** `first`: the number of the first case. */
export async function runHostile(
  kind: string,
  first: number,
  count: number,
  play: HostileCase,
): Promise<HostileRun> {
  const run = new Run(kind, play)
  let [breathMs, progressMs] = [performance.now(), performance.now()]
  for (let at = first; at < first + count && !run.isHopeless; at++) {
    run.play(at)
    if ((at - first) % CASES_PER_COLLECTION === WARM_UP_CASES) run.collect()
    const nowMs = performance.now()
    if (nowMs - progressMs > PROGRESS_MS) {
      progressMs = nowMs
      process.stderr.write(`${kind}: ${at - first + 1} of ${count}, ${run.summary()}\n`)
    }
    if (nowMs - breathMs < BREATH_MS) continue
    await new Promise((resolve) => setImmediate(resolve))
    breathMs = performance.now()
  }
  run.collect()
  process.stderr.write(`${kind}: cases ${first}..${first + count - 1}: ${run.summary()}\n`)
  return run
}

class Run implements HostileRun {
  readonly counts = new Map<string, number>()
  readonly problems: string[] = []
  slowestMs = 0
  largestGrowthMiB = 0
  keptMiB = 0
  readonly #kind: string
  readonly #play: HostileCase
  #baselineBytes: number | undefined

  constructor(kind: string, play: HostileCase) {
    this.#kind = kind
    this.#play = play
  }

  get isHopeless(): boolean {
    return this.problems.length >= MAX_PROBLEMS
  }

  play(at: number): void {
    const [beforeBytes, startMs] = [usedBytes(), usedMs()]
    const outcome = this.#outcome(at)
    this.counts.set(outcome, (this.counts.get(outcome) ?? 0) + 1)
    const growthMiB = (usedBytes() - beforeBytes) / MIB
    this.largestGrowthMiB = Math.max(this.largestGrowthMiB, growthMiB)
    if (growthMiB > MAX_CASE_GROWTH_MIB) this.#tell(at, `takes ${Math.round(growthMiB)} MiB`)
    this.#judgeTime(at, usedMs() - startMs)
  }

  /** Collects garbage, and checks what is left. */
  collect(): void {
    collectGarbage()
    const bytes = usedBytes()
    this.#baselineBytes ??= bytes
    this.keptMiB = (bytes - this.#baselineBytes) / MIB
    if (this.keptMiB > MAX_KEPT_MIB) {
      this.problems.push(`${this.#kind}: ${Math.round(this.keptMiB)} MiB are never given back`)
    }
  }

  summary(): string {
    const counts = [...this.counts].sort().map(([outcome, count]) => `${outcome} ${count}`)
    const [ms, growth, kept] = [this.slowestMs, this.largestGrowthMiB, this.keptMiB].map(Math.round)
    return `${counts.join(', ')}; slowest ${ms} ms, most ${growth} MiB, kept ${kept} MiB`
  }

  #outcome(at: number): string {
    try {
      return this.#play(createRng(`${this.#kind} ${at}`))
    } catch (error) {
      const trace = error instanceof Error ? (error.stack ?? error.message) : String(error)
      this.#tell(at, trace.split('\n').slice(0, MAX_TRACE_LINES).join('\n'))
      return 'failed'
    }
  }

  /** A case that was slow because code was compiled meanwhile is fast when it is played again. */
  #judgeTime(at: number, firstMs: number): void {
    let durationMs = firstMs
    if (firstMs > MAX_CASE_MS) {
      const startMs = usedMs()
      this.#outcome(at)
      durationMs = Math.min(firstMs, usedMs() - startMs)
    }
    this.slowestMs = Math.max(this.slowestMs, durationMs)
    if (durationMs > MAX_CASE_MS) this.#tell(at, `takes ${Math.round(durationMs)} ms`)
  }

  #tell(at: number, text: string): void {
    const problem = `${this.#kind} case ${at}: ${text.slice(0, 2_000)}`
    process.stderr.write(`${problem}\n`)
    this.problems.push(problem)
  }
}

/** Time of the processor: on the clock, a case is also slow where others leave it none. */
function usedMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

function usedBytes(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics()
  return heap + external
}

const collectGarbage: () => void = (() => {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
})()

/** Whatever was read, a message is one line, and not a long one. */
export function assertLines(logs: readonly string[]): void {
  for (const text of logs) {
    assert(oneLine(text) === text, `a message is one line: ${JSON.stringify(text.slice(0, 300))}`)
    assert(text.length <= MAX_MESSAGE_CHARS, `a message is short: ${text.slice(0, 300)}`)
  }
}
