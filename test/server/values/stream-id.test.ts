import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  difference,
  idAfter,
  idAtMs,
  idAtTime,
  idBefore,
  idMs,
  idSeq,
  idText,
  MAX_ID,
  MAX_UINT64,
  MIN_ID,
  parseId,
  parseIdOrEdge,
  parseOpenId,
  type StreamId,
  streamId,
} from '../../../src/server/values/stream-id.ts'

function id(text: string): StreamId {
  const parsed = parseId(text)
  if (parsed === undefined) throw new Error(`${text} is an id`)
  return parsed
}

const uint64 = fc.oneof(
  fc.bigInt({ min: 0n, max: MAX_UINT64 }),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }),
  fc.bigInt({ min: 0n, max: 3n }),
)

describe('an id', () => {
  test('keeps all 128 bits', () => {
    fc.assert(
      fc.property(uint64, uint64, (ms, seq) => {
        const made = streamId(ms, seq)
        expect(made).toHaveLength(16)
        expect([BigInt(idMs(made)), BigInt(idSeq(made))]).toEqual([ms, seq])
        expect(id(`${ms}-${seq}`)).toBe(made)
        expect(idText(made)).toBe(`${ms}-${seq}`)
      }),
    )
  })

  test('compares as the numbers do', () => {
    fc.assert(
      fc.property(uint64, uint64, uint64, uint64, (ms, seq, otherMs, otherSeq) => {
        const isLess = ms === otherMs ? seq < otherSeq : ms < otherMs
        expect(streamId(ms, seq) < streamId(otherMs, otherSeq)).toBe(isLess)
      }),
    )
  })

  test('has a next and a previous one, but for the ends', () => {
    expect(idText(idAfter(id('5-18446744073709551615')) ?? '')).toBe('6-0')
    expect(idText(idBefore(id('6')) ?? '')).toBe('5-18446744073709551615')
    expect([idAfter(MAX_ID), idBefore(MIN_ID)]).toEqual([undefined, undefined])
    fc.assert(
      fc.property(uint64, uint64, (ms, seq) => {
        const next = idAfter(streamId(ms, seq))
        if (next !== undefined) expect(idBefore(next)).toBe(streamId(ms, seq))
      }),
    )
  })

  test('differs from another by a signed number of 64 bits', () => {
    expect(difference(5, 7)).toBe(-2)
    expect(difference(2n ** 64n - 1n, 0)).toBe(-1)
    expect(difference(2n ** 60n, 0)).toBe(2n ** 60n)
  })
})

describe('a new id', () => {
  test('never falls back behind the last one, whatever the clock does', () => {
    expect(idText(idAtTime(1000, id('999-5')) ?? '')).toBe('1000-0')
    expect(idText(idAtTime(1000, id('1000-5')) ?? '')).toBe('1000-6')
    expect(idText(idAtTime(1000, id('2000-5')) ?? '')).toBe('2000-6')
    expect(idAtTime(1000, MAX_ID)).toBe(undefined)
  })

  test('of a given millisecond stays within it', () => {
    expect(idText(idAtMs(7, id('6-9')) ?? '')).toBe('7-0')
    expect(idText(idAtMs(7, id('7-9')) ?? '')).toBe('7-10')
    expect(idText(idAtMs(0, MIN_ID) ?? '')).toBe('0-1')
    expect(idAtMs(7, id('8'))).toBe(undefined)
    expect(idAtMs(7, id('7-18446744073709551615'))).toBe(undefined)
  })
})

describe('the text of an id', () => {
  // Seen with redis-server 7.0.15, whose numbers go through strtoull.
  test.each([
    ['5', '5-0'],
    ['5-3', '5-3'],
    ['007-0003', '7-3'],
    [' 9-+4', '9-4'],
    ['10--01', '10-18446744073709551615'],
    ['8-3\0junk', '8-3'],
    ['18446744073709551615-18446744073709551615', '18446744073709551615-18446744073709551615'],
  ])('%j is %s', (text, shown) => expect(idText(id(text))).toBe(shown))

  test.each([
    ...['', '-', '+', '*', 'x', '1a', '-1', '5-', '5-x', '5-*', '1-1-1', '10--1', '5 ', '0x5'],
    '18446744073709551616',
    '5-18446744073709551616',
    `${'0'.repeat(127)}5`,
  ])('%j is none', (text) => expect(parseId(text)).toBe(undefined))

  test('may leave the sequence number to the command', () => {
    expect(parseId('5', MAX_UINT64)).toBe(id('5-18446744073709551615'))
    expect([parseOpenId('5-*'), parseOpenId('5-1'), parseOpenId('*')]).toEqual([
      5,
      undefined,
      undefined,
    ])
  })

  test('may be one of the ends where an interval is asked for', () => {
    expect([parseIdOrEdge('-'), parseIdOrEdge('+')]).toEqual([MIN_ID, MAX_ID])
  })
})
