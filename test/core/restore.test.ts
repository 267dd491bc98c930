import { expect, test } from 'vitest'
import { DEFAULT_GROUP, type GroupConfig } from '../../src/core/config.ts'
import { restoreGroups } from '../../src/core/restore.ts'
import type { SavedGroup, SavedState } from '../../src/core/saved.ts'

const FILE: GroupConfig = {
  ...DEFAULT_GROUP,
  name: 'g',
  host: '10.0.0.1',
  port: 6379,
  quorum: 2,
}

function saved(group: Partial<SavedGroup>, removed: GroupConfig[] = []): SavedState {
  const full = {
    file: FILE,
    current: FILE,
    configEpoch: 3,
    leaderEpoch: 3,
    leader: '',
    replicas: [],
    peers: [],
    ...group,
  }
  return {
    myid: 'a'.repeat(40),
    currentEpoch: 3,
    groups: [full],
    removed,
    settings: undefined,
    users: undefined,
  }
}

test('the learnt address of the master outlives a restart', () => {
  const state = saved({ current: { ...FILE, host: '10.0.0.2' } })
  expect(restoreGroups([FILE], state)[0]?.config.host).toBe('10.0.0.2')
})

test('an address the operator has changed in the file since wins over the learnt one', () => {
  const state = saved({ current: { ...FILE, host: '10.0.0.2' } })
  const edited = { ...FILE, host: '10.0.0.7' }
  expect(restoreGroups([edited], state)[0]?.config.host).toBe('10.0.0.7')
})

test('an option set at run time stands until the file says something new about that option', () => {
  const state = saved({ current: { ...FILE, quorum: 3, downAfterMs: 500 } })
  const edited = { ...FILE, quorum: 1 }
  expect(restoreGroups([edited], state)[0]?.config).toMatchObject({ quorum: 1, downAfterMs: 500 })
})

test('a group added at run time comes back without being in the file', () => {
  const current = { ...FILE, name: 'extra' }
  const groups = restoreGroups([FILE], saved({ file: undefined, current }))
  expect(groups.map((group) => group.config.name)).toEqual(['g', 'extra'])
})

test('a removed group stays removed until its definition in the file changes', () => {
  const state: SavedState = { ...saved({}), groups: [], removed: [FILE] }
  expect(restoreGroups([FILE], state)).toEqual([])
  expect(restoreGroups([{ ...FILE, port: 6390 }], state)).toHaveLength(1)
})

test('a group taken out of the file is monitored no more', () => {
  expect(restoreGroups([], saved({}))).toEqual([])
})
