/**
 * Power cuts at every write point of random histories under each policy, as many as fit into the time
 * there is (VEDETTE_CRASH_SECONDS; a thousand of each take about two minutes). Every tenth history lives a
 * second time, and every fifth loses its folder half-way. The short run of the same, and what the histories
 * are: test/server/persistence/aof-crash.test.ts.
 */
import { expect, test } from 'vitest'
import {
  crash,
  type Policy,
  pointsOf,
  problemsOf,
  record,
  recordAfter,
} from '../support/aof-crash.ts'

const HISTORIES = 3_000
const BUDGET_MS = 1_000 * Number(process.env.VEDETTE_CRASH_SECONDS ?? 40)
const POLICIES: readonly Policy[] = ['always', 'everysec', 'no']

test('no crash at any point loses what was promised', { timeout: 60_000 + 2 * BUDGET_MS }, () => {
  const endMs = performance.now() + BUDGET_MS
  const problems: string[] = []
  let histories = 0
  let points = 0
  while (histories < HISTORIES && performance.now() < endMs) {
    const policy = POLICIES[histories % POLICIES.length] as Policy
    const recording = record(`lab ${histories}`, policy)
    for (const at of pointsOf(recording)) {
      points++
      const problem = crash(recording, at, 'power')
      if (problem !== undefined) problems.push(`history ${histories}, ${policy}: ${problem}`)
    }
    if (histories % 10 === 0) {
      const at = (histories * 7) % recording.operations.length
      const life = recordAfter(recording, at, histories % 20 === 0 ? 'power' : 'kill')
      points += 2 * pointsOf(life).length
      problems.push(...problemsOf(life).map((problem) => `second life of ${histories}: ${problem}`))
    }
    if (histories % 5 === 4) {
      const gone = record(`lab gone ${histories}`, policy, { isTakenAway: true })
      points += 2 * pointsOf(gone).length
      problems.push(...problemsOf(gone).map((problem) => `folder gone, ${histories}: ${problem}`))
    }
    histories++
  }
  console.log(`${histories} histories, ${points} crashes`)
  expect(problems.slice(0, 20)).toEqual([])
})
