/** What people and scripts are told while seeds are played. Failures go to standard output, progress beside it. */
import pc from 'picocolors'
import type { Origin } from '../fuzz/draw.ts'
import type { FuzzOutcome } from './fuzz-job.ts'
import { clockText, type Progress, progressBar, progressText } from './fuzz-progress.ts'
import type { FuzzTallies, FuzzTally } from './fuzz-tally.ts'
import type { Outcome } from './pool/pool.ts'
import { say } from './report.ts'
import { StatusLine } from './status-line.ts'

/** Where no terminal shows a bar, a line of progress comes so often. */
const LOG_EVERY_MS = 10_000

export interface FuzzOutput {
  progress(progress: Progress): void
  /** `path`: where the file that shows it was written; undefined: there is none. */
  failed(origin: Origin, outcome: Outcome<FuzzOutcome>, path: string | undefined): void
  finish(tallies: FuzzTallies, elapsedMs: number, isInterrupted: boolean): void
}

export function createFuzzOutput({ isJson }: { readonly isJson: boolean }): FuzzOutput {
  const status = new StatusLine()
  let loggedAtMs = 0
  return {
    progress: (progress) => {
      if (process.stderr.isTTY) return status.show(progressBar(progress))
      if (progress.elapsedMs - loggedAtMs < LOG_EVERY_MS) return
      loggedAtMs = progress.elapsedMs
      say(`fuzz: ${progressText(progress)}`)
    },
    failed: (origin, outcome, path) => {
      status.clear()
      tell(isJson ? [failureJson(origin, outcome, path)] : failureLines(origin, outcome, path))
    },
    finish: (tallies, elapsedMs, isInterrupted) => {
      status.clear()
      if (isJson) tell([summaryJson(tallies, elapsedMs, isInterrupted)])
      else tell(summaryLines(tallies, elapsedMs, isInterrupted))
    },
  }
}

function tell(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}

function failureLines(
  origin: Origin,
  outcome: Outcome<FuzzOutcome>,
  path: string | undefined,
): string[] {
  const { seed, detection } = origin
  const whole = commandOf(origin)
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
          `        replay: vedette scenario run ${path} --seed ${seed}`,
          `        ${file.steps} steps, found in ${file.runs} runs; all of it: ${whole} --print`,
          ...(file.reproduces ? [] : ['        the file does not reproduce it: a mistake of ours']),
        ]),
  ]
}

/** What plays this one run again. */
function commandOf({ seed, profile, detection }: Origin): string {
  const from = profile === 'noise' ? ' --profile noise' : ''
  const mode = detection === undefined ? '' : ` --detection ${detection}`
  return `vedette fuzz${from}${mode} --seeds ${seed}`
}

function momentText(atMs: number | undefined): string {
  return atMs === undefined ? '' : `at ${atMs / 1_000} s: `
}

function failureJson(
  { seed, profile, detection }: Origin,
  outcome: Outcome<FuzzOutcome>,
  path: string | undefined,
): string {
  const head = { kind: 'failure', seed, profile, detection }
  if (outcome.kind === 'crashed') {
    return JSON.stringify({ ...head, checker: 'no crash', text: outcome.reason })
  }
  const { failure, file, traceHash } = outcome.result
  const { checker, text, atMs } = failure ?? {}
  const found = { steps: file?.steps, runs: file?.runs, reproduces: file?.reproduces }
  return JSON.stringify({
    ...head,
    checker,
    text,
    atMs,
    traceHash,
    file: path,
    ...found,
  })
}

function summaryLines(
  { all, byMode, modes }: FuzzTallies,
  elapsedMs: number,
  isInterrupted: boolean,
): string[] {
  const rate = ((all.runs * 1_000) / Math.max(1, elapsedMs)).toFixed(1)
  const times = Math.round(all.virtualMs / Math.max(1, elapsedMs))
  const verdict = all.failures === 0 ? pc.green('no failure') : pc.red(`${all.failures} failed`)
  const kinds = [...all.faults].sort((a, b) => b[1] - a[1])
  const runs = modes === 1 ? `${all.runs} seeds` : `${all.runs} runs of ${all.runs / modes} seeds`
  return [
    `${isInterrupted ? 'interrupted after ' : ''}${runs} in ${clockText(elapsedMs)} (${rate} per second): ${verdict}`,
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
  const many = `${runs} seeds, ${hours} cluster hours`
  return `${many}, master S_DOWN ${sdown}, O_DOWN ${odown}, attempts ${candidacies}, ${failovers} failovers in ${failedOver} runs`
}

function summaryJson(tallies: FuzzTallies, elapsedMs: number, isInterrupted: boolean): string {
  const seconds = Math.round(elapsedMs) / 1_000
  const modes = [...tallies.byMode].flatMap(([mode, tally]) =>
    mode === undefined ? [] : [[mode, figures(tally)] as const],
  )
  const byMode = modes.length === 0 ? {} : { modes: Object.fromEntries(modes) }
  const faults = Object.fromEntries(tallies.all.faults)
  const all = figures(tallies.all)
  return JSON.stringify({ kind: 'summary', ...all, faults, ...byMode, seconds, isInterrupted })
}

/** `seeds` counts a seed once for each mode it was played in. */
function figures({ runs, failures, failovers, virtualMs, failedOver, ...alarms }: FuzzTally) {
  const { sdown, odown, candidacies } = alarms
  const known = { seeds: runs, failures, virtualMs, failovers, runsWithFailover: failedOver }
  return { ...known, sdown, odown, candidacies }
}
