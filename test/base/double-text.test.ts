import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { doubleText, fixedText } from '../../src/base/double-text.ts'

describe('a double as %.17g', () => {
  // The right-hand sides are what printf of glibc writes.
  test.each([
    [0, '0'],
    [-0, '-0'],
    [3, '3'],
    [0.1, '0.10000000000000001'],
    [-0.3, '-0.29999999999999999'],
    [1e16, '10000000000000000'],
    [1e17 - 16, '99999999999999984'],
    [1e17, '1e+17'],
    [123456789012345680, '1.2345678901234568e+17'],
    [0.0001, '0.0001'],
    [0.00012345, '0.00012344999999999999'],
    [1e-5, '1.0000000000000001e-05'],
    [1.5e-7, '1.4999999999999999e-07'],
    [1e21, '1e+21'],
    [5e-324, '4.9406564584124654e-324'],
    [1.7976931348623157e308, '1.7976931348623157e+308'],
    [Number.POSITIVE_INFINITY, 'inf'],
    [Number.NEGATIVE_INFINITY, '-inf'],
    [Number.NaN, 'nan'],
  ])('%d', (value, text) => expect(doubleText(value)).toBe(text))

  test('rounds exact ties to the even digit', () => {
    expect(doubleText(1e15 + 0.25)).toBe('1000000000000000.2')
    expect(doubleText(1e15 + 0.75)).toBe('1000000000000000.8')
    expect(doubleText(-1e15 - 0.25)).toBe('-1000000000000000.2')
  })

  test('can be read back as the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(doubleText(value))).toBe(value)
      }),
    )
  })
})

describe('a double with fixed decimals', () => {
  test.each([
    [0.5, 0, '0'],
    [1.5, 0, '2'],
    [166274.1516, 4, '166274.1516'],
    [0.00005, 4, '0.0001'],
    [2 ** -18, 17, '0.00000381469726562'],
    [3 * 2 ** -18, 17, '0.00001144409179688'],
    [13.361389338970184, 17, '13.36138933897018433'],
    [1e22, 2, '10000000000000000000000.00'],
    [-0, 1, '-0.0'],
    [-1.25, 1, '-1.2'],
    [Number.NEGATIVE_INFINITY, 6, '-inf'],
  ])('%d to %d', (value, decimals, text) => expect(fixedText(value, decimals)).toBe(text))

  /** Thirty decimals are all that such a number has. */
  function rounded(value: number, decimals: number): string {
    const [whole = '', fraction = ''] = Math.abs(value).toFixed(30).split('.')
    const [all, unit] = [BigInt(whole + fraction), 10n ** BigInt(30 - decimals)]
    const [quotient, rest] = [all / unit, all % unit]
    const isUp = 2n * rest > unit || (2n * rest === unit && quotient % 2n === 1n)
    const digits = String(isUp ? quotient + 1n : quotient).padStart(decimals + 1, '0')
    const point = digits.length - decimals
    const sign = value < 0 || Object.is(value, -0) ? '-' : ''
    return sign + digits.slice(0, point) + (decimals === 0 ? '' : `.${digits.slice(point)}`)
  }

  test('is rounded to the even digit where it is a tie, and to the nearest elsewhere', () => {
    const number = fc.tuple(fc.integer({ min: -(2 ** 40), max: 2 ** 40 }), fc.nat(30))
    fc.assert(
      fc.property(number, fc.nat(20), ([numerator, halvings], decimals) => {
        const value = numerator / 2 ** halvings
        expect(fixedText(value, decimals)).toBe(rounded(value, decimals))
      }),
      { numRuns: 2_000 },
    )
  })
})
