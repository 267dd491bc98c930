/**
 * What survives a crash at any moment of random histories with rewrites, on a disk that takes its time and
 * keeps of what was not synced what it likes. A longer run of the same: test/lab/crash.test.ts.
 */
import { describe, expect, test } from 'vitest'
import { type Policy, problemsOf, record, recordAfter } from '../../support/aof-crash.ts'
import { sized } from '../../support/sized.ts'

const HISTORIES = sized(2, 5)

describe.each<Policy>(['always', 'everysec', 'no'])('with appendfsync %s', (policy) => {
  const indices = Array.from({ length: HISTORIES }, (_, index) => index)
  test.each(indices)('a crash at any point of history %i loses nothing promised', (index) => {
    const first = record(`${policy} ${index}`, policy)
    expect(problemsOf(first)).toEqual([])
    // And once more, in the life after a crash.
    const at = Math.floor((first.operations.length * (index + 1)) / (HISTORIES + 1))
    const kind = index % 2 === 0 ? 'power' : 'kill'
    expect(problemsOf(recordAfter(first, at, kind))).toEqual([])
  })

  test.each(indices)(
    'the folder deleted in history %i is made anew, and loses nothing',
    (index) => {
      const seed = `${policy} gone ${index}`
      const first = record(seed, policy, { isTakenAway: true })
      expect(problemsOf(first)).toEqual([])
      // And the life after a restart, in which nothing of it is open.
      const second = recordAfter(first, first.operations.length, 'kill', true)
      expect(problemsOf(second)).toEqual([])
    },
  )
})
