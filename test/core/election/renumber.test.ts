/** Lowering epochs: all Sentinels or none, over crashes. See src/core/election/renumber.ts. */
import { describe, expect, test } from 'vitest'
import { decodeState, encodeState } from '../../../src/config/state-file.ts'
import { EPOCH_MAX } from '../../../src/core/election/epoch.ts'
import type { SavedState } from '../../../src/core/persistence/saved.ts'
import { GROUP, ME, SentinelStage, type StageSetup } from '../../support/sentinel-stage.ts'

const B = 'b'.repeat(40)
const C = 'c'.repeat(40)
const POISONED = 2 ** 48 + 3
const ALL = [ME, B, C]

function poisoned(saved: Partial<SavedState> = {}, setup: StageSetup = {}): SentinelStage {
  const group = {
    file: GROUP,
    current: GROUP,
    configEpoch: 5,
    leaderEpoch: POISONED,
    leader: B,
    replicas: [],
    peers: [],
  }
  return new SentinelStage({
    ...setup,
    saved: { currentEpoch: POISONED, groups: [group], ...saved },
  })
}

function epochs(stage: SentinelStage, ...words: readonly string[]): string {
  return stage.wire(['SENTINEL', 'EPOCHS', ...words])
}

test('frozen, lowered and released, a Sentinel votes by the new numbers', () => {
  const stage = poisoned()
  expect(epochs(stage, 'FREEZE', 't')).toContain('$6\r\nfrozen\r\n')
  expect(epochs(stage, 'LOWER', 't', '7', ...ALL)).toBe('+OK\r\n')
  expect(stage.saved).toMatchObject({ currentEpoch: 7, renumbering: { isLowered: true } })
  expect(epochs(stage, 'RELEASE', 't')).toBe('+OK\r\n')
  expect(stage.saved.groups[0]).toMatchObject({ configEpoch: 5, leaderEpoch: 7, leader: '' })
  stage.askedBy('peer1', 8, B)
  expect(stage.saved.groups[0]).toMatchObject({ leaderEpoch: 8, leader: B })
})

test('a group whose last vote is older than the new number gives none below it again', () => {
  const group = { file: GROUP, current: GROUP, configEpoch: 2, leaderEpoch: 3, leader: B }
  const stage = poisoned({ groups: [{ ...group, replicas: [], peers: [] }] })
  epochs(stage, 'FREEZE', 't')
  epochs(stage, 'LOWER', 't', '7', ...ALL)
  epochs(stage, 'RELEASE', 't')
  stage.askedBy('peer1', 7, C)
  expect(stage.saved.groups[0]).toMatchObject({ leaderEpoch: 7, leader: '' })
})

test('a master at an IPv6 address is shown with brackets', () => {
  const stage = new SentinelStage()
  stage.wire(['SENTINEL', 'MONITOR', 'six', '::1', '6379', '2'])
  expect(epochs(stage)).toContain('\r\n[::1]:6379\r\n')
})

test('a configuration of an absurd epoch becomes the newest honest one', () => {
  const stage = poisoned()
  stage.askedBy('peer1', POISONED + 1, B)
  stage.hello('peer1', { currentEpoch: POISONED + 1, configEpoch: POISONED + 1 })
  epochs(stage, 'FREEZE', 't')
  epochs(stage, 'LOWER', 't', '7', ...ALL)
  expect(stage.saved.groups[0]).toMatchObject({ configEpoch: 7 })
})

describe('nothing is lowered', () => {
  test.each([
    ['without one that is counted', '7', [ME, B], '-NOSENTINEL Sentinel cccc'],
    ['without ourselves', '7', [B, C], '-ERR We do not take part'],
    ['below a number of an honest election', '4', ALL, '-ERR Invalid epoch'],
    ['to an absurd number', String(2 ** 40), ALL, '-ERR Invalid epoch'],
    ['to no number', 'x', ALL, '-ERR value is not an integer'],
  ])('%s', (_, to, frozen, answer) => {
    const stage = poisoned()
    epochs(stage, 'FREEZE', 't')
    expect(epochs(stage, 'LOWER', 't', to, ...frozen)).toContain(answer)
    expect(stage.saved.currentEpoch).toBe(POISONED)
  })

  test('under another token, or without a freeze', () => {
    const stage = poisoned()
    expect(epochs(stage, 'LOWER', 't', '7', ...ALL)).toContain('-ERR Epochs are not frozen')
    epochs(stage, 'FREEZE', 'one')
    epochs(stage, 'FREEZE', 'two')
    expect(epochs(stage, 'LOWER', 'one', '7', ...ALL)).toContain('-ERR Epochs are not frozen')
    expect(stage.saved.currentEpoch).toBe(POISONED)
  })

  test('while a failover is in progress', () => {
    const stage = poisoned()
    stage.ask('SENTINEL', 'FAILOVER', 'g')
    expect(epochs(stage, 'FREEZE', 't')).toContain('-INPROG')
  })

  test('while the state cannot be saved', () => {
    const stage = poisoned()
    stage.savesWork = false
    expect(epochs(stage, 'FREEZE', 't')).toMatch(/^-ERR/)
  })
})

