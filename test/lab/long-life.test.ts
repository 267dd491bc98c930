import { expect, test } from 'vitest'
import { runSeed } from '../../src/fuzz/run.ts'

/** A month of it is `vedette fuzz --profile long-life`. */
test('half a day of one cluster leaves its machines as small as they were', async () => {
  const { failure, faults } = await runSeed('1', { profile: 'long-life', days: 0.5 })
  expect(failure).toBeUndefined()
  expect(faults.measure).toBeGreaterThan(10)
}, 900_000)
