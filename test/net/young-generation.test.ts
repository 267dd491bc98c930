/** What V8 makes of it shows in a process of its own only: one that keeps most of what it makes. */
import { execFileSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { boundBeside, YOUNG_GENERATION_BYTES } from '../../src/io/process/young-generation.ts'
import { MAIN } from '../support/processes.ts'

const DIST = new URL('../', pathToFileURL(MAIN)).href

/** The size of the young generation after so many turns of the event loop that each keep ten thousand objects. */
const KEEPER = `
  import { boundYoungGeneration, youngGenerationBytes } from './io/process/young-generation.js'
  if (process.argv[1] === 'bounded') boundYoungGeneration()
  const kept = Array.from({ length: 400_000 })
  let made = 0
  for (let turn = 0; turn < 300; turn++) {
    for (let at = 0; at < 10_000; at++) kept[made++ % kept.length] = { at }
    await new Promise((resolve) => setImmediate(resolve))
  }
  console.log(youngGenerationBytes())
`

test('the young generation of a server grows to its bound and no further', () => {
  // Node 26 gives the last page back.
  const size = sizeAfterKeeping('bounded')
  expect(size).toBeLessThanOrEqual(YOUNG_GENERATION_BYTES)
  expect(size).toBeGreaterThan(YOUNG_GENERATION_BYTES / 2)
  expect(sizeAfterKeeping('unbounded')).toBeGreaterThan(YOUNG_GENERATION_BYTES)
})

test('beside much data it may be larger', () => {
  expect(boundBeside(16 * YOUNG_GENERATION_BYTES)).toBe(YOUNG_GENERATION_BYTES)
  expect(boundBeside(48 * YOUNG_GENERATION_BYTES)).toBe(3 * YOUNG_GENERATION_BYTES)
})

function sizeAfterKeeping(how: string): number {
  const argv = ['--input-type=module', '--eval', KEEPER.replaceAll("'./", `'${DIST}`), how]
  return Number(execFileSync(process.execPath, argv, { encoding: 'utf8', timeout: 30_000 }))
}
