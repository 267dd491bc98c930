import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { crc64 } from '../../../src/server/rdb/crc64.ts'
import {
  LISTPACK_END,
  LISTPACK_FRAME_BYTES,
  type ListpackElement,
  listpackBytesOf,
  listpackElement,
  listpackHeader,
} from '../../../src/server/rdb/listpack-writer.ts'
import { type RdbProgress, RdbReader } from '../../../src/server/rdb/rdb-reader.ts'
import { rdbStream } from '../../../src/server/rdb/rdb-stream.ts'
import { StreamEntries } from '../../../src/server/values/stream.ts'
import { ConsumerGroup } from '../../../src/server/values/stream-group.ts'
import { parseId, streamId } from '../../../src/server/values/stream-id.ts'
import { emptyTables } from '../../support/key-tables.ts'
import { NodeHarness } from '../../support/node-harness.ts'
import { contentsOf } from '../../support/value-contents.ts'

/** What redis-server 7.0.15 dumped after XADD 1000-0 f v1; XADD 1005-1 x 1 y 2; XGROUP CREATE g 0. */
const DUMPED =
  '13011000000000000003e800000000000000003232000000130002010001010181660200010201000100018276310304' +
  '010001050101010201817802010181790202010801ff0243ed0143e800000002010167000081ffffffffffffffff0000'

const LIMITS = { maxBytes: 4096, maxEntries: 100 }

function read(record: string, chunk = record.length + 64): RdbProgress {
  const body = `REDIS0010\xfe\x00${record[0]}\x01k${record.slice(1)}\xff`
  const bytes = body + crc64(body)
  const reader = new RdbReader(emptyTables(16), 0)
  let progress: RdbProgress = { kind: 'more' }
  for (let at = 0; at < bytes.length; at += chunk)
    progress = reader.push(bytes.slice(at, at + chunk))
  return progress
}

function loaded(progress: RdbProgress): StreamEntries {
  if (progress.kind !== 'done') throw new Error(JSON.stringify(progress))
  const value = progress.contents.dbs[0]?.get('k')?.value
  if (value?.type !== 'stream') throw new Error('a stream was expected')
  return value.stream
}

function problemOf(record: string): string | undefined {
  const progress = read(record)
  return progress.kind === 'damaged' ? progress.text : undefined
}

function written(stream: StreamEntries): string {
  return `\x13${[...rdbStream({ type: 'stream', stream })].join('')}`
}

function contents(stream: StreamEntries): unknown {
  return contentsOf({ type: 'stream', stream })
}

function fromHex(hex: string): string {
  return Buffer.from(hex, 'hex').toString('latin1')
}

function listpack(elements: readonly ListpackElement[]): string {
  const bytes = elements.reduce<number>(
    (sum, each) => sum + listpackBytesOf(each),
    LISTPACK_FRAME_BYTES,
  )
  return (
    listpackHeader(bytes, elements.length) + elements.map(listpackElement).join('') + LISTPACK_END
  )
}

/** A length or a short string's length. */
function short(length: number): string {
  return String.fromCharCode(length)
}

function text(bytes: string): string {
  return short(bytes.length) + bytes
}

const ONE = streamId(1, 0)
/** One node with the entry 1-0, whose fields are `f`. */
const MASTER = [1, 0, 1, 'f', 0]
const ENTRY = [2, 0, 0, 'v', 4]

function nodeOf(elements: readonly ListpackElement[], id = ONE): string {
  return text(id) + text(listpack(elements))
}

const NODE = nodeOf([...MASTER, ...ENTRY])
/** Length 1, last id 1-0, first 1-0, nothing deleted, one added. */
const COUNTERS = '\x01\x01\x00\x01\x00\x00\x00\x01'
const TIME = '\x00'.repeat(8)

