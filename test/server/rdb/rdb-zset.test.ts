import { describe, expect, test } from 'vitest'
import { TYPE } from '../../../src/server/rdb/rdb-format.ts'
import { type ParseDemand, RdbInput } from '../../../src/server/rdb/rdb-input.ts'
import { readZset } from '../../../src/server/rdb/rdb-zset.ts'
import type { Scored } from '../../../src/server/values/sorted-set.ts'

/** The elements, or what the reader demanded that it did not get. */
function read(type: number, bytes: string): Scored[] | undefined | ParseDemand {
  const input = new RdbInput()
  input.push(bytes)
  const step = readZset(input, type).next()
  if (step.done !== true) return step.value
  return step.value === undefined ? undefined : [...step.value.set]
}

function hex(text: string): string {
  return Buffer.from(text.replaceAll(' ', ''), 'hex').toString('latin1')
}

const TWO = [
  ['a', 1],
  ['b', 2.5],
]

describe('a sorted set is read', () => {
  // Packed and plain as DUMP of redis-server 7.0.15 gave them.
  test.each([
    ['from a listpack', TYPE.zsetListpack, '14140000000400816102010181620283322e3504ff'],
    ['with scores of eight bytes', TYPE.zset, '0201620000000000000440 0161000000000000f03f'],
    ['with scores as text, as before 4.0', TYPE.zsetText, '020161 0131 0162 03322e35'],
    [
      'from a ziplist, as before 7.0',
      TYPE.zsetZiplist,
      '18 18000000 12000000 0400 00 01 61 03 f2 02 01 62 03 03 322e35 ff',
    ],
  ])('%s', (_, type, bytes) => expect(read(type, hex(bytes))).toEqual(TWO))

  test('with infinities as text', () => {
    expect(read(TYPE.zsetText, '\x02\x01a\xfe\x01b\xff')).toEqual([
      ['b', Number.NEGATIVE_INFINITY],
      ['a', Number.POSITIVE_INFINITY],
    ])
  })

  test('and an empty one is no key', () => {
    expect(read(TYPE.zset, '\0')).toBeUndefined()
    expect(read(TYPE.zsetListpack, hex('07 070000000000ff'))).toBeUndefined()
  })
})

describe('damage is named', () => {
  test.each([
    ['twice', TYPE.zset, `\x02\x01a${'\0'.repeat(8)}\x01a${'\0'.repeat(8)}`, 'with a member twice'],
    ['NaN', TYPE.zset, `\x01\x01a${'\xff'.repeat(8)}`, 'with a score that is no number'],
    ['NaN as text', TYPE.zsetText, '\x01\x01a\xfd', 'with a score that is no number'],
    ['no number', TYPE.zsetText, '\x01\x01a\x03abc', 'with a score that is no number'],
    ['odd', TYPE.zsetListpack, hex('0a 0a00000001008161 02ff'), 'with a member without a score'],
    [
      'no number in a listpack',
      TYPE.zsetListpack,
      hex('0d 0d00000002008161028162 02ff'),
      'with a score that is no number',
    ],
  ])('%s', (_, type, bytes, words) => {
    expect(read(type, bytes)).toMatchObject({ kind: 'damage', text: `a sorted set ${words}` })
  })

  test('a listpack that is none', () => {
    expect(read(TYPE.zsetListpack, '\x03abc')).toMatchObject({ text: 'a damaged listpack' })
    expect(read(TYPE.zsetZiplist, '\x03abc')).toMatchObject({ text: 'a damaged ziplist' })
  })

  test('a count is not believed before the bytes are there', () => {
    expect(read(TYPE.zset, '\x80\x00\x0f\x42\x40\x01a')).toMatchObject({ kind: 'bytes' })
  })
})
