import { expect, test } from 'vitest'
import { gapsIn } from '../../../src/cli/fuzz/coverage-meter.ts'

const range = (startOffset: number, endOffset: number, count: number) => ({
  ...{ startOffset, endOffset, count },
})

test('a gap is what its innermost range did not run', () => {
  expect(gapsIn([range(0, 100, 3), range(10, 30, 0), range(50, 60, 2)])).toEqual([[10, 30]])
  expect(gapsIn([range(0, 100, 1), range(10, 60, 0), range(20, 30, 1)])).toEqual([
    [10, 20],
    [30, 60],
  ])
})

test('gaps that touch are one, and one may reach to the end', () => {
  const ranges = [range(0, 100, 1), range(40, 70, 0), range(70, 100, 0)]
  expect(gapsIn(ranges)).toEqual([[40, 100]])
  expect(gapsIn([range(0, 100, 1)])).toEqual([])
})
