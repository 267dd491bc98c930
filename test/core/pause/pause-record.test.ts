import { describe, expect, test } from 'vitest'
import {
  isNewerOrder,
  isReason,
  NEVER_PAUSED,
  PAUSE_MAX_MS,
  type PauseOrder,
  pauseWords,
  readPauseWords,
} from '../../../src/core/pause/pause-record.ts'

const [A, B] = ['a'.repeat(40), 'b'.repeat(40)]

function given(number: number, kind: PauseOrder['kind'], origin = A): PauseOrder {
  return { number, kind, origin, by: 'x@h', reason: '' }
}

describe('which of two orders counts', () => {
  test('the higher number, whatever it says', () => {
    expect(isNewerOrder(given(3, 'resume'), given(2, 'pause', B))).toBe(true)
    expect(isNewerOrder(given(2, 'pause', B), given(3, 'resume'))).toBe(false)
  })

  test('of two with one number the pause, because the resume did not know of it', () => {
    expect(isNewerOrder(given(2, 'pause'), given(2, 'resume', B))).toBe(true)
    expect(isNewerOrder(given(2, 'resume', B), given(2, 'pause'))).toBe(false)
  })

  test('but a pause that was taken back by its own origin does not', () => {
    expect(isNewerOrder(given(2, 'resume'), given(2, 'pause'))).toBe(true)
    expect(isNewerOrder(given(2, 'pause'), given(2, 'resume'))).toBe(false)
  })

  test('an order is not newer than itself', () => {
    expect(isNewerOrder(given(2, 'pause'), given(2, 'pause'))).toBe(false)
  })
})

describe('the words that travel', () => {
  const record = { ...given(7, 'pause'), reason: 'new kernel', untilMs: 5_000, isSure: true }

  test('say what is left, not when it ends', () => {
    const told = readPauseWords(pauseWords(record, 2_000))
    expect(told).toEqual({
      ...given(7, 'pause'),
      reason: 'new kernel',
      leftMs: 3_000,
      isSure: true,
    })
  })

  test('are readable when no order was ever given', () => {
    expect(readPauseWords(pauseWords(NEVER_PAUSED, 0))).toMatchObject({ number: 0, leftMs: 0 })
  })

  const sound = ['7', 'pause', A, '3000', '1', 'x@h', 'why']
  test.each([
    ['a number that is none', 0, '-1'],
    ['a number beyond what is exact', 0, '9999999999999999'],
    ['an unknown kind', 1, 'stop'],
    ['an origin that is no run id', 2, 'me'],
    ['more than a day', 3, String(PAUSE_MAX_MS + 1)],
    ['no word about its clocks', 4, '2'],
    ['a name with a blank', 5, 'x h'],
    ['a reason of two lines', 6, 'a\r\nb'],
  ])('are refused with %s', (_what, at, word) => {
    expect(readPauseWords(sound.with?.(at, word) ?? [])).toBeUndefined()
  })

  test('a resume leaves nothing', () => {
    expect(readPauseWords(['7', 'resume', A, '1', '1', 'x@h', ''])).toBeUndefined()
  })

  test('a reason has one line', () => {
    expect([isReason('new kernel'), isReason('a\tb'), isReason('x'.repeat(401))]).toEqual([
      ...[true, false, false],
    ])
  })
})
