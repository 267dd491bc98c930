/**
 * Bytes that are not what they say, by the hundred thousand: dumps, append-only files and masters. None
 * of them fails a node or makes it slow or large; each is refused with a reason, or is what it is taken
 * for. `npm run test:hostile` plays 100 000 of each kind; VEDETTE_MUTATIONS says how many, and
 * VEDETTE_MUTATIONS_FROM where to begin, so that one case can be played alone.
 */
import { expect, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import { hostileAof } from '../support/hostile-aof.ts'
import { hostileMaster, soundMaster } from '../support/hostile-master.ts'
import { hostileRdb } from '../support/hostile-rdb.ts'
import { runHostile } from '../support/hostile-run.ts'

const COUNT = Number(process.env.VEDETTE_MUTATIONS ?? 3_000)
const FIRST = Number(process.env.VEDETTE_MUTATIONS_FROM ?? 0)
/** Of one case, on a busy machine, with the time it may take to be played twice. */
const BOUND_MS = 120_000 + 200 * COUNT

test('dumps', { timeout: BOUND_MS }, async () => {
  const { problems } = await runHostile('dumps', FIRST, COUNT, hostileRdb)
  expect(problems).toEqual([])
})

test('append-only files', { timeout: BOUND_MS }, async () => {
  const { problems } = await runHostile('append-only files', FIRST, COUNT, hostileAof)
  expect(problems).toEqual([])
})

test('masters', { timeout: BOUND_MS }, async () => {
  soundMaster(createRng('sound'))
  const { problems } = await runHostile('masters', FIRST, COUNT, hostileMaster)
  expect(problems).toEqual([])
})
