import { expect, test } from 'vitest'
import { formatProblem, inFileOrder, type Problem } from '../../src/config/problem.ts'
import { didYouMean } from '../../src/config/suggest.ts'

const PROBLEM: Problem = {
  severity: 'error',
  code: 'E_RANGE',
  file: 'sentinel.yml',
  line: 7,
  column: 13,
  path: 'groups.mymaster.quorum',
  message: 'must be between 1 and 9',
  hint: 'use 2',
}

test('a problem is one line: place, option, message, way out', () => {
  expect(formatProblem(PROBLEM)).toBe(
    'sentinel.yml:7:13  groups.mymaster.quorum  must be between 1 and 9  (use 2)',
  )
})

test('what is not known is left out', () => {
  const { line, column, ...rest } = PROBLEM
  expect(formatProblem({ ...rest, path: '', hint: '' })).toBe(
    'sentinel.yml  must be between 1 and 9',
  )
})

test('problems are shown in the order of the file, those without a line last', () => {
  const at = (line: number | undefined, column: number) => ({ ...PROBLEM, line, column })
  expect(inFileOrder([at(undefined, 1), at(2, 1), at(1, 9), at(1, 2)])).toEqual([
    at(1, 2),
    at(1, 9),
    at(2, 1),
    at(undefined, 1),
  ])
})

test.each([
  ['prot', 'did you mean port?'],
  ['PORT', 'did you mean port?'],
  ['quorm', 'did you mean quorum?'],
  ['down-after-milliseconds', 'did you mean down-after?'],
  ['xyzzy', ''],
  ['', ''],
  ['p'.repeat(100_000), ''],
])('for %.30j the hint is %j', (word, hint) => {
  expect(didYouMean(word, ['port', 'quorum', 'down-after'])).toBe(hint)
})
