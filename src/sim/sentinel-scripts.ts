/** The scripts of a simulated Sentinel: nothing is run, but each takes a moment and ends as it is told. */
import type { Event } from '../core/event.ts'
import type { JobId } from '../core/ids.ts'
import type { Process } from './process.ts'

/** How an execution ends; `signal` is 0 when it exits by itself with `status`. */
export interface ScriptEnd {
  readonly afterMs: number
  readonly status: number
  readonly signal: number
}

/** What a script will do, by its words; the path first. */
export type ScriptPlay = (argv: readonly string[]) => ScriptEnd

export const EVERY_SCRIPT_SUCCEEDS: ScriptPlay = () => ({ afterMs: 10, status: 0, signal: 0 })

const SIGKILL = 9

export class SentinelScripts {
  readonly #process: Process
  readonly #feed: (event: Event) => void
  readonly #play: ScriptPlay
  readonly #running = new Set<JobId>()
  #lastPid = 0

  constructor(process: Process, feed: (event: Event) => void, play: ScriptPlay) {
    this.#process = process
    this.#feed = feed
    this.#play = play
  }

  run(job: JobId, argv: readonly string[]): void {
    const pid = ++this.#lastPid
    const { afterMs, status, signal } = this.#play(argv)
    this.#running.add(job)
    this.#process.after(0, () => this.#feed({ kind: 'scriptStarted', job, pid }))
    this.#process.after(afterMs, () => this.#end(job, status, signal))
  }

  kill(job: JobId): void {
    // The signal is on its way: what happens now is not heard before this batch is done.
    this.#process.after(0, () => this.#end(job, 0, SIGKILL))
  }

  /** The first end of a script is its end. */
  #end(job: JobId, status: number, signal: number): void {
    if (this.#running.delete(job)) this.#feed({ kind: 'scriptEnded', job, status, signal })
  }
}
