/** What chance has found stays found: each of these files failed on the code of its day. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseScenario } from '../../src/scenario/parse.ts'
import { runScenario } from '../../src/scenario/run.ts'
import { sized } from '../support/sized.ts'

const FOUND = new URL('../../scenarios/found/', import.meta.url)
const FILES = readdirSync(FOUND).filter((file) => file.endsWith('.yml'))

test.each(FILES)('%s holds', async (file) => {
  const parsed = parseScenario(readFileSync(new URL(file, FOUND), 'utf8'), file)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  for (const seed of seedsFor(parsed.value.story)) {
    const { expectations, violations } = await runScenario(parsed.value, { seed })
    expect([...expectations.filter(({ passed }) => !passed), ...violations]).toEqual([])
  }
})

/** A file whose failure took a certain seed names it. */
function seedsFor(story: string): readonly string[] {
  const named = [...story.matchAll(/\bseed (\d+)/g)].map((match) => match[1] ?? '')
  const usual = sized(named.length === 0 ? ['1'] : [], ['1', '2'])
  return [...usual, ...named]
}