describe('frozen, over a crash', () => {
  function frozen(): SentinelStage {
    const stage = poisoned()
    epochs(stage, 'FREEZE', 't')
    const text = encodeState(stage.saved)
    const decoded = decodeState(text)
    if (!decoded.ok) throw new Error(decoded.reason)
    const again = new SentinelStage({ saved: decoded.value })
    return again
  }

  test('it gives no vote and does not stand', () => {
    const stage = frozen()
    stage.askedBy('peer1', POISONED + 1, B)
    stage.part('peer1').seesDown = true
    stage.kill('master')
    stage.run(20_000)
    expect(stage.times('+odown')).toHaveLength(1)
    expect(stage.times('+try-failover')).toHaveLength(0)
    expect(stage.saved).toMatchObject({ currentEpoch: POISONED, renumbering: { token: 't' } })
    expect(stage.wire(['SENTINEL', 'FAILOVER', 'g'])).toContain('-NOEPOCH')
  })

  test('it believes no epoch and no configuration', () => {
    const stage = frozen()
    stage.hello('peer1', { currentEpoch: 2 ** 48 + 9, configEpoch: 2 ** 48 + 9, masterPort: 6380 })
    expect(stage.saved.currentEpoch).toBe(POISONED)
    expect(stage.show('master')).toMatchObject({ port: '6379' })
  })

  test('another attempt goes on where the first was cut off', () => {
    const stage = frozen()
    expect(epochs(stage, 'LOWER', 't', '7', ...ALL)).toBe('+OK\r\n')
    stage.restart()
    expect(epochs(stage, 'FREEZE', 'again')).toContain('lowered')
    expect(epochs(stage, 'CANCEL', 'again')).toContain('there is no way back')
    expect(epochs(stage, 'LOWER', 'again', '8', ...ALL)).toBe('+OK\r\n')
    expect(epochs(stage, 'RELEASE', 'again')).toBe('+OK\r\n')
    expect(stage.saved).toMatchObject({ currentEpoch: 8 })
    expect(stage.saved.renumbering).toBeUndefined()
  })

  test('it goes on by the old numbers when the attempt is called off', () => {
    const stage = frozen()
    expect(epochs(stage, 'RELEASE', 't')).toContain('have not been lowered')
    expect(epochs(stage, 'CANCEL', 't')).toBe('+OK\r\n')
    stage.askedBy('peer1', POISONED + 1, B)
    expect(stage.saved.groups[0]).toMatchObject({ leaderEpoch: POISONED + 1 })
  })
})

test('lowered from the end of all numbers, an ordinary failover follows', () => {
  const stage = poisoned({ currentEpoch: EPOCH_MAX })
  for (const words of [
    ['FREEZE', 't'],
    ['LOWER', 't', '6', ...ALL],
    ['RELEASE', 't'],
  ]) {
    epochs(stage, ...words)
  }
  stage.part('peer1').seesDown = true
  stage.kill('master')
  stage.until('+switch-master', 5_000)
  expect(stage.saved.groups[0]).toMatchObject({ configEpoch: 7 })
})

test('what is still on its way from before is refused', () => {
  const stage = poisoned()
  for (const words of [
    ['FREEZE', 't'],
    ['LOWER', 't', '6', ...ALL],
    ['RELEASE', 't'],
  ]) {
    epochs(stage, ...words)
  }
  stage.hello('peer1', { currentEpoch: POISONED, configEpoch: POISONED, masterPort: 6380 })
  stage.askedBy('peer1', POISONED, B)
  expect(stage.saved.currentEpoch).toBe(6)
  expect(stage.show('master')).toMatchObject({ port: '6379' })
})
