/** What a Sentinel's file must hold after an operator removed, added or reset the group. */
import { expect, test } from 'vitest'
import type { SavedGroup } from '../../src/core/persistence/saved.ts'
import { MemoryWitness } from '../../src/sim/processes/memory-witness.ts'
import { SentinelStage } from '../support/sentinel-stage.ts'

const B = 'b'.repeat(40)

type Between = (witness: MemoryWitness, stage: SentinelStage) => void

/** What is told when the file, behind a vote in epoch 7 and in config epoch 6, has this of the group. */
function toldOf(change: Partial<SavedGroup>, between: Between): string[] {
  const told: string[] = []
  const stage = new SentinelStage()
  const witness = new MemoryWitness((text) => told.push(text))
  stage.hello('peer1', { configEpoch: 6 })
  stage.askedBy('peer1', 7, B)
  witness.saved(stage.state, stage.saved, stage.now())
  witness.tellsVote('g', 7, B)
  between(witness, stage)
  const groups = stage.saved.groups.map((group) => ({ ...group, ...change }))
  witness.saved(stage.state, { ...stage.saved, groups }, stage.now())
  return told.filter((text) => /^(could vote again|keeps less|tells)/.test(text))
}

const renew: Between = (_witness, stage) => {
  stage.ask('SENTINEL', 'REMOVE', 'g')
  stage.ask('SENTINEL', 'MONITOR', 'g', '10.0.0.1', '6379', '2')
}

test('a group that is added again keeps the epoch of the last vote', () => {
  expect(toldOf({ leaderEpoch: 6 }, renew)).toEqual(['could vote again in epoch 7 of g'])
  expect(toldOf({ leaderEpoch: 7 }, renew)).toEqual([])
})

test('what was voted behind a backup may be forgotten', () => {
  const rollBack: Between = (witness) => {
    const stage = new SentinelStage()
    witness.started(stage.state, stage.saved, stage.now())
  }
  expect(toldOf({ leaderEpoch: 6 }, rollBack)).toEqual([])
})

test('a group that is added again may begin in config epoch 0, and one that stays may not', () => {
  expect(toldOf({}, renew)).toEqual([])
  expect(toldOf({ configEpoch: 0 }, () => undefined)).toEqual([
    'keeps less than before: config epoch 6 of g',
  ])
})

test('a hello that is ahead of the file is told, but not of a group that was added again meanwhile', () => {
  const tells: Between = (witness, { state }) => witness.tellsEpochs(state, 'g', 7, 8)
  const ahead: Between = (witness, stage) => {
    stage.hello('peer1', { configEpoch: 8 })
    tells(witness, stage)
  }
  expect(toldOf({}, ahead)).toEqual(['tells config epoch 8 of g before it is kept'])
  const late: Between = (witness, stage) => {
    renew(witness, stage)
    tells(witness, stage)
  }
  expect(toldOf({}, late)).toEqual([])
})
