/**
 * What people and scripts are shown while seeds are played. Failures go to standard output,
 * progress to standard error.
 */

import { countOf } from '../../base/count-of.ts'
import type { Origin } from '../../fuzz/draw/draw.ts'
import type { EngineName } from '../../scenario/world.ts'
import { colors as pc } from '../colors.ts'
import { printJson } from '../json-answer.ts'
import type { JobOutcome } from '../pool/pool.ts'
import { say } from '../report.ts'
import { StatusLine } from '../status-line.ts'
import type { FuzzOutcome } from './fuzz-job.ts'
import { clockText, type Progress, paceText, progressBar, progressText } from './fuzz-progress.ts'
import type { FuzzTallies, FuzzTally } from './fuzz-tally.ts'

/** How often a line of progress comes if there is no terminal to show a bar. */
const LOG_EVERY_MS = 10_000

interface FuzzOutputOptions {
  readonly isJson: boolean
  readonly engine: EngineName
}

export interface FailedRun {
  readonly origin: Origin
  readonly outcome: JobOutcome<FuzzOutcome>
  /** The file that reproduces the failure; undefined: there is none. */
  readonly path: string | undefined
  /** Whether the guided search had changed the plan: then the seed alone does not give it. */
  readonly isChanged: boolean
}

export interface FuzzOutput {
  progress(progress: Progress): void
  /** A run in real time failed once, and not when it was played again. */
  missedOnce(origin: Origin, what: string): void
  failed(failed: FailedRun): void
  finish(tallies: FuzzTallies, elapsedMs: number, isInterrupted: boolean): void
}

export function createFuzzOutput({ isJson, engine }: FuzzOutputOptions): FuzzOutput {
  const status = new StatusLine()
  let loggedAtMs = 0
  return {
    progress: (progress) => {
      if (process.stderr.isTTY) return status.show(progressBar(progress))
      if (progress.elapsedMs - loggedAtMs < LOG_EVERY_MS) return
      loggedAtMs = progress.elapsedMs
      say(`fuzz: ${progressText(progress)}`)
    },
    missedOnce: ({ seed }, what) => {
      status.clear()
      say(`fuzz: seed ${seed} passed only at the second try; the first failed: ${what}`)
    },
    failed: (failed) => {
      status.clear()
      if (isJson) printJson(failureJson(failed, engine))
      else tell(failureLines(failed, engine))
    },
    finish: (tallies, elapsedMs, isInterrupted) => {
      status.clear()
      if (isJson) printJson(summaryJson(tallies, elapsedMs, isInterrupted))
      else tell(summaryLines(tallies, elapsedMs, isInterrupted))
    },
  }
}

function tell(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}

function failureLines(
  { origin, outcome, path, isChanged }: FailedRun,
  engine: EngineName,
): string[] {
  const { seed, detection } = origin
  const world = engine === 'sim' ? '' : ` --engine ${engine}`
  const played =
    path === undefined ? undefined : `vedette scenario run ${path} --seed ${seed}${world}`
  const whole = isChanged ? (played ?? 'its plan is lost') : `${commandOf(origin)}${world}`
  const mode = detection === undefined ? '' : `, ${detection}`
  if (outcome.kind === 'crashed') {
    return [
      `${pc.red('FAILED')}  seed ${seed}${mode}: ${outcome.reason}`,
      `        replay: ${whole}`,
    ]
  }
  const { failure, file } = outcome.result
  return [
    `${pc.red('FAILED')}  seed ${seed}${mode}: ${pc.bold(failure?.checker ?? '')}`,
    `        ${momentText(failure?.atMs)}${failure?.text}`,
    ...(file === undefined || path === undefined
      ? [`        replay: ${whole}`]
      : [
          `        replay: ${played}`,
          `        ${countOf(file.steps, 'step')}, found in ${countOf(file.runs, 'run')}${isChanged ? '' : `; all of it: ${whole} --print`}`,
          ...(file.reproduces !== false
            ? []
            : ['        the file does not reproduce it: a mistake of ours']),
        ]),
  ]
}

