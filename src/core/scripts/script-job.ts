/** Scripts that wait or run: what the machine remembers of them. */
import type { JobId } from '../ids.ts'

/** One call of a script, kept until it has succeeded or is given up. */
export interface ScriptJob {
  readonly id: JobId
  /** Fixed when the call was made: what SENTINEL SET changes later is for later calls. Path first. */
  readonly argv: readonly string[]
  /** How often it has been run, a run that is under way included. */
  executions: number
  /** Not to be run before this moment; 0 until an execution has failed. */
  notBeforeMs: number
  /** The execution under way, or undefined. */
  run: ScriptRun | undefined
}

export interface ScriptRun {
  /** When it was asked for, and from `scriptStarted` on when its process began. */
  sinceMs: number
  /** 0 until its process exists. */
  pid: number
  /** It ran for too long, and its end is only waited for. */
  isKilled: boolean
}

export interface ScriptQueue {
  nextId: JobId
  /** Oldest first; those that run keep their place. */
  readonly jobs: Map<JobId, ScriptJob>
  /** No script is started before this moment: the kernel had no process for one. */
  pausedUntilMs: number
}

export function noScripts(): ScriptQueue {
  return { nextId: 1, jobs: new Map(), pausedUntilMs: 0 }
}

export function runningScripts(queue: ScriptQueue): number {
  let running = 0
  for (const { run } of queue.jobs.values()) if (run !== undefined) running++
  return running
}
