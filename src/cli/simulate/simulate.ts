/** `vedette simulate`: the user's own configuration, under hundreds of random fault histories. */
import { performance } from 'node:perf_hooks'
import type { Played } from '../../scenario/run.ts'
import type { SimulatedCluster } from '../../simulate/cluster.ts'
import { type MeasuredHistory, measure } from '../../simulate/measure.ts'
import { type PlayedSeed, playSeed } from '../../simulate/play-seed.ts'
import { PROFILES } from '../../simulate/profiles.ts'
import { REPLICATION_MODES, withReplication } from '../../simulate/replication-modes.ts'
import { scenarioText } from '../../simulate/scenario-of.ts'
import type { Stage } from '../../simulate/stage.ts'
import { clusterLines } from '../../simulate/text-cluster.ts'
import { measuredLines } from '../../simulate/text-summary.ts'
import { writeResult } from '../files.ts'
import { clockText } from '../fuzz/fuzz-progress.ts'
import { printJsonText } from '../json-answer.ts'
import { defaultWorkers, type JobOutcome, runPool } from '../pool/pool.ts'
import { EXIT_CONFIG, EXIT_FAILED, reportFailure, say } from '../report.ts'
import { writePage } from '../scenario/run-page.ts'
import { printRun, renderRun } from '../scenario/run-text.ts'
import { StatusLine } from '../status-line.ts'
import { readCluster } from './simulate-input.ts'
import type { SimulateTask } from './simulate-job.ts'
import {
  type Configuration,
  configurationsOf,
  conflictIn,
  type SimulateOptions,
} from './simulate-options.ts'
import { type Findings, findingsJson, findingsText, PAINTER } from './simulate-output.ts'

/** The shell's exit status for a program that Ctrl-C has ended. */
const EXIT_INTERRUPTED = 130
const JOB = new URL(
  import.meta.url.endsWith('.ts') ? './simulate-job.ts' : './simulate-job.js',
  import.meta.url,
)

/** Resolves to the exit status. */
export async function runSimulate(path: string, options: SimulateOptions): Promise<number> {
  const conflict = conflictIn(options)
  if (conflict !== undefined) {
    say(`vedette: ${conflict.message}`)
    say(`  ${conflict.hint}`)
    return EXIT_CONFIG
  }
  const configurations = configurationsOf(path, options)
  const stages = readStages(configurations, options)
  if (stages === undefined) return EXIT_CONFIG
  if (options.seed !== undefined) return await showSeed(options.seed, stages, options)
  return await simulate(configurations, stages, options)
}

/** Undefined: a configuration cannot be used, and its problems have been shown. */
function readStages(
  configurations: readonly Configuration[],
  options: SimulateOptions,
): readonly Stage[] | undefined {
  try {
    return stagesOf(configurations, options)
  } catch (error) {
    // For the user, a file that cannot be read is one more kind of wrong file.
    reportFailure(error)
    return undefined
  }
}

function stagesOf(
  configurations: readonly Configuration[],
  options: SimulateOptions,
): readonly Stage[] | undefined {
  const { sentinels, replicas, layout, rate } = options
  const shared = { sentinels, replicas, layout, writesPerSecond: rate }
  const clusters = configurations
    .map((each) => readCluster({ ...each, options: shared }))
    .filter((cluster) => cluster !== undefined)
  if (clusters.length < configurations.length) return undefined
  const shown = options.compareReplication ? inAllModes(clusters) : clusters
  const downAfters = clusters.flatMap(({ groups }) => groups.map(({ downAfterMs }) => downAfterMs))
  const downAfterMaxMs = Math.max(...downAfters)
  const profile = PROFILES[options.profile]
  return shown.map((cluster) => ({ cluster, profile, downAfterMaxMs }))
}

function inAllModes(clusters: readonly SimulatedCluster[]): readonly SimulatedCluster[] {
  return clusters.flatMap((cluster) => {
    return REPLICATION_MODES.map((mode) => withReplication(cluster, mode))
  })
}

async function simulate(
  configurations: readonly Configuration[],
  stages: readonly Stage[],
  options: SimulateOptions,
): Promise<number> {
  const { measured, crashed, isInterrupted } = await playAll(stages, options)
  const bySeed = [...measured].sort((a, b) => a[0] - b[0]).map(([, each]) => each)
  const findings = { options, configurations, stages, measured: bySeed, crashed, isInterrupted }
  if (options.json) printJsonText(findingsJson(findings))
  else process.stdout.write(findingsText(findings))
  if (isInterrupted) return EXIT_INTERRUPTED
  return crashed.length === 0 ? 0 : EXIT_FAILED
}

