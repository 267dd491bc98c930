import { expect, test } from 'vitest'
import { createRng } from '../../../src/base/rng.ts'
import { DEFAULT_GROUP, DEFAULT_SENTINEL, type GroupConfig } from '../../../src/core/config.ts'
import {
  restoreGroups,
  restoreSettings,
  stillRemoved,
} from '../../../src/core/persistence/restore.ts'
import type { SavedGroup, SavedState } from '../../../src/core/persistence/saved.ts'
import { settingsOf } from '../../../src/core/persistence/settings.ts'
import { startSentinel } from '../../../src/core/sentinel.ts'
import { savedBy } from '../../support/frozen-save.ts'

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

test('that address is in no epoch, since no failover has led to it; votes stay', () => {
  const state = saved({ current: { ...FILE, host: '10.0.0.2' } })
  const epochs = (file: GroupConfig) => restoreGroups([file], state)[0]?.saved
  expect(epochs({ ...FILE, host: '10.0.0.7' })).toMatchObject({ configEpoch: 0, leaderEpoch: 3 })
  expect(epochs({ ...FILE, host: '10.0.0.2' })).toMatchObject({ configEpoch: 3 })
  expect(epochs(FILE)).toMatchObject({ configEpoch: 3 })
})

test('an option set at run time stands until the file says something new about that option', () => {
  const state = saved({ current: { ...FILE, quorum: 3, downAfterMs: 500 } })
  const edited = { ...FILE, quorum: 1 }
  expect(restoreGroups([edited], state)[0]?.config).toMatchObject({ quorum: 1, downAfterMs: 500 })
})

test('the detection set at run time outlives a restart, option by option', () => {
  const current = { ...FILE, detection: 'ping', refusedAfterMs: 400, grayAfterMs: 5_000 } as const
  expect(restoreGroups([FILE], saved({ current }))[0]?.config).toEqual(current)
  const edited = { ...FILE, refusedAfterMs: 300 }
  expect(restoreGroups([edited], saved({ current }))[0]?.config).toEqual({
    ...current,
    refusedAfterMs: 300,
  })
})

test('a Sentinel that goes over from a sentinel.conf to a sentinel.yml judges as the new file says', () => {
  const conf = { ...FILE, detection: 'ping' } as const
  const state = saved({ file: conf, current: { ...conf, host: '10.0.0.2' } })
  expect(restoreGroups([FILE], state)[0]?.config).toMatchObject({
    ...{ host: '10.0.0.2', detection: 'evidence' },
  })
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

test('a group of the file that was removed and monitored again outlives restarts as it was monitored', () => {
  const current = { ...FILE, host: '10.0.0.2' }
  const state = saved({ file: undefined, current, leaderEpoch: 5 }, [FILE])
  const [restored, ...others] = restoreGroups([FILE], state)
  expect(others).toEqual([])
  expect(restored).toMatchObject({ config: current, file: undefined, saved: { leaderEpoch: 5 } })
  expect(stillRemoved([FILE], state)).toEqual([FILE])
})

test('a group taken out of the file is monitored no more', () => {
  expect(restoreGroups([], saved({}))).toEqual([])
})

const FILE_SETTINGS = { ...settingsOf({ ...DEFAULT_SENTINEL, groups: [] }), announceIp: '10.0.0.1' }

test('a setting changed at run time stands until the file says something new about it', () => {
  const current = { ...FILE_SETTINGS, announceIp: '10.0.0.2', logLevel: 'debug' } as const
  const state: SavedState = { ...saved({}), settings: { file: FILE_SETTINGS, current } }
  expect(restoreSettings(FILE_SETTINGS, state)).toEqual(current)
  const edited = { ...FILE_SETTINGS, announceIp: '10.0.0.3' }
  expect(restoreSettings(edited, state)).toEqual({ ...current, announceIp: '10.0.0.3' })
  expect(restoreSettings(edited, saved({}))).toEqual(edited)
})

test('a Sentinel starts with the settings it was given at run time, and remembers them on', () => {
  const current = { ...FILE_SETTINGS, announcePort: 7, logLevel: 'debug' } as const
  const { state, effects } = startSentinel({
    config: { ...DEFAULT_SENTINEL, ...FILE_SETTINGS, groups: [] },
    saved: { ...saved({}), groups: [], settings: { file: FILE_SETTINGS, current } },
    rng: createRng('settings'),
    now: { monoMs: 0, wallMs: 0 },
  })
  expect(state.config.announcePort).toBe(7)
  // Before the first line it could be about.
  expect(effects[0]).toEqual({ kind: 'setLogLevel', level: 'debug' })
  const save = effects.find(({ kind }) => kind === 'save')
  expect(savedBy(save)?.settings).toEqual({ file: FILE_SETTINGS, current })
})

test('+monitor says the epoch of the configuration that was kept, not 0', () => {
  const { effects } = startSentinel({
    config: { ...DEFAULT_SENTINEL, groups: [FILE] },
    saved: saved({ configEpoch: 3 }),
    rng: createRng('epoch'),
    now: { monoMs: 0, wallMs: 0 },
  })
  const events = effects.flatMap((effect) => (effect.kind === 'log' ? [effect.event] : []))
  const monitor = events.find((event) => event?.name === '+monitor')
  expect(monitor?.group).toMatchObject({ name: 'g', configEpoch: 3 })
})
