/** Up to which turn everything is on the disk, whatever becomes of the syncs. */
import { expect, test } from 'vitest'
import { AofSyncs } from '../../../src/server/persistence/aof-syncs.ts'

/** Turn 5 has written, and turn 9 is the present one. */
function written(): AofSyncs {
  const syncs = new AofSyncs()
  syncs.done(5)
  syncs.writtenPart()
  syncs.writtenAll()
  return syncs
}

test('a turn is kept when the sync that covers it has succeeded', () => {
  const syncs = written()
  const sync = syncs.begin(0)
  expect(syncs.keptTurn(9)).toBe(4)
  syncs.succeeded(sync)
  syncs.ended(sync)
  expect(syncs.keptTurn(9)).toBe(8)
  expect(syncs.isIdle).toBe(true)
})

test('a sync that failed leaves to the next one what it would have covered', () => {
  const syncs = written()
  syncs.ended(syncs.begin(0))
  expect(syncs.keptTurn(9)).toBe(4)
  expect(syncs.isWanted).toBe(true)
  const next = syncs.begin(10)
  syncs.succeeded(next)
  expect(syncs.keptTurn(9)).toBe(8)
})

test('what is written while a sync runs is not covered by it', () => {
  const syncs = written()
  const sync = syncs.begin(0)
  syncs.done(7)
  syncs.writtenPart()
  syncs.writtenAll()
  syncs.succeeded(sync)
  syncs.ended(sync)
  expect(syncs.keptTurn(9)).toBe(6)
})
