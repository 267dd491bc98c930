import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  LISTPACK_END,
  LISTPACK_FRAME_BYTES,
  type ListpackElement,
  listpackBytesOf,
  listpackElement,
  listpackHeader,
} from '../../../src/server/rdb/listpack-writer.ts'
import { readListpack } from '../../../src/server/rdb/packed.ts'

function listpack(elements: readonly ListpackElement[]): string {
  const bytes = elements.reduce<number>(
    (sum, each) => sum + listpackBytesOf(each),
    LISTPACK_FRAME_BYTES,
  )
  return (
    listpackHeader(bytes, elements.length) + elements.map(listpackElement).join('') + LISTPACK_END
  )
}

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const element = fc.oneof(
  int64,
  fc.integer(),
  int64.map(String),
  fc.string({ unit: 'binary-ascii' }),
)

test('what is written is read again, and takes the bytes it was said to take', () => {
  fc.assert(
    fc.property(fc.array(element, { maxLength: 30 }), (elements) => {
      for (const each of elements) expect(listpackElement(each)).toHaveLength(listpackBytesOf(each))
      expect(readListpack(listpack(elements))).toEqual(elements.map(String))
    }),
  )
})

// The forms of redis-server 7.0: each bound from both sides.
test.each([
  [0, '00 01'],
  ['127', '7f 01'],
  [128, 'c0 80 02'],
  [-1, 'df ff 02'],
  [4095, 'cf ff 02'],
  [-4096, 'd0 00 02'],
  [4096, 'f1 00 10 03'],
  [-4097, 'f1 ff ef 03'],
  [32768, 'f2 00 80 00 04'],
  [8388608, 'f3 00 00 80 00 05'],
  [2147483648, 'f4 00 00 00 80 00 00 00 00 09'],
  ['-9223372036854775808', 'f4 00 00 00 00 00 00 00 80 09'],
  ['', '80 01'],
  ['a', '81 61 02'],
  ['007', '83 30 30 37 04'],
  ['-0', '82 2d 30 03'],
  ['+1', '82 2b 31 03'],
])('%j is written as %s', (each, hex) => {
  expect(Buffer.from(listpackElement(each), 'latin1').toString('hex')).toBe(hex.replaceAll(' ', ''))
})

test('a number beyond 64 bits stays text', () => {
  expect(listpackElement('9223372036854775808').slice(0, 1)).toBe('\x93')
})

// A length of 14 or 21 bits all set already takes one byte more.
test.each([
  [127, 1],
  [128, 2],
  [16382, 2],
  [16383, 3],
  [2097150, 3],
  [2097151, 4],
])('behind %d bytes stand %d', (bytes, width) => {
  const header = bytes <= 64 ? 1 : bytes < 4098 ? 2 : 5
  const text = 'x'.repeat(bytes - header)
  expect(listpackElement(text)).toHaveLength(bytes + width)
  expect(readListpack(listpack([text, 'end']))).toEqual([text, 'end'])
})

test('more elements than the header can say are counted by the reader', () => {
  const many = Array.from({ length: 70_000 }, () => 1)
  expect(readListpack(listpack(many))).toHaveLength(70_000)
})
