/** `vedette simulate`: the user's own configuration, under hundreds of random fault histories. */
import { writeFileSync } from 'node:fs'
import { reasonOf, StartError } from '../io/start-error.ts'
import type { Played } from '../scenario/run.ts'
import { type Measured, measure } from '../simulate/measure.ts'
import { type PlayedSeed, playSeed } from '../simulate/play-seed.ts'
import { PROFILES } from '../simulate/profiles.ts'
import { scenarioText } from '../simulate/scenario-of.ts'
import type { Stage } from '../simulate/stage.ts'
import { clusterLines } from '../simulate/text-cluster.ts'
import { measuredLines } from '../simulate/text-measured.ts'
import { defaultWorkers, type Outcome, runPool } from './pool/pool.ts'
import { EXIT_CONFIG, EXIT_FAILED, reportFailure, say } from './report.ts'
import { writePage } from './run-page.ts'
import { renderRun } from './run-text.ts'
import { readCluster } from './simulate-input.ts'
import type { SimulateTask } from './simulate-job.ts'
import { type Configuration, configurationsOf, type SimulateOptions } from './simulate-options.ts'
import { type Findings, findingsJson, findingsText, PAINTER } from './simulate-output.ts'
import { createProgress } from './simulate-progress.ts'

/** As the shell says it of a program that Ctrl-C has ended. */
const EXIT_INTERRUPTED = 130
const JOB = new URL(
  import.meta.url.endsWith('.ts') ? './simulate-job.ts' : './simulate-job.js',
  import.meta.url,
)

/** Resolves to the exit status. */
export async function runSimulate(path: string, options: SimulateOptions): Promise<number> {
  if (options.seed === undefined && (options.write ?? options.report) !== undefined) {
    say('vedette: --write and --report are about one history')
    say('  add --seed N')
    return EXIT_CONFIG
  }
  const configurations = configurationsOf(path, options)
  const stages = readStages(configurations, options)
  if (stages === undefined) return EXIT_CONFIG
  if (options.seed !== undefined) return await showSeed(options.seed, stages, options)
  return await simulate(configurations, stages, options)
}

/** Undefined: a configuration cannot be used, and it was told why. */
function readStages(
  configurations: readonly Configuration[],
  options: SimulateOptions,
): readonly Stage[] | undefined {
  try {
    return stagesOf(configurations, options)
  } catch (error) {
    // It cannot be read at all: to whoever named it, one more kind of wrong file.
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
  const downAfters = clusters.flatMap(({ groups }) => groups.map(({ downAfterMs }) => downAfterMs))
  const downAfterMaxMs = Math.max(...downAfters)
  const profile = PROFILES[options.profile]
  return clusters.map((cluster) => ({ cluster, profile, downAfterMaxMs }))
}

async function simulate(
  configurations: readonly Configuration[],
  stages: readonly Stage[],
  options: SimulateOptions,
): Promise<number> {
  const { measured, crashed, isInterrupted } = await playAll(stages, options)
  const bySeed = [...measured].sort((a, b) => a[0] - b[0]).map(([, each]) => each)
  const findings = { options, configurations, stages, measured: bySeed, crashed, isInterrupted }
  process.stdout.write(options.json ? findingsJson(findings) : findingsText(findings))
  if (isInterrupted) return EXIT_INTERRUPTED
  return crashed.length === 0 ? 0 : EXIT_FAILED
}

interface Harvest {
  readonly measured: ReadonlyMap<number, readonly Measured[]>
  readonly crashed: Findings['crashed']
  readonly isInterrupted: boolean
}

/** All seeds, or those that were done when Ctrl-C came. */
async function playAll(stages: readonly Stage[], options: SimulateOptions): Promise<Harvest> {
  const { first, last } = options.seeds
  const measured = new Map<number, readonly Measured[]>()
  const crashed: { seed: string; reason: string }[] = []
  const abort = new AbortController()
  const interrupt = (): void => abort.abort()
  process.once('SIGINT', interrupt)
  const progress = createProgress(last - first + 1)
  let nextSeed = first
  await runPool<SimulateTask, readonly Measured[]>({
    module: JOB,
    workers: Math.min(options.jobs ?? defaultWorkers(), last - first + 1),
    next: () => (nextSeed > last ? undefined : { seed: `${nextSeed++}`, stages }),
    done: ({ seed }, outcome: Outcome<readonly Measured[]>) => {
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

/** One history in full: who is there, what happened, and what came of it. */
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
    process.stdout.write(await renderRun(file, withoutClaims(played), shown, false))
    if (options.write !== undefined)
      writeScenario(besideFirst(options.write, place), { staged, file, played }, stage)
    if (options.report !== undefined) {
      say(`report: ${await writePage(besideFirst(options.report, place), file, played)}`)
    }
  }
  return 0
}

/** What is compared must not replace what it is compared with. */
function besideFirst(path: string, place: number): string {
  return place === 0 ? path : path.replace(/(\.ya?ml)?$/, '-b$1')
}

function headOf({ cluster, profile }: Stage, stages: readonly Stage[], measured: Measured): string {
  const name = stages.length === 1 ? [] : [PAINTER.bold(cluster.file)]
  const found = [PAINTER.bold('  What came of it'), ...measuredLines(measured, cluster)]
  return [...name, ...clusterLines(cluster, profile), '', ...found].join('\n')
}

/** The scenario expects something because a file must: nobody asked for it. */
function withoutClaims({ result, history }: Played): Played {
  return { result: { ...result, expectations: [] }, history }
}

function writeScenario(path: string, { staged }: PlayedSeed, stage: Stage): void {
  try {
    writeFileSync(path, scenarioText(staged, stage))
  } catch (error) {
    const hint = 'name a file in a folder that this user may write to'
    throw new StartError('E_REPORT_FILE', `cannot write ${path}: ${reasonOf(error)}`, hint)
  }
  say(`written: vedette scenario run ${path} --seed ${staged.incident.seed}`)
}
