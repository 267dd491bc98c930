/** LEDGER: the ledgers of a node over the wire. */
import { expect, test } from 'vitest'
import { encodeReply } from '../../../src/resp/encode.ts'
import { ReplicationWorld } from '../../support/replication-harness.ts'

const NAME = 'lost-writes-aaaaaaaa-1042-1700000000123.ledger'
const FILES = [
  [NAME, '0123456789'],
  ['temp-lost-writes-1.ledger', 'unfinished'],
  ['dump.rdb.1', 'secret'],
] as const

/** What a node with these files answers, as bytes. */
function ask(...words: readonly string[]): string {
  const node = new ReplicationWorld().node({ save: '' })
  for (const [path, bytes] of FILES) node.files.install(path, bytes)
  return encodeReply(node.call('LEDGER', ...words), 2)
}

test('LEDGER LIST names those that are complete, with their sizes', () => {
  expect(ask('LIST')).toBe(`*1\r\n*2\r\n$${NAME.length}\r\n${NAME}\r\n:10\r\n`)
})

test('LEDGER READ gives a piece, a shorter one where the ledger ends, and nothing behind it', () => {
  expect(ask('READ', NAME, '2', '3')).toBe('$3\r\n234\r\n')
  expect(ask('read', NAME, '8', '100')).toBe('$2\r\n89\r\n')
  expect(ask('READ', NAME, '10')).toBe('$0\r\n\r\n')
  expect(ask('READ', NAME, '0')).toBe('$10\r\n0123456789\r\n')
})

const NO_LEDGER = '-ERR There is no such ledger: LEDGER LIST names them\r\n'

test.each([
  [NO_LEDGER, ['READ', 'dump.rdb.1', '0']],
  [NO_LEDGER, ['READ', `../${NAME}`, '0']],
  [NO_LEDGER, ['READ', NAME.replace('1042', '9'), '0']],
  ['-ERR Invalid offset: a number of bytes, 0 or more\r\n', ['READ', NAME, '-1']],
  ['-ERR Invalid number of bytes: from 1 to 1048576\r\n', ['READ', NAME, '0', '1048577']],
  ['-ERR syntax error\r\n', ['READ', NAME]],
  ['-ERR syntax error\r\n', ['LIST', 'all']],
])('%s: %s', (text, words) => expect(ask(...words)).toBe(text))
