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

test('the master of another group is left alone before its first word, where the record is that of a dead replica (operators, seed 126)', async () => {
  expect((await runSeed('126', { profile: 'operators' })).failure).toBeUndefined()
})

test('a group may be added and switched in one moment (operators, seed 192)', async () => {
  expect((await runSeed('192', { profile: 'operators' })).failure).toBeUndefined()
})
