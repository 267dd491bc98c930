/**
 * RDB payloads with every form of record we know, to be damaged by tests. Their checksum is the zero
 * that means `not computed`, so that damage reaches the parser and is not caught by the checksum.
 */
import { lzfCompress } from '../../src/server/rdb/lzf-compress.ts'
import { rdbLength, rdbString } from '../../src/server/rdb/rdb-encode.ts'

const NO_CHECKSUM = '\0'.repeat(8)

/** The type bytes and values inside DUMP payloads of redis-server 7.0.15. */
const DUMPED = [
  '000176',
  '00c13930',
  '00c3091e016161e01100016161',
  '120102101000000003008161020101f178ec03ff',
  '0b140400000003000000010000000200000070110100',
  '0201036162630a00'.slice(0, -4),
  '1114140000000400816102010181620283322e3504ff',
  '0502016200000000000004400161000000000000f03f',
  '1012120000000400816602817602816e026401ff',
  '040101660176',
  '13011000000000000003e800000000000000003232000000130002010001010181660200010201000100018276310304010001050101010201817802010181790202010801ff0243ed0143e800000002010167000081ffffffffffffffff0000',
].map((hex) => Buffer.from(hex, 'hex').toString('latin1'))

/** Forms that 7.0.15 does not write: older ones, newer ones. */
const CRAFTED = [
  '\x03\x02\x01a\x031.5\x01b\xfe',
  '\x09\x10\x02\x01f\x01\0v\x02gg\x02\x02ww..\xff',
  '\x0a\x0d\x0d\0\0\0\x0a\0\0\0\x01\0\0\xf4\xff',
  '\x0d\x11\x11\0\0\0\x0d\0\0\0\x02\0\0\x01f\x03\x01v\xff',
  '\x0e\x01\x0d\x0d\0\0\0\x0a\0\0\0\x01\0\0\xf4\xff',
  '\x14\x0a\x0a\0\0\0\x01\0\x81a\x02\xff',
  `\x18${'\0'.repeat(8)}\x01\0\x01f\x01v`,
  `\x19${'\0'.repeat(8)}\x0f\x0f\0\0\0\x03\0\x81f\x02\x81v\x02\0\x01\xff`,
  `\x01\x03\x01a${compressed('b'.repeat(5000))}${rdbString('c'.repeat(300))}`,
]

export function rdbSamples(): string[] {
  const records = [...DUMPED, ...CRAFTED]
  const withKey = (record: string, key: string) => record[0] + rdbString(key) + record.slice(1)
  const alone = records.map((record) => framed(withKey(record, 'key')))
  return [
    ...alone,
    framed(records.map((record, n) => `${prefix(n)}${withKey(record, `${n}`)}`).join('')),
  ]
}

function framed(records: string): string {
  const aux = `\xfa${rdbString('redis-ver')}${rdbString('7.0.15')}`
  const module = '\xf7\x81\x24\x12\x49\x3a\x50\x3a\x50\x03\x02\x02\x05\x03abc\0'
  const library = `\xf5${rdbString('#!lua name=library\n')}`
  return `REDIS0012${aux}${module}${library}\xfe\x01\xfb\x10\x02${records}\xff${NO_CHECKSUM}`
}

/** What may precede a key. */
function prefix(n: number): string {
  return ['', `\xfc${'\x01'.repeat(8)}`, '\xf9\x05', '\xf8\x0a', '\xfd\x01\x01\x01\x01'][
    n % 5
  ] as string
}

function compressed(text: string): string {
  const packed = lzfCompress(text) ?? ''
  return `\xc3${rdbLength(packed.length)}${rdbLength(text.length)}${packed}`
}
