/**
 * Programs and what they return, as a real redis-server said: testdata/programs.txt is written by
 * test/diff/lua.test.ts, which has the server run the same programs.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { PROGRAMS } from './programs.ts'
import { newMachine, runHere } from './run-here.ts'

const EXPECTED = fileURLToPath(new URL('./testdata/programs.txt', import.meta.url))

test('every program returns what it returns in redis-server', () => {
  const expected = readFileSync(EXPECTED, 'utf8').split('\n')
  const machine = newMachine()
  const differing = PROGRAMS.flatMap((program, at) => {
    const here = JSON.stringify(runHere(program, 1e9, machine))
    return here === expected[at] ? [] : [{ program, here, there: expected[at] }]
  })
  expect(differing).toEqual([])
})

test('a program gives the same in slices of any length', () => {
  for (const program of PROGRAMS.filter(
    (_, at) => at % 7 === 0 && !/50000|1 \+ f\(\)|pcall\(f\)/.test(_),
  )) {
    expect(runHere(program, 7), program).toBe(runHere(program))
  }
})
