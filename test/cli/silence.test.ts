/** What is said of programs that told nothing: not what they did not do. */
import { expect, test } from 'vitest'
import { noLedgerText } from '../../src/cli/ledger/ledger-group.ts'
import { silence, silentLines } from '../../src/cli/status/silence.ts'

test.each([
  ['ECONNREFUSED', 'does not answer: ECONNREFUSED'],
  ['no answer within 3 s', 'does not answer: no answer within 3 s'],
  ['this is no Sentinel', 'does not answer: this is no Sentinel'],
  ['NOPERM this user may not', 'refuses: NOPERM this user may not'],
  ['WRONGPASS invalid pair', 'refuses: WRONGPASS invalid pair'],
  ['NOAUTH Authentication required.', 'refuses: NOAUTH Authentication required.'],
])('of a Sentinel that fails with %j is said that it %s', (failure, words) => {
  expect(silence('Sentinel 10.0.0.1:26379', failure)).toBe(`Sentinel 10.0.0.1:26379 ${words}`)
})

test.each([
  ['ECONNREFUSED', '  name a Sentinel that runs with --sentinel HOST:PORT'],
  ['NOAUTH Authentication required.', '  give the password of the Sentinels'],
  ['WRONGPASS invalid pair', '  give the password of the Sentinels'],
  ['NOPERM this user has no permissions to run it', '  docs/users.md lists the rights'],
  ['ERR AUTH <password> called without any password configured', '  these Sentinels have no'],
])('where every Sentinel fails with %j, the last line is the way out: %s', (failure, way) => {
  const silent = ['10.0.0.1:26379', '10.0.0.2:26379'].map((address) => ({ address, failure }))
  expect(silentLines(silent, true)).toHaveLength(3)
  expect(silentLines(silent, true).at(-1)).toContain(way)
  expect(silentLines(silent, false)).toHaveLength(2)
})

test.each([
  [3, 0, 'no node keeps a ledger: no write is known to be lost'],
  [
    3,
    1,
    '2 of 3 nodes have no ledger, so no write of theirs is known to be lost; 1 does not tell: whether writes were lost there is not known',
  ],
  [3, 3, 'no node tells of ledgers: whether writes were lost is not known'],
])('of %s nodes, %s of which tell of no ledgers: %s', (asked, silent, text) => {
  const reason = 'its program keeps no ledgers'
  const nodes = Array.from({ length: silent }, (_, at) => ({ node: `10.0.0.${at}:6379`, reason }))
  expect(noLedgerText({ asked, silent: nodes, ledgers: [] })).toBe(text)
})
