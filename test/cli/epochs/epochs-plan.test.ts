import { expect, test } from 'vitest'
import { resultOf } from '../../../src/cli/epochs/epochs.ts'
import { epochsJson } from '../../../src/cli/epochs/epochs-json.ts'
import {
  type EpochReport,
  isPoisoned,
  newEpoch,
  obstaclesTo,
  readReport,
} from '../../../src/cli/epochs/epochs-plan.ts'

const ME = 'a'.repeat(40)
const PEER = 'b'.repeat(40)

function report(change: Partial<EpochReport['groups'][number]> = {}, myid = ME): EpochReport {
  const peers = [myid === ME ? PEER : ME]
  const group = { name: 'g', master: '10.0.0.1:6379', configEpoch: 2, leaderEpoch: 3, peers }
  const groups = [{ ...group, ...change }]
  return { address: `${myid}:1`, phase: 'running', myid, currentEpoch: 4, groups }
}

test('a reply is read as it was sent, numbers beyond what client libraries count included', () => {
  const group = ['g', '10.0.0.1:6379', '2', '9007199254740991', [PEER]]
  expect(readReport('x', ['frozen', ME, '9007199254740991', [group]])).toMatchObject({
    phase: 'frozen',
    currentEpoch: 2 ** 53 - 1,
    groups: [{ leaderEpoch: 2 ** 53 - 1 }],
  })
})

test.each([
  [undefined],
  [['elsewhere', ME, '1', []]],
  [['running', ME, '-1', []]],
  [['running', ME, '1', [['g']]]],
  [['running', ME, '1', [['g', 'h:1', '1', 'x', []]]]],
  [['running', ME, '1', [['g', 'h:1', '1', '1', 'nobody']]]],
])('%j is no report', (reply) => {
  expect(readReport('x', reply)).toBeUndefined()
})

test('epochs of honest elections are sound, and any above is not', () => {
  expect(isPoisoned(report({ leaderEpoch: 2 ** 32 }))).toBe(false)
  expect(isPoisoned(report({ leaderEpoch: 2 ** 32 + 1 }))).toBe(true)
})

test('the new epoch is above every honest one, and absurd ones do not raise it', () => {
  const reports = [report({ leaderEpoch: 9 }), report({ configEpoch: 2 ** 48 }, PEER)]
  expect(newEpoch(reports)).toBe(10)
})

test('nothing is in the way when all are there and agree', () => {
  expect(obstaclesTo([report(), report({}, PEER)])).toEqual([])
})

test('a Sentinel that is counted and missing is in the way', () => {
  expect(obstaclesTo([report()])).toEqual([expect.stringContaining(`counts Sentinel ${PEER} in g`)])
})

test('two names for one master are in the way', () => {
  const other = report({ master: '10.0.0.2:6379' }, PEER)
  expect(obstaclesTo([report(), other])).toEqual([
    expect.stringContaining('the master of g is 10.0.0.1:6379 and 10.0.0.2:6379'),
  ])
})

test('not all epochs are called sound while those of some Sentinels are not known', () => {
  expect(resultOf({ outcome: 'sound' }, 0)).toBe('all epochs are sound')
  expect(resultOf({ outcome: 'sound' }, 2)).toBe(
    'these epochs are sound; those of 2 more are not known',
  )
})

test('for scripts: what was found, of which Sentinels, and of which it is not known', () => {
  const silent = { address: '10.0.0.2:26379', reason: 'ECONNREFUSED' }
  expect(epochsJson({ outcome: 'sound' }, [report()], [silent], undefined)).toEqual({
    ...{ outcome: 'sound', loweredTo: null, obstacles: [] },
    sentinels: [
      {
        ...{ address: `${ME}:1`, id: ME, phase: 'running', currentEpoch: 4 },
        groups: [
          {
            ...{ name: 'g', master: '10.0.0.1:6379', configEpoch: 2, lastVoteEpoch: 3 },
            peers: [PEER],
          },
        ],
      },
    ],
    unknown: [{ ...silent, program: null }],
  })
})

test('the name of a group is text, and does nothing to a terminal', () => {
  const group = ['gr\xc3\xb6\xc3\x9fe\x1b[2J', '10.0.0.1:6379', '2', '1', [PEER]]
  const read = readReport('x', ['running', ME, '1', [group]])
  expect(read?.groups[0]?.name).toBe('größe\\x1b[2J')
})
