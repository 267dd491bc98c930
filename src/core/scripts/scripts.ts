/**
 * How scripts end. One that exits with 1 or is ended by a signal asks to be run again: that happens with
 * growing delays, a limited number of times. Any other failure is final, and so is a path that cannot be
 * run at all.
 */
import { assert } from '../../base/assert.ts'
import { announce } from '../events.ts'
import type { JobId } from '../ids.ts'
import type { Turn } from '../state.ts'
import { emit, log } from '../turn.ts'
import type { ScriptJob, ScriptRun } from './script-job.ts'
import { overdueMs, scheduleScripts, startScripts } from './script-queue.ts'

const MAX_EXECUTIONS = 10
/** The exit status of a script that wants to be run again. */
const STATUS_AGAIN = 1
/** The exit status of C Sentinel's child if there is nothing to run. */
const STATUS_CANNOT_RUN = 2
/** Takes the place of a signal if no process could be created. */
const NO_PROCESS = 99
/** How long no script is started after that. */
const PAUSE_MS = 100

/** How an execution ended; `signal` is 0 if it exited by itself. */
interface Outcome {
  readonly status: number
  readonly signal: number
}

export function onScriptStarted(turn: Turn, id: JobId, pid: number): void {
  const { run } = runningJob(turn, id)
  run.pid = pid
  run.sinceMs = turn.now.monoMs
  announce(turn, '+script-child', undefined, { pid })
  scheduleScripts(turn)
}

export function onScriptEnded(turn: Turn, id: JobId, outcome: Outcome): void {
  const { job, run } = runningJob(turn, id)
  const { status, signal } = outcome
  announce(turn, '-script-child', undefined, { pid: run.pid, status, signal })
  conclude(turn, job, outcome)
}

/** `exec`: there is nothing to run at that path. `fork`: no script at all can be run just now. */
export function onScriptNotStarted(
  turn: Turn,
  id: JobId,
  failed: 'fork' | 'exec',
  reason: string,
): void {
  const { job } = runningJob(turn, id)
  const [path = ''] = job.argv
  log(turn, 'warning', `cannot run ${path}: ${reason}`)
  if (failed === 'exec') return conclude(turn, job, { status: STATUS_CANNOT_RUN, signal: 0 })
  announce(turn, '-script-error', undefined, { path, signal: NO_PROCESS, status: 0 })
  // It was not run, so it counts for nothing; the others would fare no better than this one.
  job.run = undefined
  job.executions--
  turn.state.scripts.pausedUntilMs = turn.now.monoMs + PAUSE_MS
  startScripts(turn)
}

/** Deals with scripts that have run for too long, and runs those whose delay is over. */
export function onScriptDeadline(turn: Turn): void {
  const { scripts, config } = turn.state
  for (const job of scripts.jobs.values()) {
    if (overdueMs(job, config.periods) <= turn.now.monoMs) kill(turn, job)
  }
  startScripts(turn)
}

function runningJob(turn: Turn, id: JobId): { job: ScriptJob; run: ScriptRun } {
  const job = turn.state.scripts.jobs.get(id)
  assert(job?.run !== undefined, 'only a script that runs can be heard of')
  return { job, run: job.run }
}

/** Done, to be tried again, or given up. */
function conclude(turn: Turn, job: ScriptJob, { status, signal }: Outcome): void {
  const { scripts, config } = turn.state
  job.run = undefined
  const wantsAgain = signal !== 0 || status === STATUS_AGAIN
  if (wantsAgain && job.executions < MAX_EXECUTIONS) {
    const delayMs = config.periods.scriptRetryDelayMs * 2 ** (job.executions - 1)
    job.notBeforeMs = turn.now.monoMs + delayMs
  } else {
    scripts.jobs.delete(job.id)
    if (wantsAgain || status !== 0) giveUp(turn, job, { status, signal })
  }
  startScripts(turn)
}

/** No group stands behind these events: a script must not be run because a script failed. */
function giveUp(turn: Turn, { argv }: ScriptJob, { status, signal }: Outcome): void {
  const [path = ''] = argv
  announce(turn, '-script-error', undefined, { path, signal, status })
}

function kill(turn: Turn, job: ScriptJob): void {
  if (job.run === undefined) return
  const [path = ''] = job.argv
  announce(turn, '-script-timeout', undefined, { path, pid: job.run.pid })
  job.run.isKilled = true
  emit(turn, { kind: 'killScript', job: job.id })
}