/** The command that plays this one run again. */
function commandOf({ seed, profile, detection }: Origin): string {
  const from = profile === 'faults' ? '' : ` --profile ${profile}`
  const mode = detection === undefined ? '' : ` --detection ${detection}`
  return `vedette fuzz${from}${mode} --seeds ${seed}..${seed}`
}

function momentText(atMs: number | undefined): string {
  return atMs === undefined ? '' : `at ${atMs / 1_000} s: `
}

function failureJson({ origin, outcome, path, isChanged }: FailedRun, engine: EngineName): object {
  const { seed, profile, detection } = origin
  const head = {
    kind: 'failure',
    seed,
    profile,
    detection,
    engine,
    ...(isChanged ? { isChanged } : {}),
  }
  if (outcome.kind === 'crashed') {
    return { ...head, checker: 'no crash', text: outcome.reason }
  }
  const { failure, file, traceHash } = outcome.result
  const { checker, text, atMs } = failure ?? {}
  const found = { steps: file?.steps, runs: file?.runs, reproduces: file?.reproduces }
  return { ...head, checker, text, atMs, traceHash, file: path, ...found }
}

function summaryLines(
  { all, byMode, modes }: FuzzTallies,
  elapsedMs: number,
  isInterrupted: boolean,
): string[] {
  const times = (all.virtualMs / Math.max(1, elapsedMs)).toFixed(
    all.virtualMs < 10 * elapsedMs ? 1 : 0,
  )
  const verdict = all.failures === 0 ? pc.green('no failure') : pc.red(`${all.failures} failed`)
  const kinds = [...all.faults].sort((a, b) => b[1] - a[1])
  const runs =
    modes === 1 ? countOf(all.runs, 'seed') : `${all.runs} runs of ${all.runs / modes} seeds`
  const late = all.late === 0 ? '' : `, ${all.late} at the second try`
  return [
    `${isInterrupted ? 'interrupted after ' : ''}${runs} in ${clockText(elapsedMs)} (${paceText(all.runs, elapsedMs)}): ${verdict}${late}`,
    `  ${clockText(all.virtualMs)} of cluster life, ${times} times real time`,
    ...[...byMode].map(
      ([mode, tally]) => `  ${mode === undefined ? '' : `${mode}: `}${alarmText(tally)}`,
    ),
    `  ${all.faultsTotal} faults: ${kinds.map(([kind, count]) => `${kind} ${count}`).join(', ')}`,
  ]
}

function alarmText({ runs, virtualMs, failovers, failedOver, ...alarms }: FuzzTally): string {
  const { sdown, odown, candidacies } = alarms
  const hours = (virtualMs / 3_600_000).toFixed(1)
  const many = `${countOf(runs, 'seed')}, ${hours} cluster hours`
  return `${many}, master S_DOWN ${sdown}, O_DOWN ${odown}, attempts ${candidacies}, ${countOf(failovers, 'failover')} in ${countOf(failedOver, 'run')}`
}

function summaryJson(tallies: FuzzTallies, elapsedMs: number, isInterrupted: boolean): object {
  const seconds = Math.round(elapsedMs) / 1_000
  const modes = [...tallies.byMode].flatMap(([mode, tally]) =>
    mode === undefined ? [] : [[mode, figures(tally)] as const],
  )
  const byMode = modes.length === 0 ? {} : { modes: Object.fromEntries(modes) }
  const faults = Object.fromEntries(tallies.all.faults)
  const all = figures(tallies.all)
  return { kind: 'summary', ...all, faults, ...byMode, seconds, isInterrupted }
}

/** `seeds` counts a seed once for each mode in which it was played. */
function figures({ runs, failures, late, failovers, virtualMs, failedOver, ...alarms }: FuzzTally) {
  const { sdown, odown, candidacies } = alarms
  const known = { seeds: runs, failures, late, virtualMs, failovers, runsWithFailover: failedOver }
  return { ...known, sdown, odown, candidacies }
}