describe('what redis-server dumped', () => {
  test('is read, and written again byte for byte', () => {
    const stream = loaded(read(fromHex(DUMPED)))
    expect(contents(stream)).toMatchObject({
      entries: [
        ['1000-0', 'f', 'v1'],
        ['1005-1', 'x', '1', 'y', '2'],
      ],
      lastId: '1005-1',
      entriesAdded: 2n,
      groups: [['g', { lastId: '0-0', entriesRead: -1n }]],
    })
    expect(Buffer.from(written(stream), 'latin1').toString('hex')).toBe(DUMPED)
  })

  test('is read byte by byte', () => {
    expect(contents(loaded(read(fromHex(DUMPED), 1)))).toEqual(
      contents(loaded(read(fromHex(DUMPED)))),
    )
  })
})

describe('older and newer forms', () => {
  test('of 5.0 leave the counters to us', () => {
    const counters = '\x01\x01\x00'
    const group = `${text('g')}\x01\x00\x00\x00`
    const stream = loaded(read(`\x0f\x01${NODE}${counters}\x01${group}`))
    expect(contents(stream)).toMatchObject({
      entriesAdded: 1n,
      maxDeletedId: '0-0',
      groups: [['g', { lastId: '1-0', entriesRead: 1n }]],
    })
  })

  test('of 7.2 have one more time for each consumer', () => {
    const pending = `\x01${ONE}${TIME}\x03`
    const consumer = `\x01${text('c')}\x05${TIME.slice(1)}\x06${TIME.slice(1)}\x01${ONE}`
    const stream = loaded(
      read(`\x15\x01${NODE}${COUNTERS}\x01${text('g')}\x01\x00\x01${pending}${consumer}`),
    )
    expect(contents(stream)).toMatchObject({
      groups: [['g', { entriesRead: 1n, consumers: [['c', 5, [['1-0', 0, 3]]]] }]],
    })
  })

  test('with deleted entries keep their room and nothing else', () => {
    const deleted = [3, 1, 0, 'gone', 4]
    const node = nodeOf([1, 1, 1, 'f', 0, ...ENTRY, ...deleted])
    const stream = loaded(read(`\x13\x01${node}${COUNTERS}\x00`))
    expect([stream.length, stream.nodes[0]?.deletedCount]).toEqual([1, 1])
    expect(stream.nodes[0]?.bytes).toBe(listpack([1, 1, 1, 'f', 0, ...ENTRY, ...deleted]).length)
  })

  test('with nothing but deleted entries in a node are read without it', () => {
    const node = nodeOf([0, 1, 1, 'f', 0, 3, 0, 0, 'gone', 4])
    const stream = loaded(read(`\x13\x01${node}\x00\x01\x00\x00\x00\x01\x00\x01\x00`))
    expect([stream.length, stream.nodes.length]).toEqual([0, 0])
  })
})

const UNBELIEVABLE = '\x80\xff\xff\xff\xff'

