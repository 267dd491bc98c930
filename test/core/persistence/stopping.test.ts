import { expect, test } from 'vitest'
import { SentinelStage } from '../../support/sentinel-stage.ts'

test.each([
  [true, 'what had to be remembered is on disk already'],
  [false, 'the state could not be saved, what came after it is forgotten'],
])('a Sentinel that can save its state: %s, stops and says: %s', (canSave, words) => {
  const stage = new SentinelStage()
  stage.run(5_000)
  stage.state.canSave = canSave
  stage.feed({ kind: 'stopRequested' })
  expect(stage.times(`stopping: ${words}`)).toHaveLength(1)
  expect(stage.done.at(-1)).toMatchObject({ kind: 'exit', status: 0 })
})
