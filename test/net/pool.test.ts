import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import type { JobOutcome } from '../../src/cli/pool/pool.ts'
import { scratchFolder } from '../support/scratch.ts'

/** Workers load compiled code, so the pool is taken from there, too. */
const POOL = new URL('../../dist/cli/pool/pool.js', import.meta.url).href
const JOBS = `
  export async function job(task) {
    if (task === 'throw') throw new Error('out of luck')
    if (task === 'exit') process.exit(3)
    if (task === 'hang') for (;;) {}
    if (task === 'late') setTimeout(() => { throw new Error('too late') }, 5)
    return task * 2
  }`

let module: URL

beforeAll(() => {
  const path = join(scratchFolder('pool'), 'job.mjs')
  writeFileSync(path, JOBS)
  module = pathToFileURL(path)
})

async function runAll(
  tasks: readonly unknown[],
  options: { workers?: number; limitMs?: number; signal?: AbortSignal } = {},
): Promise<Map<unknown, JobOutcome<number>>> {
  const { runPool } = (await import(POOL)) as typeof import('../../src/cli/pool/pool.ts')
  const outcomes = new Map<unknown, JobOutcome<number>>()
  const left = [...tasks]
  await runPool<unknown, number>({
    ...{ module, workers: 2, ...options },
    next: () => left.shift(),
    done: (task, outcome) => outcomes.set(task, outcome),
  })
  return outcomes
}

describe('a pool', () => {
  test('gives the result of every job', async () => {
    const outcomes = await runAll([1, 2, 3, 4, 5, 6, 7])
    expect([...outcomes.keys()].sort()).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(outcomes.get(7)).toEqual({ kind: 'done', result: 14 })
  })

  test('goes on with the other jobs when one throws or ends its worker', async () => {
    const outcomes = await runAll([1, 'throw', 2, 'exit', 3, 4])
    expect(outcomes.get('throw')).toEqual({ kind: 'crashed', reason: 'out of luck' })
    expect(outcomes.get('exit')).toEqual({ kind: 'crashed', reason: 'its worker ended' })
    expect([1, 2, 3, 4].map((task) => outcomes.get(task)?.kind)).toEqual(Array(4).fill('done'))
  })

  test('gives up a job that never ends', async () => {
    const outcomes = await runAll(['hang', 1, 2], { limitMs: 1_000 })
    expect(outcomes.get('hang')?.kind).toBe('crashed')
    expect(outcomes.get(2)).toEqual({ kind: 'done', result: 4 })
  })

  test('starts another worker when one ends between two jobs', async () => {
    const outcomes = await runAll(['late', ...Array.from({ length: 50 }, (_, task) => task)])
    expect(outcomes.size).toBe(51)
    expect(outcomes.get(49)).toEqual({ kind: 'done', result: 98 })
  })

  test('ends at once when it is told to, whatever its workers do', async () => {
    const signal = AbortSignal.timeout(500)
    const outcomes = await runAll(['hang', 'hang', 1], { signal })
    expect(outcomes.size).toBe(0)
  })
})
