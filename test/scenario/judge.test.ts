import { describe, expect, test } from 'vitest'
import type { Happening, Occurrence } from '../../src/history/happening.ts'
import type { Write } from '../../src/history/writes.ts'
import type { Expectation, StateClaim, TotalClaim } from '../../src/scenario/scenario-file.ts'
import { judge } from '../../src/scenario/verdict/judge.ts'
import type { RunHistory } from '../../src/scenario/world.ts'
import { parse, SOUND } from './support.ts'

const { topology: MEMBERS } = parse(SOUND)
const END_MS = 10_000

function happened(atMs: number, process: string, occurrence: Occurrence): Happening {
  return { atMs, process, ...occurrence }
}

function node(name: string): { host: string; port: number } {
  return { host: name, port: 0 }
}

/** Three Sentinels name n1 in epoch 3; n1 is master, and the others are connected to it. */
function calm(): readonly Happening[] {
  const sentinels = ['s1', 's2', 's3'].flatMap((name) => [
    happened(0, name, { kind: 'status', status: 'running' }),
    happened(0, name, { kind: 'view', group: 'mymaster', master: node('n1') }),
    told(0, name, 3),
  ])
  const nodes = ['n1', 'n2', 'n3'].map((name) =>
    happened(0, name, { kind: 'status', status: 'running' }),
  )
  const following = { kind: 'replica', master: node('n1'), isLinkUp: true } as const
  return [
    ...sentinels,
    ...nodes,
    happened(0, 'n1', { kind: 'role', role: { kind: 'master' } }),
    happened(0, 'n2', { kind: 'role', role: following }),
    happened(0, 'n3', { kind: 'role', role: following }),
  ]
}

function told(atMs: number, sentinel: string, configEpoch: number): Happening {
  const hello = { kind: 'hello', sentinelId: sentinel, group: 'mymaster' } as const
  return happened(atMs, sentinel, { ...hello, configEpoch, master: node('n1') })
}

function written(client: string, ...acknowledgedAtMs: readonly number[]): Write[] {
  return acknowledgedAtMs.map((atMs) => ({
    client,
    operation: { kind: 'key', key: `${client}:${atMs}` },
    group: 'mymaster',
    node: 'n1',
    attemptedAtMs: atMs - 1,
    outcome: { kind: 'acknowledged', atMs, withMajority: true },
  }))
}

function verdictOn(
  expectation: Expectation,
  course: Partial<Pick<RunHistory, 'happenings' | 'writes' | 'labels'>>,
  graceMs = 0,
) {
  const history: RunHistory = {
    ...{
      happenings: [],
      writes: [],
      reads: [],
      questions: [],
      labels: new Map(),
      missing: new Map(),
    },
    nameOf: ({ host }) => host,
    endMs: END_MS,
    ...course,
  }
  const given = { history, members: MEMBERS, facts: [], unsettled: [], graceMs }
  return judge([expectation], given)[0]
}

describe('a group is of one mind', () => {
  const claim: StateClaim = { kind: 'converged', group: 'mymaster' }
  const after = { label: undefined, offsetMs: 0 }
  const expectation = {
    kind: 'state',
    claim,
    timing: { kind: 'always', after, until: undefined },
  } as const

  test('but not in a time that ended before it began, in which everything holds', () => {
    const until = { label: 'heal', offsetMs: 0 }
    const timing = { kind: 'always', after: { label: 'cut', offsetMs: 2_000 }, until } as const
    const labels = (healMs: number) => new Map(Object.entries({ cut: 3_000, heal: healMs }))
    const on = (healMs: number) =>
      verdictOn({ ...expectation, timing }, { happenings: calm(), labels: labels(healMs) })
    expect(on(6_000)).toMatchObject({ passed: true })
    expect(on(4_000)).toMatchObject({ passed: false, finding: 'its time ended before it began' })
  })

  test('when all name one master in one epoch, and the nodes follow it', () => {
    expect(verdictOn(expectation, { happenings: calm() })).toMatchObject({ passed: true })
  })

  const cut = { kind: 'replica', master: node('n1'), isLinkUp: false } as const
  test.each([
    ['a Sentinel has another epoch', told(5_000, 's2', 4), /s1 names n1 \(3\), s2 names n1 \(4\)/],
    [
      'a Sentinel names another master',
      happened(5_000, 's3', { kind: 'view', group: 'mymaster', master: node('n2') }),
      /s3 names n2 \(3\)/,
    ],
    [
      'the master says that it is a replica',
      happened(5_000, 'n1', { kind: 'role', role: cut }),
      /n1 is a replica/,
    ],
    [
      'a replica has lost its master',
      happened(5_000, 'n3', { kind: 'role', role: cut }),
      /n3 is not connected to n1/,
    ],
  ])('not when %s', (_what, happening, finding) => {
    const judged = verdictOn(expectation, { happenings: [...calm(), happening] })
    expect(judged).toMatchObject({ passed: false, finding: expect.stringMatching(finding) })
  })

  test('whatever those have that do not run', () => {
    const dead = happened(4_000, 's2', { kind: 'status', status: 'down' })
    const happenings = [...calm(), dead, told(5_000, 's1', 4), told(5_000, 's3', 4)]
    expect(verdictOn(expectation, { happenings })).toMatchObject({ passed: true })
  })
})