const DAMAGED: readonly (readonly [claim: string, record: string, problem: string])[] = [
  ['a node whose id is too short', `\x01${text('short')}`, 'a stream node with a damaged id'],
  ['a broken listpack', `\x01${text(ONE)}${text('rubbish')}`, 'a damaged listpack'],
  ['a listpack that is not finished', `\x01${nodeOf([1, 0])}`, 'a damaged stream node'],
  ['more fields than there are', `\x01${nodeOf([1, 0, 99, 'f', 0])}`, 'a damaged stream node'],
  ['a node without fields', `\x01${nodeOf([0, 0, 0, 0])}`, 'a damaged stream node'],
  [
    'a count that is a word',
    `\x01${nodeOf(['x', 0, 1, 'f', 0, ...ENTRY])}`,
    'a damaged stream node',
  ],
  [
    'a count that is an empty word',
    `\x01${nodeOf([1, '', 1, 'f', 0, ...ENTRY])}`,
    'a damaged stream node',
  ],
  [
    'no zero behind the fields',
    `\x01${nodeOf([1, 0, 1, 'f', 7, ...ENTRY])}`,
    'a damaged stream node',
  ],
  ['too few entries', `\x01${nodeOf([2, 0, 1, 'f', 0, ...ENTRY])}`, 'a damaged stream node'],
  [
    'a wrong count of deleted ones',
    `\x01${nodeOf([1, 1, 1, 'f', 0, ...ENTRY])}`,
    'a damaged stream node',
  ],
  [
    'flags that do not exist',
    `\x01${nodeOf([...MASTER, 4, 0, 0, 'v', 4])}`,
    'a damaged stream node',
  ],
  [
    'an id that is a word',
    `\x01${nodeOf([...MASTER, 2, 'x', 0, 'v', 4])}`,
    'a damaged stream node',
  ],
  [
    'an entry of another length',
    `\x01${nodeOf([...MASTER, 2, 0, 0, 'v', 5])}`,
    'a damaged stream node',
  ],
  [
    'an entry cut short',
    `\x01${nodeOf([...MASTER, 0, 0, 0, 2, 'a', 'b'])}`,
    'a damaged stream node',
  ],
  ['an entry without fields', `\x01${nodeOf([...MASTER, 0, 0, 0, 0, 4])}`, 'a damaged stream node'],
  [
    'an entry twice',
    `\x01${nodeOf([2, 0, 1, 'f', 0, ...ENTRY, ...ENTRY])}`,
    'stream ids out of order',
  ],
  ['a node twice', `\x02${NODE}${NODE}`, 'stream ids out of order'],
  ['another length than it has', `\x01${NODE}\x02`, 'a stream with the wrong length'],
  [
    'an entry after its last id',
    `\x01${NODE}\x01\x00\x05`,
    'a stream with an entry after its last id',
  ],
  [
    'a group twice',
    `\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02${`${text('g')}\x00\x00\x00\x00\x00`.repeat(2)}`,
    'a stream with a group twice',
  ],
  [
    'an entry pending twice',
    `\x01${NODE}${COUNTERS}\x01${text('g')}\x00\x00\x00\x02${`${ONE}${TIME}\x01`.repeat(2)}`,
    'a pending stream entry twice in a group',
  ],
  [
    'an entry pending with nobody',
    `\x01${NODE}${COUNTERS}\x01${text('g')}\x00\x00\x00\x01${ONE}${TIME}\x01\x00`,
    'a pending stream entry without a consumer',
  ],
  [
    'an entry pending only with a consumer',
    `\x01${NODE}${COUNTERS}\x01${text('g')}\x00\x00\x00\x00\x01${text('c')}${TIME}\x01${ONE}`,
    'a stream entry pending with a consumer but not in its group',
  ],
  [
    'an entry pending with two consumers',
    `\x01${NODE}${COUNTERS}\x01${text('g')}\x00\x00\x00\x01${ONE}${TIME}\x01\x02` +
      `${text('c')}${TIME}\x01${ONE}${text('d')}${TIME}\x01${ONE}`,
    'a stream entry pending with a consumer but not in its group',
  ],
  [
    'a consumer twice',
    `\x01${NODE}${COUNTERS}\x01${text('g')}\x00\x00\x00\x00\x02${`${text('c')}${TIME}\x00`.repeat(2)}`,
    'a stream consumer twice in a group',
  ],
]

describe('a record is refused, with the reason, for', () => {
  test.each(DAMAGED)('%s', (_, record, problem) => {
    expect(problemOf(`\x13${record}`)).toBe(`in the value of key 'k': ${problem}`)
  })

  test.each([
    ['nodes', UNBELIEVABLE],
    ['groups', `\x01${NODE}${COUNTERS}${UNBELIEVABLE}`],
    ['pending entries', `\x01${NODE}${COUNTERS}\x01${text('g')}\x00\x00\x00${UNBELIEVABLE}`],
  ])('nothing yet, when it announces more %s than ever come', (_, record) => {
    const reader = new RdbReader(emptyTables(16), 0)
    expect(reader.push(`REDIS0010\x13\x01k${record}`).kind).toBe('more')
  })

  test('any damage there is, and never loaded as something else or with an exception', () => {
    const bytes = fromHex(DUMPED)
    const places = fc.nat(bytes.length - 2).map((at) => at + 1)
    fc.assert(
      fc.property(places, fc.nat(255), fc.boolean(), (at, code, isCut) => {
        const changed = bytes.slice(0, at) + String.fromCharCode(code) + bytes.slice(at + 1)
        expect(['more', 'done', 'damaged']).toContain(
          read(isCut ? bytes.slice(0, at) : changed).kind,
        )
      }),
      { numRuns: 1500 },
    )
  })
})

