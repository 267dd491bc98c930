import { describe, expect, test } from 'vitest'
import { Stage } from './support.ts'

/** A Sentinel that starts again from a backup may have forgotten what it voted since; later epochs are as safe as ever. */
const ROLL_BACK = { kind: 'rollBack', process: 's1', byMs: 60_000 } as const

describe('a Sentinel that was restored from a backup', () => {
  test('may vote a second time in an epoch that it has forgotten', () => {
    const stage = new Stage().votes('s1', 3, 's2').does(ROLL_BACK).votes('s1', 3, 's3')
    expect(stage.violations).toEqual([])
  })

  test('may go back to epochs before', () => {
    const stage = new Stage().votes('s1', 3, 's2').hello('s1', 2, 'n1', 5).does(ROLL_BACK)
    expect(stage.votes('s1', 2, 's2').hello('s1', 1, 'n1', 4).violations).toEqual([])
  })

  test('does not vote twice in an epoch after that', () => {
    const stage = new Stage().votes('s1', 3, 's2').does(ROLL_BACK)
    const twice = stage.votes('s1', 4, 's2').votes('s1', 4, 's3')
    expect(twice.violations).toEqual(['one vote per epoch'])
  })

  test('excuses no other Sentinel', () => {
    const stage = new Stage().votes('s2', 3, 's2').does(ROLL_BACK).votes('s2', 3, 's3')
    expect(stage.violations).toEqual(['one vote per epoch'])
  })
})
