import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../src/base/sha256.ts'
import { decodeState, encodeState } from '../../src/config/state-file.ts'
import { DEFAULT_GROUP, type GroupConfig } from '../../src/core/config.ts'
import type { SavedGroup, SavedState } from '../../src/core/persistence/saved.ts'
import { sized } from '../support/sized.ts'

const MYID = 'a1'.repeat(20)

const GROUP: GroupConfig = {
  ...DEFAULT_GROUP,
  name: 'mymaster',
  host: '10.0.0.1',
  port: 6379,
  quorum: 2,
  downAfterMs: 5_000,
  failoverTimeoutMs: 60_000,
  parallelSyncs: 1,
  authUser: '',
  authPass: 'caf\xe9 "quoted"\n',
}

const SAVED_GROUP: SavedGroup = {
  file: GROUP,
  current: { ...GROUP, host: '10.0.0.2' },
  configEpoch: 7,
  leaderEpoch: 8,
  leader: 'b2'.repeat(20),
  replicas: [{ host: '10.0.0.1', port: 6379 }],
  peers: [{ runId: 'c3'.repeat(20), host: '::1', port: 26_379 }],
}

const STATE: SavedState = {
  myid: MYID,
  currentEpoch: 8,
  groups: [SAVED_GROUP],
  removed: [GROUP],
  settings: undefined,
  users: undefined,
}

test('a pause is read back, whatever its reason says', () => {
  const order = { number: 3, kind: 'pause', origin: MYID, by: 'ann@::1' } as const
  const pause = { ...order, reason: 'caf\xe9 "x"', leftMs: 60_000, endsAtWallMs: 1_700_000_060_000 }
  const state = { ...STATE, groups: [{ ...SAVED_GROUP, pause }] }
  expect(decodeState(encodeState(state))).toEqual({ ok: true, value: state })
})

test('what was saved is read back', () => {
  expect(decodeState(encodeState(STATE))).toEqual({ ok: true, value: STATE })
})

describe('what a Sentinel of version 1 has written', () => {
  const { notificationScript, clientReconfigScript, renamedCommands, ...known } = GROUP
  const { rebootDownAfterMs, detection, refusedAfterMs, grayAfterMs, ...oldGroup } = known
  const asItWas = ({ host }: GroupConfig) => ({ ...GROUP, host, detection: 'ping' as const })
  const body = `${JSON.stringify({
    myid: MYID,
    currentEpoch: 8,
    groups: [{ ...SAVED_GROUP, file: oldGroup, current: { ...oldGroup, host: '10.0.0.2' } }],
    removed: [oldGroup],
  }).replace(/[^ -~]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)}\n`
  const text = `vedette-state 1 ${body.length} ${sha256(body)}\n${body}`

  test('is read with all its votes and epochs, and for what is new with what it did then', () => {
    const { file: _, current, ...votes } = SAVED_GROUP
    const group = { ...votes, file: asItWas(GROUP), current: asItWas(current) }
    const value = { ...STATE, groups: [group], removed: [asItWas(GROUP)] }
    expect(decodeState(text)).toEqual({ ok: true, value })
  })

  test('is refused like any other when a byte of it is wrong', () => {
    expect(decodeState(text.replace('10.0.0.2', '10.0.0.3'))).toMatchObject({ ok: false })
  })
})

test('options that came after a file was written are as they were for the one who wrote it', () => {
  const { detection: _, refusedAfterMs, grayAfterMs, ...before } = GROUP
  const group = { ...SAVED_GROUP, file: before, current: before }
  const written = { ...STATE, groups: [group], removed: [] } as unknown as SavedState
  expect(decodeState(encodeState(written))).toMatchObject({
    value: {
      groups: [{ file: { detection: 'ping' }, current: { detection: 'ping', refusedAfterMs } }],
    },
  })
})

test('options that are not in use are not in the file, so that programs that do not know them read it', () => {
  const zones: GroupConfig['zones'] = [['10.0.0.2:6379', 'east']]
  const used = { ...SAVED_GROUP, current: { ...GROUP, zones } }
  const state = { ...STATE, groups: [used] }
  const text = encodeState(state)
  const [group] = JSON.parse(text.slice(text.indexOf('\n'))).groups
  expect(group.current.zones).toEqual(zones)
  for (const config of [group.file, { ...group.current, zones: undefined }]) {
    const names = ['clientAddresses', 'promotionRules', 'voters', 'writeQuorum', 'reads', 'zones']
    for (const name of names) expect(config[name]).toBeUndefined()
  }
  expect(decodeState(text)).toEqual({ ok: true, value: state })
})

