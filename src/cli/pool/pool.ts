/**
 * Independent jobs on all cores. A job that throws, runs out of memory or never ends costs its worker,
 * which is replaced; the job counts as failed and all others go on.
 */
import { setMaxListeners } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { WorkerData } from './worker.ts'

export interface PoolOptions<Task, Result> {
  /** The module whose `job` does the work, see worker.ts. */
  readonly module: URL
  readonly workers: number
  /** Called for a task whenever a worker is free; undefined if there are no more. */
  readonly next: () => Task | undefined
  /** Called as jobs end, in that order. */
  readonly done: (task: Task, outcome: JobOutcome<Result>) => void
  /** Ends the pool: running jobs are dropped. */
  readonly signal?: AbortSignal
  /** A job that takes longer has failed. */
  readonly limitMs?: number
}

export type JobOutcome<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'crashed'; readonly reason: string }

const LIMIT_MS = 300_000
/**
 * Enough for the longest runs; a run that needs more is a mistake, and should not make the machine
 * swap.
 */
const HEAP_MAX_MB = 1_024
/** Most of what a run makes is gone at once: the less often the engine looks, the less it copies. */
const YOUNG_MB = 96
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js',
  import.meta.url,
)

/** As many as there are cores. */
export function defaultWorkers(): number {
  return availableParallelism()
}

/** Resolves when there are no more tasks and no job is running, or the signal has come. */
export async function runPool<Task, Result>(options: PoolOptions<Task, Result>): Promise<void> {
  // Each worker listens to the signal: many listeners are no leak.
  if (options.signal !== undefined) setMaxListeners(0, options.signal)
  const lanes = Array.from({ length: options.workers }, () => new Lane(options).run())
  await Promise.all(lanes)
}

/** One worker after another, each doing jobs until it breaks. */
class Lane<Task, Result> {
  readonly #options: PoolOptions<Task, Result>
  #worker: Worker | undefined

  constructor(options: PoolOptions<Task, Result>) {
    this.#options = options
  }

  async run(): Promise<void> {
    const { next, done, signal } = this.#options
    for (;;) {
      const task = isStopped(signal) ? undefined : next()
      if (task === undefined) break
      const outcome = await this.#work(task)
      if (!isStopped(signal)) done(task, outcome)
    }
    await this.#worker?.terminate()
  }

  async #work(task: Task): Promise<JobOutcome<Result>> {
    const worker = this.#worker ?? this.#startWorker()
    const outcome = await this.#outcomeOf(worker, task)
    if (outcome.kind === 'crashed') {
      this.#worker = undefined
      await worker.terminate()
    }
    return outcome
  }

  #startWorker(): Worker {
    const worker = createWorker(this.#options.module)
    // A worker that ends between two jobs must not be waited for.
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined
    })
    this.#worker = worker
    return worker
  }

  #outcomeOf(worker: Worker, task: Task): Promise<JobOutcome<Result>> {
    const { signal, limitMs = LIMIT_MS } = this.#options
    return new Promise((resolve) => {
      const crashed = (reason: string): void => settle({ kind: 'crashed', reason })
      const failed = (error: Error): void => crashed(error.message)
      const ended = (): void => crashed('its worker ended')
      const stopped = (): void => crashed('it was stopped')
      const answered = (result: Result): void => settle({ kind: 'done', result })
      const timer = setTimeout(() => crashed(`it took longer than ${limitMs} ms`), limitMs)
      const settle = (outcome: JobOutcome<Result>): void => {
        clearTimeout(timer)
        worker.off('message', answered).off('error', failed).off('exit', ended)
        signal?.removeEventListener('abort', stopped)
        resolve(outcome)
      }
      worker.on('message', answered).on('error', failed).on('exit', ended)
      signal?.addEventListener('abort', stopped)
      worker.postMessage(task)
    })
  }
}

/** A function, because the answer can change with every wait. */
function isStopped(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

function createWorker(module: URL): Worker {
  const workerData: WorkerData = { module: module.href }
  const worker = new Worker(WORKER, {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB, maxYoungGenerationSizeMb: YOUNG_MB },
  })
  // A second error, or one between two jobs, must not end the program: the next job will fail
  // instead.
  worker.on('error', () => {})
  return worker
}
