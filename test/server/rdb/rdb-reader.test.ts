import fc from 'fast-check'
import { expect, test } from 'vitest'
import { crc64 } from '../../../src/server/rdb/crc64.ts'
import { lzfCompress } from '../../../src/server/rdb/lzf-compress.ts'
import { rdbLength, rdbString } from '../../../src/server/rdb/rdb-encode.ts'
import { type RdbProgress, RdbReader } from '../../../src/server/rdb/rdb-reader.ts'
import type { Value } from '../../../src/server/values/value.ts'
import { emptyTables } from '../../support/key-tables.ts'

function fromHex(hex: string): string {
  return Buffer.from(hex, 'hex').toString('latin1')
}

/** A payload with one key, `k`, from a type byte and an encoded value. */
function payload(record: string, magic = 'REDIS0010'): string {
  const body = `${magic}\xfe\x00${record[0]}\x01k${record.slice(1)}\xff`
  return body + crc64(body)
}

/** The type byte and value inside a DUMP payload: all but version and checksum. */
function dumped(hex: string): string {
  return payload(fromHex(hex).slice(0, -10))
}

function read(chunks: Iterable<string>): RdbProgress {
  const reader = new RdbReader(emptyTables(16), 0)
  let progress: RdbProgress = { kind: 'more' }
  for (const chunk of chunks) progress = reader.push(chunk)
  return progress
}

function plain(value: Value | undefined): unknown {
  switch (value?.type) {
    case 'string':
      return value.bytes
    case 'list':
      return [...value.items]
    case 'set':
      return new Set(value.members)
    case 'hash':
      if (value.expiries === undefined) return Object.fromEntries(value.fields)
      return { ...Object.fromEntries(value.fields), expiries: Object.fromEntries(value.expiries) }
    default:
      return undefined
  }
}

function loaded(progress: RdbProgress): unknown {
  if (progress.kind !== 'done') throw new Error(JSON.stringify(progress))
  return plain(progress.contents.dbs[0]?.get('k')?.value)
}

/** A listpack of the field f, its value v and no expiry, as a string. */
const TRIPLE = '\x0f\x0f\0\0\0\x03\0\x81f\x02\x81v\x02\0\x01\xff'

