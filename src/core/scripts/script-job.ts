/** Scripts that wait or run: what the machine remembers about them. */
import type { JobId } from '../ids.ts'

/** One call of a script, kept until it has succeeded or is given up. */
export interface ScriptJob {
  readonly id: JobId
  /** Fixed when the call was made: SENTINEL SET affects only later calls. Path first. */
  readonly argv: readonly string[]
  /** How many times it has been run, including a running execution. */
  executions: number
  /** Not to be run before this moment; 0 until an execution has failed. */
  notBeforeMs: number
  /** The running execution, or undefined. */
  run: ScriptRun | undefined
}

export interface ScriptRun {
  /** When it was requested; from `scriptStarted` on, when its process began. */
  sinceMs: number
  /** 0 until its process exists. */
  pid: number
  /** It ran for too long and was killed; its end is still to come. */
  isKilled: boolean
}

export interface ScriptQueue {
  nextId: JobId
  /** The oldest first; running ones keep their place. */
  readonly jobs: Map<JobId, ScriptJob>
  /** No script is started before this moment: the kernel could not create a process. */
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
