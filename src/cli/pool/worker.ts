/**
 * One worker of a pool: does one job after another, as they come. The job module, which it loads when
 * it starts, exports a function `job` that takes a task and resolves to its result.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../base/assert.ts'

export interface WorkerData {
  /** URL of the job module. */
  readonly module: string
}

interface JobModule {
  job(task: unknown): Promise<unknown>
}

const port = parentPort
assert(port !== null, 'a worker has a parent')
const { module } = workerData as WorkerData
const { job } = (await import(module)) as JobModule

// An exception in a job ends the worker, and its pool takes that as the result of the job.
port.on('message', async (task) => port.postMessage(await job(task)))