const CASES: { name: string; bytes: string; value: unknown }[] = [
  { name: 'a raw string', bytes: dumped('0001760a009108ceb219388ace'), value: 'v' },
  { name: 'an empty string', bytes: dumped('00000a005d9b5c400f7fa2da'), value: '' },
  { name: 'a 16-bit integer', bytes: dumped('00c139300a009d94ea2793fc08b9'), value: '12345' },
  { name: 'a negative 8-bit integer', bytes: dumped('00c0f90a005e26d130d7a242ab'), value: '-7' },
  {
    name: 'a compressed string',
    bytes: dumped('00c3091e016161e011000161610a0045737cbb2b647bbb'),
    value: 'a'.repeat(30),
  },
  {
    name: 'digits beyond 32 bits, which stay text',
    bytes: dumped('000a393939393939393939390a00d26ac299df53efd2'),
    value: '9999999999',
  },
  {
    name: 'a quicklist of listpacks',
    bytes: dumped('120102101000000003008161020101f178ec03ff0a00be747725a27199b2'),
    value: ['a', '1', '-5000'],
  },
  {
    name: 'an intset',
    bytes: dumped('0b1404000000030000000100000002000000701101000a0085d5c1065b1dd055'),
    value: new Set(['1', '2', '70000']),
  },
  {
    name: 'a plain set',
    bytes: dumped('0201036162630a00a3cbec4c8c2f31f0'),
    value: new Set(['abc']),
  },
  {
    name: 'a listpack hash',
    bytes: dumped('1012120000000400816602817602816e026401ff0a005414caec75fc291a'),
    value: { f: 'v', n: '100' },
  },
  {
    name: 'a plain hash',
    bytes: dumped('0401016601760a00adf24356b1860efc'),
    value: { f: 'v' },
  },
  { name: 'a plain list', bytes: payload('\x01\x02\x01a\x01b'), value: ['a', 'b'] },
  {
    name: 'a list with a node of one large element',
    bytes: payload('\x12\x01\x01\x05large'),
    value: ['large'],
  },
  {
    name: 'lengths in their longer forms',
    bytes: payload('\x00\x81\0\0\0\0\0\0\0\x03abc'),
    value: 'abc',
  },
  {
    name: 'a listpack set of a 7.2 master',
    bytes: payload('\x14\x0a\x0a\0\0\0\x01\0\x81a\x02\xff'),
    value: new Set(['a']),
  },
  {
    name: 'a ziplist list of a 6.2 master',
    bytes: payload('\x0e\x01\x0d\x0d\0\0\0\x0a\0\0\0\x01\0\0\xf4\xff'),
    value: ['3'],
  },
  {
    name: 'a zipmap hash of a 2.4 file, with unused bytes behind a value',
    bytes: payload('\x09\x10\x02\x01f\x01\0v\x02gg\x02\x02ww..\xff'),
    value: { f: 'v', gg: 'ww' },
  },
  {
    name: 'a ziplist hash of a 6.2 master',
    bytes: payload('\x0d\x11\x11\0\0\0\x0d\0\0\0\x02\0\0\x01f\x03\x01v\xff'),
    value: { f: 'v' },
  },
  {
    name: 'a compressed listpack',
    bytes: payload('\x10\xc3\x13\x12\x11\x12\0\0\0\x04\0\x81f\x02\x81v\x02\x81n\x02d\x01\xff'),
    value: { f: 'v', n: '100' },
  },
  {
    name: 'a plain hash of 7.4 in which no field expires',
    bytes: payload(`\x18${'\0'.repeat(8)}\x02\0\x01f\x01v\0\x01g\x01w`),
    value: { f: 'v', g: 'w' },
  },
  {
    name: 'a listpack hash of 7.4 in which no field expires',
    bytes: payload(`\x19${'\0'.repeat(8)}${TRIPLE}`),
    value: { f: 'v' },
  },
  {
    name: 'a plain hash of a release candidate of 7.4',
    bytes: payload('\x16\x01\0\x01f\x01v'),
    value: { f: 'v' },
  },
  {
    name: 'a listpack hash of a release candidate of 7.4',
    bytes: payload(`\x17${TRIPLE}`),
    value: { f: 'v' },
  },
  {
    name: 'a plain hash of 7.4 of which some fields expire, counted from the first that does',
    bytes: payload(
      `\x18\xe8\x03${'\0'.repeat(6)}\x03\x01\x01f\x01v\0\x01g\x01w\x81\0\0\0\x01\0\0\0\0\x01h\x01x`,
    ),
    value: { f: 'v', g: 'w', h: 'x', expiries: { f: 1000, h: 999 + 2 ** 32 } },
  },
  {
    name: 'a listpack hash of 7.4 of which a field expires',
    bytes: payload(`\x19\x05${'\0'.repeat(7)}${TRIPLE.replace('\0\x01\xff', '\x05\x01\xff')}`),
    value: { f: 'v', expiries: { f: 5 } },
  },
  {
    name: 'a plain hash of a release candidate of 7.4 of which a field expires',
    bytes: payload('\x16\x01\x05\x01f\x01v'),
    value: { f: 'v', expiries: { f: 5 } },
  },
  {
    name: 'a hash of Valkey 9.1 of which a field expires',
    bytes: payload(
      fromHex('1602016601767b409452a303000001670177ffffffffffffffff500064738ee43715632b').slice(
        0,
        -10,
      ),
      'VALKEY080',
    ),
    value: { f: 'v', g: 'w', expiries: { f: 4_000_000_000_123 } },
  },
  {
    name: 'a string in a payload without a checksum, as 2.4 wrote them',
    bytes: 'REDIS0002\xfe\0\0\x01k\x01v\xff',
    value: 'v',
  },
]