const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const words = fc.oneof(fc.string({ unit: 'binary-ascii' }), fc.integer().map(String))
const entry = fc.record({
  id: fc.tuple(fc.oneof(uint64, fc.bigInt({ min: 1n, max: 9n })), uint64),
  pairs: fc.array(fc.tuple(fc.oneof(fc.constant('f'), words), words), {
    minLength: 1,
    maxLength: 3,
  }),
})

function streamOf(
  entries: readonly { id: [bigint, bigint]; pairs: [string, string][] }[],
): StreamEntries {
  const stream = new StreamEntries()
  const group = new ConsumerGroup(streamId(3, 3), 5n)
  const consumer = group.addConsumer('c', 1_700_000_000_000)
  group.addConsumer('idle', 5)
  const sorted = entries
    .map(({ id: [ms, seq], pairs }) => ({ id: streamId(ms, seq), pairs: pairs.flat() }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  for (const { id, pairs } of sorted) {
    if (id <= stream.lastId) continue
    stream.append(id, pairs, { maxBytes: 200, maxEntries: 4 })
    group.assign(id, consumer, 1_700_000_000_000, 3)
  }
  for (const [at, { id }] of sorted.entries()) if (at % 3 === 0) stream.delete(id)
  stream.groups.set('g', group)
  stream.groups.set('', new ConsumerGroup(streamId(0, 0), -1n))
  return stream
}

test('what we write, we read: entries, counters, groups and consumers', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 40 }), (entries) => {
      const stream = streamOf(entries)
      expect(contents(loaded(read(written(stream))))).toEqual(contents(stream))
      expect(contents(stream.copy())).toEqual(contents(stream))
    }),
  )
})

test('an empty stream is a stream', () => {
  expect(loaded(read(written(new StreamEntries()))).length).toBe(0)
})

test('a running snapshot gets a stream as it was before its groups were read on', () => {
  const harness = new NodeHarness()
  const client = harness.client()
  for (let ms = 1; ms <= 300; ms++) client.say(`XADD s ${ms} f v`)
  client.say('XGROUP CREATE s g 0')
  client.say('XREADGROUP GROUP g c COUNT 10 STREAMS s >')
  const { keyspace } = harness.node
  const taken: string[] = []
  keyspace.serial++
  keyspace.beforeChange = (_db, _key, { value }) => {
    if (value.type === 'stream') taken.push(written(value.stream))
  }
  for (const line of ['XREADGROUP GROUP g c STREAMS s 0', 'XACK s g 1 2 3', 'XTRIM s MAXLEN 1']) {
    client.say(line)
  }
  const copy = loaded(read(taken[0] ?? ''))
  expect(taken).toHaveLength(1)
  expect([copy.length, copy.groups.get('g')?.pending.size]).toEqual([300, 10])
})

test('ids near the end of 64 bits survive', () => {
  const stream = new StreamEntries()
  for (const text of ['1-1', '9007199254740993-1', '18446744073709551615-18446744073709551615']) {
    stream.append(parseId(text) ?? '', ['f', 'v'], LIMITS)
  }
  expect(contents(loaded(read(written(stream))))).toMatchObject({
    entries: [
      ['1-1', 'f', 'v'],
      ['9007199254740993-1', 'f', 'v'],
      ['18446744073709551615-18446744073709551615', 'f', 'v'],
    ],
  })
})
