import { expect, test } from 'vitest'
import { Exposition } from '../../../src/http/metrics/exposition.ts'
import { gauge } from '../../../src/http/metrics/family.ts'
import { KeptSamples } from '../../../src/http/metrics/kept-samples.ts'

const UP = gauge('up', { help: 'It is up.', labels: ['name'] })
const AGE = gauge('age', { help: 'How old it is.', labels: ['name'] })

type Given = readonly (readonly [family: typeof UP, name: string, value: number])[]

function scrape(kept: KeptSamples, given: Given): readonly string[] {
  const page = new Exposition([UP, AGE])
  kept.begin()
  for (const [family, name, value] of given) kept.add(family, `{name="${name}"}`, value)
  kept.finish(page)
  const lines = page.pieces().join('').split('\n')
  return lines.filter((line) => line !== '' && !line.startsWith('#'))
}

/** What a page without a memory would say. */
function anew(given: Given): readonly string[] {
  return scrape(new KeptSamples(), given)
}

test('whatever changes between two scrapes, the text is what it would be without a memory', () => {
  const kept = new KeptSamples()
  const rounds: readonly Given[] = [
    [[UP, 'a', 1], [UP, 'b', 1], [AGE, 'a', 0.5]],
    // The same again, then a value, a label, fewer, none, more than ever, and one that is no number.
    [[UP, 'a', 1], [UP, 'b', 1], [AGE, 'a', 0.5]],
    [[UP, 'a', 0], [UP, 'b', 1], [AGE, 'a', 0.5]],
    [[UP, 'a', 0], [UP, 'c', 1], [AGE, 'a', 0.5]],
    [[UP, 'a', 0], [AGE, 'a', 0.5]],
    [],
    [[AGE, 'a', 0.5]],
    [[UP, 'a', 0], [UP, 'c', 1], [UP, 'd', 1], [AGE, 'a', Number.NaN]],
    [[UP, 'a', 0], [UP, 'c', 1], [UP, 'd', 1], [AGE, 'a', Number.NaN]],
  ] // biome-ignore format: one scrape on each line
  for (const given of rounds) expect(scrape(kept, given)).toEqual(anew(given))
})

test('a scrape that is given up half-way leaves nothing old behind', () => {
  const kept = new KeptSamples()
  scrape(kept, [[UP, 'a', 1]])
  kept.begin()
  kept.add(UP, '{name="a"}', 0)
  expect(scrape(kept, [[UP, 'a', 0]])).toEqual(['up{name="a"} 0'])
})
