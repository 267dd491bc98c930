/** What a Sentinel's file must hold after an operator removed, added or reset the group. */
import { expect, test } from 'vitest'
import { MemoryWitness } from '../../src/sim/processes/memory-witness.ts'
import { SentinelStage } from '../support/sentinel-stage.ts'

const B = 'b'.repeat(40)

/** What is told when the file, behind a vote in epoch 7, has the group with this epoch of its last vote. */
function toldOf(leaderEpoch: number, between: (witness: MemoryWitness) => void): string[] {
  const told: string[] = []
  const stage = new SentinelStage()
  const witness = new MemoryWitness((text) => told.push(text))
  stage.askedBy('peer1', 7, B)
  witness.saved(stage.state, stage.saved, stage.now())
  witness.tellsVote('g', 7, B)
  between(witness)
  const groups = stage.saved.groups.map((group) => ({ ...group, leaderEpoch }))
  witness.saved(stage.state, { ...stage.saved, groups }, stage.now())
  return told.filter((text) => text.startsWith('could vote again'))
}

test('a group that is added again keeps the epoch of the last vote', () => {
  const renew = (witness: MemoryWitness): void => witness.renewed('g')
  expect(toldOf(6, renew)).toEqual(['could vote again in epoch 7 of g'])
  expect(toldOf(7, renew)).toEqual([])
})

test('what was voted behind a backup may be forgotten', () => {
  const rollBack = (witness: MemoryWitness): void => {
    const stage = new SentinelStage()
    witness.started(stage.state, stage.saved, stage.now())
  }
  expect(toldOf(6, rollBack)).toEqual([])
})