for (const { name, bytes, value } of CASES) {
  test(`${name} is read from one chunk`, () => {
    expect(loaded(read([bytes]))).toEqual(value)
  })
  test(`${name} is read byte by byte`, () => {
    expect(loaded(read(bytes))).toEqual(value)
  })
}

test('expiry, database, hints and unknown fields are understood', () => {
  const body =
    'REDIS0010' +
    '\xfa\x09redis-ver\x067.0.15' +
    '\xfa\x08used-mem\xc0\x01' +
    `\xfa\x07repl-id\x28${'a'.repeat(40)}` +
    '\xfa\x0brepl-offset\xc0\x2a' +
    '\xfe\x03\xfb\x02\x01' +
    '\xfc\x01\0\0\0\0\0\0\0\xf9\x05\x00\x01k\x01v' +
    '\xfd\x02\0\0\0\xf8\x0a\x00\x01l\x01w' +
    '\xf5\x07library' +
    '\xf4\x01\x02\x03' +
    '\xff'
  const progress = read([`${body}${crc64(body)}tail`])
  if (progress.kind !== 'done') throw new Error(JSON.stringify(progress))
  const { contents, rest } = progress
  expect([contents.dbs[3]?.get('k')?.expireAtMs, contents.dbs[3]?.get('l')?.expireAtMs]).toEqual([
    1, 2000,
  ])
  expect(
    contents.expires.map((keys) => [...keys.keys()]).filter((keys) => keys.length > 0),
  ).toEqual([['k', 'l']])
  expect(contents.aux).toEqual(
    new Map([
      ['redis-ver', '7.0.15'],
      ['repl-id', 'a'.repeat(40)],
      ['repl-offset', '42'],
    ]),
  )
  expect([contents.functions, rest]).toEqual([['library'], 'tail'])
})

test('what is known of the use of a key is handed on, each for its key alone', () => {
  const usage = {
    restored: ({ idleSeconds = 0, frequency = 0 }) => 1 + 10 * idleSeconds + 10_000 * frequency,
  }
  const reader = new RdbReader(emptyTables(16), 0, usage)
  const step = reader.push(
    `REDIS0010\xf8\x0a\0\x01k\x01v\xf9\x05\0\x01l\x01w\0\x01m\x01x\xff${'\0'.repeat(8)}`,
  )
  const entries = step.kind === 'done' ? [...(step.contents.dbs[0] ?? [])] : []
  expect(entries.map(([key, entry]) => [key, entry.usage])).toEqual([
    ['k', 101],
    ['l', 50_001],
    ['m', 1],
  ])
})

test('a key of which nothing is known counts as used when it is read', () => {
  let nowSeconds = 7
  const reader = new RdbReader(emptyTables(16), 0, { restored: () => nowSeconds })
  reader.push('REDIS0010\0\x01k\x01v')
  nowSeconds = 8
  const step = reader.push(`\0\x01l\x01w\xff${'\0'.repeat(8)}`)
  const entries = step.kind === 'done' ? [...(step.contents.dbs[0] ?? [])] : []
  expect(entries.map(([key, entry]) => [key, entry.usage])).toEqual([
    ['k', 7],
    ['l', 8],
  ])
})

test('eight zero bytes instead of a checksum are not checked', () => {
  expect(read([`REDIS0009\xff${'\0'.repeat(8)}`]).kind).toBe('done')
})

test('an empty collection is no key', () => {
  const progress = read([payload('\x01\x00')])
  expect(progress.kind === 'done' && progress.contents.dbs[0]?.size).toBe(0)
})

/** Nine letters of six bits and a version of ten, in eight bytes. */
function moduleId(name: string, version: number): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  let id = 0n
  for (const letter of name) id = id * 64n + BigInt(letters.indexOf(letter))
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(id * 1024n + BigInt(version))
  return bytes.toString('latin1')
}

