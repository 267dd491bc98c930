/** A taste of what `vedette fuzz` does on all cores for hours: the first seeds hold. */
import { expect, test } from 'vitest'
import { numbers } from '../../src/fuzz/odds.ts'
import { runSeed } from '../../src/fuzz/run.ts'
import { sized } from '../support/sized.ts'

test.each(numbers(sized(2, 6)).map(String))('seed %s holds', async (seed) => {
  expect((await runSeed(seed)).failure).toBeUndefined()
})

test('what changed no more than a key that had expired anyway is not missed (strict, seed 716673)', async () => {
  expect((await runSeed('716673', { profile: 'strict' })).failure).toBeUndefined()
})

test('a replica may ask twice for the copy that it needs (strict, seed 717362)', async () => {
  expect((await runSeed('717362', { profile: 'strict' })).failure).toBeUndefined()
})