test('a group that is in no file is read back as such', () => {
  const state = { ...STATE, groups: [{ ...SAVED_GROUP, file: undefined }] }
  expect(decodeState(encodeState(state))).toStrictEqual({ ok: true, value: state })
})

test('the file is ASCII, whatever the names are', () => {
  expect(encodeState(STATE)).toMatch(/^[\n -~]*$/)
})

test('any names and numbers survive', () => {
  const text = fc.string({ unit: 'binary', minLength: 1 })
  fc.assert(
    fc.property(text, text, fc.maxSafeNat(), (name, authPass, currentEpoch) => {
      const current = { ...GROUP, name, authPass }
      const state = { ...STATE, currentEpoch, groups: [{ ...SAVED_GROUP, current }] }
      expect(decodeState(encodeState(state))).toEqual({ ok: true, value: state })
    }),
  )
})

test('filled up to whole blocks it is read back the same, and keeps its size while what it says grows a little', () => {
  const sizes = new Set<number>()
  for (let length = 0; length < 9_000; length += 7) {
    const state = { ...STATE, groups: [], removed: [{ ...GROUP, name: 'x'.repeat(length) }] }
    const text = encodeState(state, () => 'd'.repeat(64), 4_096)
    sizes.add(text.length)
  }
  expect([...sizes]).toEqual([4_096, 8_192, 12_288])
  expect(decodeState(encodeState(STATE, sha256, 4_096))).toEqual({ ok: true, value: STATE })
})

test('a file that was cut is refused, at whatever byte', () => {
  const text = encodeState(STATE)
  for (let length = 0; length < text.length; length++) {
    expect(decodeState(text.slice(0, length)).ok).toBe(false)
  }
})

test('a file with one bit flipped is refused, whichever it is', () => {
  const text = encodeState({ ...STATE, removed: [], settings: undefined, users: undefined })
  for (let at = 0; at < text.length; at += sized(5, 1)) {
    for (let bit = 1; bit < 256; bit *= 2) {
      const flipped = String.fromCharCode(text.charCodeAt(at) ^ bit)
      expect(decodeState(text.slice(0, at) + flipped + text.slice(at + 1)).ok).toBe(false)
    }
  }
})

describe('the reason tells', () => {
  test.each([
    ['', 'it is not a Vedette state file'],
    ['hello\n{}', 'it is not a Vedette state file'],
    ['vedette-state 3 3 ab\n{}', 'its format version is 3, this program reads version 2'],
    [encodeState(STATE).slice(0, -1), 'it is cut off or damaged (length or checksum differ)'],
    [`${encodeState(STATE)}\n`, 'it is cut off or damaged (length or checksum differ)'],
  ])('of %.30j', (text, expected) => {
    const isWhole = expected.includes('format version')
    expect(decodeState(text)).toEqual({ ok: false, reason: expected, isWhole })
  })

  test.each([
    [{ myid: 'short' }, 'myid: not 40 lower-case hex characters'],
    [{ myid: MYID.toUpperCase() }, 'myid: not 40 lower-case hex characters'],
    [{ currentEpoch: -1 }, 'currentEpoch: '],
    [{ currentEpoch: 1.5 }, 'currentEpoch: '],
    [{ currentEpoch: 2 ** 53 }, 'currentEpoch: '],
    [{ groups: undefined }, 'groups: '],
    [{ groups: [{ ...SAVED_GROUP, configEpoch: '1' }] }, 'groups.0.configEpoch: '],
    [
      { groups: [{ ...SAVED_GROUP, peers: [{ runId: 'x', host: '', port: 1 }] }] },
      'groups.0.peers.0.runId: ',
    ],
    [{ removed: [{ ...GROUP, quorum: 0 }] }, 'removed.0.quorum: '],
    [{ removed: [{ ...GROUP, port: 65_536 }] }, 'removed.0.port: '],
    [{ surprise: 1 }, 'content: '],
  ])('of a sound file with the wrong content: %j', (change, expected) => {
    const decoded = decodeState(fileOf({ ...STATE, ...change }))
    const reason = expect.stringContaining(expected)
    expect(decoded).toMatchObject({ ok: false, reason, isWhole: true })
  })
})

/** What a version with another idea of a state would have written. */
function fileOf(value: unknown): string {
  const body = `${JSON.stringify(value).replace('\xe9', '\\u00e9')}\n`
  return `vedette-state 2 ${body.length} ${sha256(body)}\n${body}`
}
