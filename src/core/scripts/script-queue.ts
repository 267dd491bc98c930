/**
 * The queue of scripts, one for all groups: first in, first run, a limited number at once, each for a
 * limited time. Scripts that run side by side may end in any order, so none may rely on the one before
 * it.
 *
 * A Sentinel that is stopping starts no further script, and waiting scripts are forgotten: the queue
 * is not saved. Running scripts are neither waited for nor killed; they end by themselves, unnoticed.
 */

import type { Turn } from '../state.ts'
import { emit, log } from '../turn.ts'
import type { ScriptJob } from './script-job.ts'
import { runningScripts } from './script-job.ts'

export const MAX_QUEUED_SCRIPTS = 256
export const MAX_RUNNING_SCRIPTS = 16

/**
 * Adds a call of a script, and runs it if there is room. If the queue is full, the oldest call is
 * dropped.
 */
export function enqueueScript(turn: Turn, argv: readonly string[]): void {
  const queue = turn.state.scripts
  const id = queue.nextId++
  queue.jobs.set(id, { id, argv, executions: 0, notBeforeMs: 0, run: undefined })
  if (queue.jobs.size > MAX_QUEUED_SCRIPTS) dropOldest(turn)
  startScripts(turn)
}

/** Runs what may run now, and sets the deadline for the rest. */
export function startScripts(turn: Turn): void {
  const { state, now } = turn
  const queue = state.scripts
  if (state.stopping) return
  let room = now.monoMs < queue.pausedUntilMs ? 0 : MAX_RUNNING_SCRIPTS - runningScripts(queue)
  for (const job of queue.jobs.values()) {
    if (room === 0) break
    if (job.run !== undefined || job.notBeforeMs > now.monoMs) continue
    start(turn, job)
    room--
  }
  scheduleScripts(turn)
}

/** Sets when the queue has to be checked again. Also called when the periods have changed. */
export function scheduleScripts({ state }: Turn): void {
  const { jobs, pausedUntilMs } = state.scripts
  const hasRoom = runningScripts(state.scripts) < MAX_RUNNING_SCRIPTS
  let atMs = Number.POSITIVE_INFINITY
  for (const job of jobs.values()) {
    if (job.run !== undefined) atMs = Math.min(atMs, overdueMs(job, state.config.periods))
    // Without room, we wait for the end of another script.
    else if (hasRoom) atMs = Math.min(atMs, Math.max(job.notBeforeMs, pausedUntilMs))
  }
  if (atMs === Number.POSITIVE_INFINITY) state.timers.clear(state.tilt, 'scripts')
  else state.timers.set(state.tilt, 'scripts', atMs)
}

/** The moment from which a running script has run for too long. */
export function overdueMs(
  { run }: ScriptJob,
  { scriptMaxRuntimeMs }: { readonly scriptMaxRuntimeMs: number },
): number {
  if (run === undefined || run.pid === 0 || run.isKilled) return Number.POSITIVE_INFINITY
  return run.sinceMs + scriptMaxRuntimeMs + 1
}

function start(turn: Turn, job: ScriptJob): void {
  job.executions++
  job.run = { sinceMs: turn.now.monoMs, pid: 0, isKilled: false }
  emit(turn, { kind: 'runScript', job: job.id, argv: job.argv })
}

function dropOldest(turn: Turn): void {
  const { jobs } = turn.state.scripts
  for (const job of jobs.values()) {
    if (job.run !== undefined) continue
    jobs.delete(job.id)
    const call = job.argv.join(' ')
    log(turn, 'warning', `too many scripts wait: the oldest is dropped and not run: ${call}`)
    return
  }
}
