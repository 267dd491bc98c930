import { expect, test } from 'vitest'
import { crc64 } from '../../../src/server/rdb/crc64.ts'
import {
  PayloadTransfer,
  type TransferProgress,
} from '../../../src/server/replication/following/payload-transfer.ts'
import { emptyTables } from '../../support/key-tables.ts'

const BODY = 'REDIS0009\xfe\x00\x00\x01k\x01v\xff'
const RDB = BODY + crc64(BODY)
const MARK = '0123456789'.repeat(4)

function receive(chunks: Iterable<string>): TransferProgress {
  const transfer = new PayloadTransfer(emptyTables(16), 0)
  let progress: TransferProgress = { kind: 'more' }
  for (const chunk of chunks) progress = transfer.push(chunk)
  return progress
}

const GOOD = [
  { name: 'a payload of announced length', bytes: `$${RDB.length}\r\n${RDB}` },
  { name: 'a payload after newlines', bytes: `\n\r\n\n$${RDB.length}\r\n${RDB}` },
  { name: 'a payload with bytes after its end', bytes: `$${RDB.length + 3}\r\n${RDB}xyz` },
  { name: 'a payload closed by a mark', bytes: `\n$EOF:${MARK}\r\n${RDB}${MARK}` },
]

for (const { name, bytes } of GOOD) {
  test(`${name} is received whole, and what follows it is the stream`, () => {
    const progress = receive([`${bytes}*1\r\n`])
    expect(progress).toMatchObject({ kind: 'done', rest: '*1\r\n' })
    if (progress.kind === 'done') expect(progress.contents.dbs[0]?.has('k')).toBe(true)
  })
  test(`${name} is received byte by byte, and done with its last byte`, () => {
    expect(receive(bytes)).toMatchObject({ kind: 'done', rest: '' })
    expect(receive(bytes.slice(0, -1))).toEqual({ kind: 'more' })
  })
}

const BAD = [
  { name: 'an error', bytes: '-ERR no\r\n', reason: 'in place of a payload it sent: -ERR no' },
  { name: 'a negative length', bytes: '$-1\r\n', reason: 'in place of a payload it sent: $-1' },
  {
    name: 'a short mark',
    bytes: '$EOF:abc\r\n',
    reason: 'in place of a payload it sent: $EOF:abc',
  },
  {
    name: 'the wrong mark',
    bytes: `$EOF:${MARK}\r\n${RDB}${'x'.repeat(40)}`,
    reason: 'its payload does not end with the mark',
  },
  {
    name: 'a length that cuts the data',
    bytes: `$${RDB.length - 1}\r\n${RDB}`,
    reason: 'its payload is shorter than the data in it',
  },
  {
    name: 'damaged data',
    bytes: `$${RDB.length}\r\n${RDB.replace('v', 'w')}`,
    reason: 'its payload is damaged at byte 16: the checksum is wrong',
  },
  { name: 'an endless header', bytes: 'x'.repeat(2000), reason: 'its header is no line' },
]

for (const { name, bytes, reason } of BAD) {
  test(`${name} in place of a payload is said to be that`, () => {
    expect(receive([bytes])).toEqual({ kind: 'failed', reason })
  })
}
