/** What people and scripts are told while seeds are played. Failures go to standard output, progress beside it. */
import pc from 'picocolors'
import type { FuzzOutcome } from './fuzz-job.ts'
import { clockText, type Progress, progressBar, progressText } from './fuzz-progress.ts'
import type { FuzzTally } from './fuzz-tally.ts'
import type { Outcome } from './pool/pool.ts'
import { say } from './report.ts'
import { StatusLine } from './status-line.ts'

/** Where no terminal shows a bar, a line of progress comes so often. */
const LOG_EVERY_MS = 10_000

export interface FuzzOutput {
  progress(progress: Progress): void
  /** `path`: where the file that shows it was written; undefined: there is none. */
  failed(seed: string, outcome: Outcome<FuzzOutcome>, path: string | undefined): void
  finish(tally: FuzzTally, elapsedMs: number, isInterrupted: boolean): void
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
    failed: (seed, outcome, path) => {
      status.clear()
      tell(isJson ? [failureJson(seed, outcome, path)] : failureLines(seed, outcome, path))
    },
    finish: (tally, elapsedMs, isInterrupted) => {
      status.clear()
      if (isJson) tell([summaryJson(tally, elapsedMs, isInterrupted)])
      else tell(summaryLines(tally, elapsedMs, isInterrupted))
    },
  }
}

function tell(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}

function failureLines(
  seed: string,
  outcome: Outcome<FuzzOutcome>,
  path: string | undefined,
): string[] {
  const whole = `vedette fuzz --seeds ${seed}`
  if (outcome.kind === 'crashed') {
    return [`${pc.red('FAILED')}  seed ${seed}: ${outcome.reason}`, `        replay: ${whole}`]
  }
  const { failure, file } = outcome.result
  return [
    `${pc.red('FAILED')}  seed ${seed}: ${pc.bold(failure?.checker ?? '')}`,
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

function momentText(atMs: number | undefined): string {
  return atMs === undefined ? '' : `at ${atMs / 1_000} s: `
}

function failureJson(
  seed: string,
  outcome: Outcome<FuzzOutcome>,
  path: string | undefined,
): string {
  if (outcome.kind === 'crashed') {
    return JSON.stringify({ kind: 'failure', seed, checker: 'no crash', text: outcome.reason })
  }
  const { failure, file, traceHash } = outcome.result
  const { checker, text, atMs } = failure ?? {}
  const found = { steps: file?.steps, runs: file?.runs, reproduces: file?.reproduces }
  return JSON.stringify({
    kind: 'failure',
    seed,
    checker,
    text,
    atMs,
    traceHash,
    file: path,
    ...found,
  })
}

function summaryLines(tally: FuzzTally, elapsedMs: number, isInterrupted: boolean): string[] {
  const rate = ((tally.seeds * 1_000) / Math.max(1, elapsedMs)).toFixed(1)
  const times = Math.round(tally.virtualMs / Math.max(1, elapsedMs))
  const verdict = tally.failures === 0 ? pc.green('no failure') : pc.red(`${tally.failures} failed`)
  const kinds = [...tally.faults].sort((a, b) => b[1] - a[1])
  return [
    `${isInterrupted ? 'interrupted after ' : ''}${tally.seeds} seeds in ${clockText(elapsedMs)} (${rate} per second): ${verdict}`,
    `  ${clockText(tally.virtualMs)} of cluster life, ${times} times real time`,
    `  ${tally.failovers} failovers in ${tally.failedOver} runs`,
    `  ${tally.faultsTotal} faults: ${kinds.map(([kind, count]) => `${kind} ${count}`).join(', ')}`,
  ]
}

function summaryJson(tally: FuzzTally, elapsedMs: number, isInterrupted: boolean): string {
  const { seeds, failures, failovers, virtualMs } = tally
  const seconds = Math.round(elapsedMs) / 1_000
  const faults = Object.fromEntries(tally.faults)
  const runsWithFailover = tally.failedOver
  return JSON.stringify({
    kind: 'summary',
    ...{ seeds, failures, virtualMs, failovers, runsWithFailover, faults, seconds, isInterrupted },
  })
}