test('data of a module that belong to no key are left out, and said to be', () => {
  const pieces =
    '\x02\x02\x01\x81\xff\xff\xff\xff\xff\xff\xff\xff\x03floa\x04doublefl\x05\x04text\0'
  const body = `REDIS0010\xf7\x81${moduleId('ReJSON-RL', 3)}${pieces}\xff`
  const progress = read(body + crc64(body))
  expect(progress).toMatchObject({
    kind: 'done',
    contents: { notices: ["data of module 'ReJSON-RL' (data version 3) were left out"] },
  })
})

test('a file that ends early is told where, and in the middle of what', () => {
  const reader = new RdbReader(emptyTables(16), 0)
  reader.push('REDIS0010\xfe\0\x01\x01k\x02\x01a')
  expect(reader.ended()).toEqual({
    kind: 'damaged',
    cause: 'damaged',
    offset: 17,
    text: "it ends early, in the value of key 'k'",
  })
})

const LONG = Array.from({ length: 30_000 }, (_, index) => `${index} of many, `).join('')

for (const form of [rdbString, compressedInBlocks]) {
  for (const chunkBytes of [1000, 65_536, 1 << 30]) {
    test(`a long string arrives whole in chunks of ${chunkBytes} (${form.name})`, () => {
      const bytes = payload(`\0${form(LONG)}`)
      const chunks: string[] = []
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        chunks.push(bytes.slice(at, at + chunkBytes))
      }
      expect(loaded(read(chunks)) === LONG).toBe(true)
    })
  }
}

/** Compressed as Redis would, in one string: blocks that refer to nothing before themselves are legal. */
function compressedInBlocks(text: string): string {
  let packed = ''
  for (let at = 0; at < text.length; at += 60_000) {
    packed += lzfCompress(text.slice(at, at + 60_000)) ?? ''
  }
  return `\xc3${rdbLength(packed.length)}${rdbLength(text.length)}${packed}`
}