interface Harvest {
  readonly measured: ReadonlyMap<number, readonly MeasuredHistory[]>
  readonly crashed: Findings['crashed']
  readonly isInterrupted: boolean
}

/** The results of all seeds, or of those that were done when Ctrl-C came. */
async function playAll(stages: readonly Stage[], options: SimulateOptions): Promise<Harvest> {
  const { first, last } = options.seeds
  const measured = new Map<number, readonly MeasuredHistory[]>()
  const crashed: { seed: string; reason: string }[] = []
  const abort = new AbortController()
  const interrupt = (): void => abort.abort()
  process.once('SIGINT', interrupt)
  const progress = createProgress(last - first + 1)
  let nextSeed = first
  await runPool<SimulateTask, readonly MeasuredHistory[]>({
    module: JOB,
    workers: Math.min(options.jobs ?? defaultWorkers(), last - first + 1),
    next: () => (nextSeed > last ? undefined : { seed: `${nextSeed++}`, stages }),
    done: ({ seed }, outcome: JobOutcome<readonly MeasuredHistory[]>) => {
      if (outcome.kind === 'done') measured.set(Number(seed), outcome.result)
      else crashed.push({ seed, reason: outcome.reason })
      progress.show(measured.size + crashed.length)
    },
    signal: abort.signal,
  })
  progress.clear()
  process.off('SIGINT', interrupt)
  return { measured, crashed, isInterrupted: abort.signal.aborted }
}

const SIMULATED = { engine: 'sim', against: 'vedette' } as const

/** Shows one history in full: the members, the events, and the outcome. */
async function showSeed(
  seed: string,
  stages: readonly Stage[],
  options: SimulateOptions,
): Promise<number> {
  for (const [place, stage] of stages.entries()) {
    const { staged, file, played } = await playSeed(seed, stage)
    const measured = measure(stage.cluster, staged, played)
    if (!options.json) process.stdout.write(`${headOf(stage, stages, measured)}\n\n`)
    const shown = { ...SIMULATED, ...(options.json ? { json: true as const } : {}) }
    printRun(await renderRun(file, withoutClaims(played), shown, false), shown)
    if (options.write !== undefined)
      writeScenario(besideFirst(options.write, place), { staged, file, played }, stage)
    if (options.report !== undefined) {
      say(`report: ${await writePage(besideFirst(options.report, place), file, played)}`)
    }
  }
  return 0
}

/** The file of a compared configuration must not replace that of the first. */
function besideFirst(path: string, place: number): string {
  return place === 0 ? path : path.replace(/(\.ya?ml)?$/, `-${'bc'[place - 1] ?? place}$1`)
}

function headOf(
  { cluster, profile }: Stage,
  stages: readonly Stage[],
  measured: MeasuredHistory,
): string {
  const name = stages.length === 1 ? [] : [PAINTER.bold(cluster.file)]
  const found = [PAINTER.bold('  What came of it'), ...measuredLines(measured, cluster)]
  return [...name, ...clusterLines(cluster, profile), '', ...found].join('\n')
}

/**
 * The scenario has an expectation only because a file must have one: the user did not ask for it.
 */
function withoutClaims({ result, history }: Played): Played {
  return { result: { ...result, expectations: [] }, history }
}

function writeScenario(path: string, { staged }: PlayedSeed, stage: Stage): void {
  writeResult(path, scenarioText(staged, stage))
  say(`written: vedette scenario run ${path} --seed ${staged.incident.seed}`)
}

/** The progress of a simulation: a bar on a terminal, elsewhere a line now and then. */
interface SimulateProgress {
  show(done: number): void
  clear(): void
}

const BAR_CELLS = 24
/** How often a line comes if there is no terminal to show a bar. */
const LOG_EVERY_MS = 10_000

function createProgress(total: number): SimulateProgress {
  const status = new StatusLine()
  const startedAtMs = performance.now()
  let loggedAtMs = 0
  return {
    show: (done) => {
      const elapsedMs = performance.now() - startedAtMs
      const text = progressText(done, total, elapsedMs)
      if (process.stderr.isTTY) return status.show(`${progressBar(done, total)}  ${text}`)
      if (elapsedMs - loggedAtMs < LOG_EVERY_MS) return
      loggedAtMs = elapsedMs
      say(`simulate: ${text}`)
    },
    clear: () => status.clear(),
  }
}

function progressBar(done: number, total: number): string {
  const filled = Math.round((done / total) * BAR_CELLS)
  return '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled)
}

/** `120 of 200 histories, about 12 s left` */
export function progressText(done: number, total: number, elapsedMs: number): string {
  const leftMs = (elapsedMs / Math.max(1, done)) * (total - done)
  return `${done} of ${total} histories, about ${clockText(leftMs)} left`
}