describe('a grace', () => {
  const claim: StateClaim = { kind: 'converged', group: 'mymaster' }
  const since = (offsetMs: number) => ({ label: 'kill', offsetMs })
  const labels = new Map(Object.entries({ kill: 1_000, return: 5_000 }))
  const cutOff = { kind: 'replica', master: node('n1'), isLinkUp: false } as const
  const connected = { ...cutOff, isLinkUp: true } as const
  const lost = (atMs: number) => happened(atMs, 'n3', { kind: 'role', role: cutOff })
  const back = (atMs: number) => happened(atMs, 'n3', { kind: 'role', role: connected })

  const within = {
    kind: 'state',
    claim,
    timing: { kind: 'within', after: since(0), withinMs: 2_000 },
  } as const
  test.each([
    ['what was true at the deadline, and is not any more within the grace', [lost(5_000)], true, 0],
    ['what comes true late', [lost(1_500), back(4_000)], true, 3_000],
    [
      'what comes true late, and is not true for long',
      [lost(0), back(4_000), lost(5_000)],
      true,
      3_000,
    ],
    ['not what comes true after it', [lost(1_500), back(8_001)], false, undefined],
  ])('accepts %s', (_what, changes, passed, afterMs) => {
    const metAtMs = afterMs === undefined ? undefined : 1_000 + afterMs
    const judged = verdictOn(within, { happenings: [...calm(), ...changes], labels }, 5_000)
    expect(judged).toMatchObject({ passed, metAtMs })
  })

  test('that is longer than the time itself leaves the last moment of it', () => {
    const until = { label: 'return', offsetMs: 0 }
    const timing = { kind: 'always', after: since(1_000), until } as const
    const on = (...changes: Happening[]) =>
      verdictOn(
        { kind: 'state', claim, timing },
        { happenings: [...calm(), ...changes], labels },
        5_000,
      )
    expect(on(lost(500), back(4_500))).toMatchObject({ passed: true })
    expect(on(lost(500), back(5_000))).toMatchObject({ passed: false })
  })
})

describe('an outage', () => {
  function outage(rest: Partial<TotalClaim & { kind: 'outage' }>): Expectation {
    const all = { clients: undefined, after: undefined, until: undefined }
    return {
      kind: 'total',
      claim: { kind: 'outage', group: 'mymaster', atMostMs: 3_000, ...all, ...rest },
    }
  }
  const writes = [...written('app', 4_000, 4_500, 9_000), ...written('other', 4_100, 6_000, 9_900)]

  test('of a group ends with a write of anybody', () => {
    expect(verdictOn(outage({}), { writes })).toMatchObject({ passed: true, finding: '3 s' })
  })

  test('of a client ends with a write of its own', () => {
    const judged = verdictOn(outage({ clients: ['app'] }), { writes })
    expect(judged).toMatchObject({ passed: false, finding: 'app: 4.5 s' })
  })

  test('lasts to the end of the run if nothing ends it', () => {
    const judged = verdictOn(outage({}), { writes: written('app', 4_000) })
    expect(judged).toMatchObject({ passed: false, finding: '6 s' })
  })

  test('can be looked for in a part of the run only', () => {
    const labels = new Map([['cut', 7_000]])
    const at = (offsetMs: number) => ({ label: 'cut', offsetMs })
    const claim = outage({ after: at(0), until: at(2_500) })
    expect(verdictOn(claim, { writes, labels })).toMatchObject({ passed: true, finding: '2 s' })
  })

  test('is not bounded by writes that never worked', () => {
    expect(verdictOn(outage({}), {})).toMatchObject({ passed: false })
  })
})
