import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { formatProblem } from '../../src/config/problem.ts'
import { parseScenario } from '../../src/scenario/parse.ts'

interface Mutant {
  readonly name: string
  readonly edits: readonly {
    readonly file: string
    readonly find: string
    readonly replace: string
  }[]
  readonly scenarios?: readonly string[]
}

// Plain Node loads the list, without a compiler: it has no types to import.
const LIST = new URL('./list.mjs', import.meta.url).href
const { MUTANTS } = (await import(LIST)) as { readonly MUTANTS: readonly Mutant[] }
const SCENARIOS = new URL('./scenarios/', import.meta.url)
const SOURCES = new URL('../../src/', import.meta.url)

describe('the list of planted faults', () => {
  test('names each of them once', () => {
    const names = MUTANTS.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  test('changes files that exist, and changes something', () => {
    const edits = MUTANTS.flatMap((mutant) => mutant.edits)
    const lost = edits.filter(({ file }) => !existsSync(new URL(sourceOf(file), SOURCES)))
    expect(lost).toEqual([])
    expect(edits.filter(({ find, replace }) => find === replace)).toEqual([])
  })

  test('has a fault for each scenario that was written for one', () => {
    const named = MUTANTS.flatMap(({ scenarios = [] }) => scenarios)
    expect(readdirSync(SCENARIOS).filter((file) => !named.includes(file))).toEqual([])
  })

  test.each([...new Set(MUTANTS.flatMap(({ scenarios = [] }) => scenarios))])(
    '%s is a sound scenario',
    (file) => {
      const parsed = parseScenario(readFileSync(new URL(file, SCENARIOS), 'utf8'), file)
      expect(parsed.ok ? [] : parsed.problems.map(formatProblem)).toEqual([])
    },
  )
})

function sourceOf(file: string): string {
  return file.replace(/\.js$/, '.ts')
}
