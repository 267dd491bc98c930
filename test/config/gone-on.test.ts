/** Vedette, redis-sentinel, and Vedette again: which of the two memories counts. */
import { expect, test } from 'vitest'
import { goneOnSince } from '../../src/config/gone-on.ts'
import { parseSentinelConf } from '../../src/config/sentinel-conf.ts'
import { type LearntState, toSavedState } from '../../src/config/sentinel-file.ts'
import type { SavedGroup, SavedState } from '../../src/core/persistence/saved.ts'

const ID = 'ab'.repeat(20)
const OTHER = 'cd'.repeat(20)

function learnt(current: number, config: number, vote: number, rest = ''): LearntState {
  const text = `port 26379
sentinel monitor g 10.0.0.1 6379 2
sentinel myid ${ID}
sentinel current-epoch ${current}
sentinel config-epoch g ${config}
sentinel leader-epoch g ${vote}
${rest}`
  const parsed = parseSentinelConf(text, 's.conf')
  if (!parsed.ok || parsed.value.learnt === undefined) throw new Error('nothing learnt')
  return parsed.value.learnt
}

/** What we saved after a start with `file`. */
function saved(file: LearntState, change: Partial<SavedGroup> = {}): SavedState {
  const state = toSavedState(file, () => ID)
  return { ...state, groups: state.groups.map((group) => ({ ...group, ...change })) }
}

const IMPORTED = learnt(7, 5, 6)

test('a vote that redis-sentinel gave meanwhile is not forgotten, in a later epoch or the same', () => {
  const before = saved(IMPORTED, { leader: OTHER })
  for (const epoch of [7, 9]) {
    expect(goneOnSince(before, learnt(epoch, 5, epoch))).toMatchObject({
      currentEpoch: epoch,
      groups: [{ leaderEpoch: epoch, leader: '' }],
    })
  }
})

test('what was set, added and removed under redis-sentinel counts, and no longer what we had', () => {
  const group = IMPORTED.groups[0] as SavedGroup
  const mine = { ...group.current, parallelSyncs: 4 }
  const added = { ...group, file: undefined, current: { ...group.current, name: 'added' } }
  const before: SavedState = {
    ...saved(IMPORTED, { current: mine }),
    ...{ groups: [{ ...group, current: mine }, added], removed: [{ ...mine, name: 'h' }] },
    users: { file: [], current: [['bob', 'on']] },
  }
  const rest = 'sentinel parallel-syncs g 3\nsentinel monitor h 10.0.0.9 6379 2\n'
  const since = goneOnSince(before, learnt(8, 5, 6, rest))
  expect(since?.groups.map(({ current }) => current.name)).toEqual(['g', 'h'])
  expect(since).toMatchObject({ removed: [], users: undefined, myid: ID })
  expect(since?.groups[0]?.current.parallelSyncs).toBe(3)
})

test('our own later vote and later master stay', () => {
  const moved = { ...(IMPORTED.groups[0] as SavedGroup).current, host: '10.0.0.2' }
  const before = saved(IMPORTED, { current: moved, configEpoch: 8, leaderEpoch: 8, leader: OTHER })
  expect(goneOnSince(before, learnt(20, 5, 6))).toMatchObject({
    currentEpoch: 20,
    groups: [{ current: { host: '10.0.0.2' }, configEpoch: 8, leaderEpoch: 8, leader: OTHER }],
  })
})

test.each<readonly [string, SavedState, LearntState]>([
  ['it is as at the first start', saved(IMPORTED), IMPORTED],
  ['we have gone on ourselves', saved(learnt(9, 9, 9)), IMPORTED],
  ['it is of another Sentinel', { ...saved(IMPORTED), myid: OTHER }, learnt(9, 9, 9)],
  ['its epochs have been lowered here', saved(learnt(8, 5, 8)), learnt(2 ** 40, 5, 2 ** 40)],
  ['the group began anew', saved(IMPORTED, { file: undefined, leaderEpoch: 0 }), IMPORTED],
])('the configuration does not count if %s', (_, before, file) => {
  expect(goneOnSince(before, file)).toBeUndefined()
})

test('a sentinel.yml has nothing that redis-sentinel could have written', () => {
  expect(goneOnSince(saved(IMPORTED), undefined)).toBeUndefined()
})
