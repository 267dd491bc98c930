import { expect, test } from 'vitest'
import { readList, whyNoRecord } from '../../src/cli/incident/wire-records.ts'

const NOW = 1_700_000_000_000
const LIST = (segments: readonly unknown[], wallMs: unknown = NOW) =>
  ['wall-clock-ms', wallMs, 'segments', segments] as Parameters<typeof readList>[0]

test('the moments of a list are told by the clock of the one who asks', () => {
  const list = LIST(
    [
      ['00000001.vbb', 10, NOW + 4_000],
      ['00000002.vbb', 20, NOW + 5_000],
    ],
    NOW + 5_000,
  )
  expect(readList(list, NOW)).toEqual([
    { name: '00000001.vbb', bytes: 10, fromMs: 0, untilMs: NOW - 1_000 },
    { name: '00000002.vbb', bytes: 20, fromMs: NOW - 1_000, untilMs: NOW },
  ])
})

test('a segment that was begun while the clock was wrong ends after its beginning', () => {
  const list = LIST([
    ['00000001.vbb', 10, NOW + 400 * 86_400_000],
    ['00000002.vbb', 20, NOW],
  ])
  const [, last] = readList(list, NOW)
  expect(last).toMatchObject({ fromMs: NOW, untilMs: NOW })
})

test.each([
  ['no list', 'OK'],
  ['a clock that is no number', LIST([], 'now')],
  ['a path for a name', LIST([['../1.vbb', 10, NOW]])],
  ['a size that is no number', LIST([['00000001.vbb', '10', NOW]])],
  ['a segment that is no list', LIST(['00000001.vbb'])],
])('%s is refused', (_, answer) => {
  expect(() => readList(answer, NOW)).toThrow(/in a wrong form/)
})

test('a record that is refused for want of a right names the rule that grants it', () => {
  const login = { user: 'ops', password: 'x', tls: undefined, allowance: { leftBytes: 1 } }
  const error = new Error(
    "NOPERM this user has no permissions to run the 'sentinel|black-box' command",
  )
  expect(whyNoRecord(error, login)).toBe(
    `${error.message}; grant it there with ACL SETUSER ops +sentinel|black-box`,
  )
  expect(whyNoRecord(new Error('NORECORD no record is kept'), login)).toBe('no record is kept')
})