const DAMAGED: { name: string; bytes: string; offset: number; text: string }[] = [
  { name: 'a wrong magic', bytes: 'RUBBISH00', offset: 0, text: 'this is not an RDB payload' },
  {
    name: 'a version from the future',
    bytes: 'REDIS0099',
    offset: 0,
    text: 'it has RDB version 99, and this node reads 1 to 12, and 80 of Valkey',
  },
  {
    name: "a version of Valkey's from the future",
    bytes: 'VALKEY081',
    offset: 0,
    text: 'it has RDB version 81, and this node reads 1 to 12, and 80 of Valkey',
  },
  {
    name: 'a version of Valkey under the name of Redis',
    bytes: 'REDIS0080',
    offset: 0,
    text: 'it has RDB version 80, and this node reads 1 to 12, and 80 of Valkey',
  },
  {
    name: 'a type of Redis that Valkey has not',
    bytes: payload(`\x18${'\0'.repeat(8)}\x01\0\x01f\x01v`, 'VALKEY080'),
    offset: 11,
    text: "in the value of key 'k': unknown type 24 of Valkey",
  },
  {
    name: 'a hash of Valkey with an expiry before all time',
    bytes: payload(`\x16\x01\x01f\x01v\xfe${'\xff'.repeat(7)}`, 'VALKEY080'),
    offset: 11,
    text: "in the value of key 'k': a hash with an expiry that is no moment",
  },
  {
    name: 'functions of a release candidate',
    bytes: 'REDIS0010\xf6',
    offset: 9,
    text: 'functions of a release candidate are not supported',
  },
  {
    name: 'an unknown type',
    bytes: payload('\x63\x00'),
    offset: 11,
    text: "in the value of key 'k': unknown type 99",
  },
  {
    name: 'a database this node does not have',
    bytes: 'REDIS0010\xfe\x20',
    offset: 9,
    text: 'it has a database 32, and databases is 16',
  },
  {
    name: 'a member twice',
    bytes: payload('\x02\x02\x01a\x01a'),
    offset: 11,
    text: "in the value of key 'k': a set with a member twice",
  },
  {
    name: 'a string longer than any',
    bytes: payload('\x00\x80\xff\xff\xff\xff'),
    offset: 11,
    text: "in the value of key 'k': a string of 4294967295 bytes is too long",
  },
  {
    name: 'a compressed string that announces more than it can hold',
    bytes: payload('\x00\xc3\x01\x80\x1d\0\0\0a'),
    offset: 11,
    text: "in the value of key 'k': compressed data do not decode",
  },
  {
    name: 'a listpack of the wrong length',
    bytes: payload('\x10\x07\x08\0\0\0\0\0\xff'),
    offset: 11,
    text: "in the value of key 'k': a damaged listpack",
  },
  {
    name: 'a value of a module',
    bytes: payload(`\x07\x81${moduleId('ReJSON-RL', 3)}\x02\x01\0`),
    offset: 11,
    text: "in the value of key 'k': a value of module 'ReJSON-RL' (data version 3) is not supported (type 7)",
  },
  {
    name: 'a packed field that expires at no moment',
    bytes: payload(
      `\x19${'\0'.repeat(8)}\x10\x10${TRIPLE.replace('\0\x01\xff', '\x81x\x02\xff').slice(2)}`,
    ),
    offset: 11,
    text: "in the value of key 'k': a hash with an expiry that is no moment",
  },
  {
    name: 'an empty list node',
    bytes: payload('\x12\x01\x01\0'),
    offset: 11,
    text: "in the value of key 'k': an empty list node",
  },
  {
    name: 'an empty packed list node',
    bytes: payload('\x0e\x01\0'),
    offset: 11,
    text: "in the value of key 'k': a damaged ziplist",
  },
  {
    name: 'more members than fit into a set',
    bytes: payload('\x02\x80\x10\0\0\x01'),
    offset: 11,
    text: "in the value of key 'k': 268435457 members are more than this node can hold",
  },
  {
    name: 'a key twice',
    bytes: 'REDIS0010\xfe\0\0\x01k\x01v\0\x01k\x01v',
    offset: 16,
    text: "key 'k' is in database 0 twice",
  },
  {
    name: 'a key of many bytes, of which the first are shown',
    bytes: `REDIS0010\xfe\0\x63\x40\x64\0'${'x'.repeat(98)}`,
    offset: 11,
    text: `in the value of key '\\x00\\x27${'x'.repeat(38)}…': unknown type 99`,
  },
]

for (const { name, bytes, offset, text } of DAMAGED) {
  test(`${name} is refused with its place`, () => {
    expect(read([bytes])).toMatchObject({ kind: 'damaged', offset, text })
  })
}

test('a payload with any one byte changed is never loaded as if it were right', () => {
  const bytes = dumped('120102101000000003008161020101f178ec03ff0a00be747725a27199b2')
  const body = bytes.length - 8
  for (let at = 0; at < body; at++) {
    for (const flip of [1, 0x80, 0xff]) {
      const changed = String.fromCharCode(bytes.charCodeAt(at) ^ flip)
      const progress = read([bytes.slice(0, at) + changed + bytes.slice(at + 1)])
      expect(progress.kind, `byte ${at}`).not.toBe('done')
    }
  }
})

test('a payload that ends early is never complete', () => {
  const bytes = dumped('1012120000000400816602817602816e026401ff0a005414caec75fc291a')
  for (let end = 0; end < bytes.length; end++) {
    expect(read([bytes.slice(0, end)]).kind).toBe('more')
  }
})

test('no input whatever makes the reader throw', () => {
  const bytes = fc.uint8Array({ maxLength: 64 }).map((a) => Buffer.from(a).toString('latin1'))
  fc.assert(
    fc.property(bytes, (tail) => {
      expect(['more', 'done', 'damaged']).toContain(read([`REDIS0010${tail}`]).kind)
    }),
    { numRuns: 2000 },
  )
})
