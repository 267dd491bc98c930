import { expect, test } from 'vitest'
import { lzfDecompress } from '../../../src/server/rdb/lzf.ts'
import { readIntset, readListpack, readZiplist } from '../../../src/server/rdb/packed.ts'

function bytes(...codes: (number | string)[]): string {
  return codes.map((c) => (typeof c === 'string' ? c : String.fromCharCode(c))).join('')
}

function le32(value: number): string {
  return bytes(value & 255, (value >> 8) & 255, (value >> 16) & 255, value >>> 24)
}

/** Elements with their trailing lengths, framed as a listpack. */
function listpack(count: number, ...elements: string[]): string {
  const body = elements.join('')
  return `${le32(body.length + 7)}${bytes(count & 255, count >> 8)}${body}\xff`
}

function ziplist(count: number, ...elements: string[]): string {
  const body = elements.join('')
  const last = 10 + body.length - (elements.at(-1) ?? '').length
  return `${le32(body.length + 11)}${le32(last)}${bytes(count & 255, count >> 8)}${body}\xff`
}

test('a listpack keeps integers of every width and strings of every length form', () => {
  const long = 'x'.repeat(4096)
  const blob = listpack(
    9,
    bytes(5, 1),
    bytes(0x83, 'abc', 4),
    bytes(0xdf, 0xff, 2),
    bytes(0xe0 | 1, 0, 'y'.repeat(256), 2, 0x82),
    bytes(0xf0, le32(4096), long, 0x20, 0x85),
    bytes(0xf1, 0, 0x80, 3),
    bytes(0xf2, 0xff, 0xff, 0x7f, 4),
    bytes(0xf3, le32(0xffffffff), 5),
    bytes(0xf4, le32(0), le32(0x80000000), 9),
  )
  expect(readListpack(blob)).toEqual([
    '5',
    'abc',
    '-1',
    'y'.repeat(256),
    long,
    '-32768',
    '8388607',
    '-1',
    '-9223372036854775808',
  ])
})

test('a listpack whose count is unknown is walked to its end', () => {
  expect(readListpack(listpack(0xffff, bytes(5, 1)))).toEqual(['5'])
})

test('a listpack with an element followed by another length than its own is damaged', () => {
  const text = bytes(0xe0 | 1, 0, 'y'.repeat(256))
  expect(readListpack(listpack(2, bytes(5, 1), text + bytes(2, 0x82)))).toHaveLength(2)
  for (const length of [bytes(2, 0x83), bytes(3, 0x82), bytes(2, 2), bytes(0x82, 0x82)]) {
    expect(readListpack(listpack(2, bytes(5, 1), text + length))).toBeUndefined()
  }
  for (const length of [0, 2, 0x81, 0xf7]) {
    expect(readListpack(listpack(2, bytes(5, length), bytes(6, 1)))).toBeUndefined()
  }
})

test('a ziplist whose entries disagree about their lengths is damaged', () => {
  const [a, b] = [bytes(0, 1, 'a'), bytes(3, 1, 'b')]
  expect(readZiplist(ziplist(2, a, b))).toEqual(['a', 'b'])
  expect(readZiplist(ziplist(2, a, bytes(2, 1, 'b')))).toBeUndefined()
  expect(readZiplist(ziplist(2, a, bytes(254, le32(14), 1, 'b')))).toBeUndefined()
  expect(readZiplist(ziplist(1, b))).toBeUndefined()
  // The header names the second byte of the last entry as its beginning.
  const sound = ziplist(2, a, b)
  expect(readZiplist(`${sound.slice(0, 4)}${le32(14)}${sound.slice(8)}`)).toBeUndefined()
})

test('a ziplist keeps integers of every width and strings of every length form', () => {
  const blob = ziplist(
    8,
    bytes(0, 3, 'abc'),
    bytes(5, 0x41, 0, 'z'.repeat(256)),
    bytes(254, le32(259), 0x80, 0, 0, 0, 2, 'hi'),
    bytes(12, 0xc0, 0, 0x80),
    bytes(4, 0xf0, 0xff, 0xff, 0xff),
    bytes(5, 0xfe, 0x80),
    bytes(3, 0xf1),
    bytes(2, 0xfd),
  )
  expect(readZiplist(blob)).toEqual([
    'abc',
    'z'.repeat(256),
    'hi',
    '-32768',
    '-1',
    '-128',
    '0',
    '12',
  ])
})

test('an intset of each width gives its numbers', () => {
  expect(readIntset(bytes(le32(2), le32(2), 0xff, 0xff, 1, 0))).toEqual(['-1', '1'])
  expect(readIntset(bytes(le32(8), le32(1), le32(1), le32(1)))).toEqual(['4294967297'])
  expect(readIntset(bytes(le32(3), le32(0)))).toBeUndefined()
  expect(readIntset(bytes(le32(2), le32(2), 1, 0))).toBeUndefined()
})

test('an intset that does not ascend is damaged', () => {
  const of16 = (...numbers: string[]) => bytes(le32(2), le32(numbers.length), ...numbers)
  const of64 = (...halves: number[]) =>
    bytes(le32(8), le32(halves.length / 2), ...halves.map((half) => le32(half)))
  expect(readIntset(of16('\x01\0', '\x02\0'))).toEqual(['1', '2'])
  expect(readIntset(of16('\x02\0', '\x01\0'))).toBeUndefined()
  expect(readIntset(of16('\x01\0', '\x01\0'))).toBeUndefined()
  expect(readIntset(of16('\x01\0', '\xff\xff'))).toBeUndefined()
  // Two that are one double.
  expect(readIntset(of64(0, 0x7fffffff, 1, 0x7fffffff))).toHaveLength(2)
  expect(readIntset(of64(1, 0x7fffffff, 0, 0x7fffffff))).toBeUndefined()
})

test('a blob cut or changed anywhere is refused, not misread past its end', () => {
  const blob = listpack(2, bytes(0x83, 'abc', 4), bytes(5, 1))
  for (let end = 0; end < blob.length; end++)
    expect(readListpack(blob.slice(0, end))).toBeUndefined()
  const tooLong = blob.replace('\x83', '\x84')
  expect(readListpack(tooLong)).toBeUndefined()
})

test('a compressed copy may overlap what it writes', () => {
  expect(lzfDecompress('\x00a\x80\x00', 7)).toBe('aaaaaaa')
})

test('compressed data that say more, less or nonsense are refused', () => {
  expect(lzfDecompress('\x00a\x80\x00', 8)).toBeUndefined()
  expect(lzfDecompress('\x00a\x80\x00', 6)).toBeUndefined()
  expect(lzfDecompress('\x00a\x80\x05', 7)).toBeUndefined()
  expect(lzfDecompress('\x05a', 6)).toBeUndefined()
  expect(lzfDecompress('\xe0', 9)).toBeUndefined()
  expect(lzfDecompress('a', 2 ** 31)).toBeUndefined()
})
