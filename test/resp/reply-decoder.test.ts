import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeReply } from '../../src/resp/encode.ts'
import {
  array,
  bulk,
  bulks,
  error,
  integer,
  NULL,
  NULL_ARRAY,
  type Reply,
  simple,
} from '../../src/resp/reply.ts'
import { type Malformed, ReplyDecoder } from '../../src/resp/reply-decoder.ts'

function decode(chunks: Iterable<string>, decoder = new ReplyDecoder()): (Reply | Malformed)[] {
  const replies: (Reply | Malformed)[] = []
  for (const chunk of chunks) {
    decoder.push(chunk)
    for (let reply = decoder.next(); reply !== undefined; reply = decoder.next()) {
      replies.push(reply)
    }
  }
  return replies
}

const bad = (text: string): Malformed => ({ kind: 'malformed', text })
const double = (value: number): Reply => ({ kind: 'double', value })
const map = (...entries: [Reply, Reply][]): Reply => ({ kind: 'map', entries })

const CASES: readonly (readonly [string, readonly (Reply | Malformed)[]])[] = [
  ['+OK\r\n', [simple('OK')]],
  ['-ERR no\r\n+\r\n', [error('ERR no'), simple('')]],
  [':0\r\n:-7\r\n:+7\r\n', [integer(0), integer(-7), integer(7)]],
  [':9223372036854775807\r\n', [integer(9223372036854775807n)]],
  ['$3\r\na\r\n\r\n', [bulk('a\r\n')]],
  ['$0\r\n\r\n$-1\r\n', [bulk(''), NULL]],
  ['*0\r\n*-1\r\n', [array([]), NULL_ARRAY]],
  ['*2\r\n$1\r\na\r\n*1\r\n:1\r\n', [array([bulk('a'), array([integer(1)])])]],
  ['*2\r\n*0\r\n*0\r\n', [array([array([]), array([])])]],
  ['_\r\n', [NULL]],
  [',1.5\r\n,inf\r\n,-inf\r\n,1e3\r\n', [1.5, Infinity, -Infinity, 1000].map(double)],
  [',nan\r\n', [double(Number.NaN)]],
  [
    '#t\r\n#f\r\n',
    [
      { kind: 'boolean', value: true },
      { kind: 'boolean', value: false },
    ],
  ],
  [
    '(-123456789012345678901234567890\r\n',
    [{ kind: 'bigNumber', digits: '-123456789012345678901234567890' }],
  ],
  ['!5\r\nERR a\r\n', [error('ERR a')]],
  ['=6\r\ntxt:hi\r\n', [{ kind: 'verbatim', format: 'txt', text: 'hi' }]],
  ['%1\r\n+a\r\n:1\r\n%0\r\n', [map([simple('a'), integer(1)]), map()]],
  ['~1\r\n:1\r\n', [{ kind: 'set', items: [integer(1)] }]],
  [
    '>2\r\n+a\r\n+b\r\n+OK\r\n',
    [{ kind: 'push', items: [simple('a'), simple('b')] }, simple('OK')],
  ],
  [
    '|1\r\n+ttl\r\n:3600\r\n*2\r\n|0\r\n:1\r\n|1\r\n+a\r\n+b\r\n:2\r\n',
    [array([integer(1), integer(2)])],
  ],
  ['\n\n+PONG\r\n\n', [simple('PONG')]],
  ['+OK\n+OK\r\n', [bad('line without CRLF')]],
  ['$1\r\nabc\r\n', [bad('bulk without CRLF')]],
  ['$-2\r\n', [bad('invalid bulk length')]],
  ['$99999999999\r\n', [bad('invalid bulk length')]],
  ['$01\r\n', [bad('invalid bulk length')]],
  ['*-2\r\n', [bad('invalid aggregate length')]],
  ['*9999999999\r\n', [bad('invalid aggregate length')]],
  ['%-1\r\n', [bad('invalid aggregate length')]],
  [':\r\n', [bad('invalid integer')]],
  [':1x\r\n', [bad('invalid integer')]],
  [',\r\n', [bad('invalid double')]],
  [',1.2.3\r\n', [bad('invalid double')]],
  ['#x\r\n', [bad('invalid boolean')]],
  ['_x\r\n', [bad('invalid null')]],
  ['(1.5\r\n', [bad('invalid big number')]],
  ['=2\r\nab\r\n', [bad('invalid verbatim string')]],
  ['HTTP/1.1 400\r\n', [bad('unknown type byte "H"')]],
  ['\r\n', [bad('unknown type byte "\\r"')]],
  ['*2\r\n:1\r\n\n', [bad('line without CRLF')]],
  [`+${'a'.repeat(70_000)}`, [bad('line too long')]],
  ['*1\r\n'.repeat(100_000), [bad('nested too deeply')]],
  ['%1\r\n'.repeat(100_000), [bad('nested too deeply')]],
  ['*2\r\n$5\r\nab', []],
]

describe.each(CASES)('%.40j', (bytes, replies) => {
  test('in one chunk', () => expect(decode([bytes])).toEqual(replies))
  test('byte by byte', () => expect(decode(bytes)).toEqual(replies))
})

test('32 aggregates may be nested, 33 may not', () => {
  expect(decode([`${'*1\r\n'.repeat(32)}:1\r\n`])[0]?.kind).toBe('array')
  expect(decode([`${'*1\r\n'.repeat(33)}:1\r\n`])[0]?.kind).toBe('malformed')
})

test('a gigabyte announced costs nothing', () => {
  expect(decode(['*1000000000\r\n$500000000\r\nabc'])).toEqual([])
})

test('a reply larger than allowed ends the decoding', () => {
  const decoder = new ReplyDecoder({ maxReplyBytes: 20 })
  expect(decode(['+OK\r\n*9\r\n', ':1\r\n'.repeat(5)], decoder)).toEqual([
    simple('OK'),
    bad('reply too large'),
  ])
})

test('what follows a reply can be taken as it is', () => {
  const decoder = new ReplyDecoder()
  decoder.push('+FULLRESYNC abc 1\r\n$9\r\nREDIS')
  expect(decoder.next()).toEqual(simple('FULLRESYNC abc 1'))
  expect(decoder.takeRest()).toBe('$9\r\nREDIS')
  expect(decoder.next()).toBeUndefined()
})

test('what follows can be taken even after it was looked at', () => {
  const decoder = new ReplyDecoder()
  decode(['+OK\r\n', '$9\r', '\nREDI', 'S'], decoder)
  expect(decoder.takeRest()).toBe('REDIS')
})

const bytesOf = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
})
const lineOf = bytesOf.map((text) => text.replace(/[\r\n]/g, ''))

const { reply: anyReply } = fc.letrec<{ reply: Reply }>((tie) => {
  const items = fc.array(tie('reply'), { maxLength: 4 })
  return {
    reply: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      lineOf.map(simple),
      lineOf.map(error),
      fc.oneof(fc.maxSafeInteger(), fc.bigInt(2n ** 60n, 2n ** 63n - 1n)).map(integer),
      bytesOf.map(bulk),
      fc.constant(NULL),
      fc.double().map(double),
      fc.boolean().map((value): Reply => ({ kind: 'boolean', value })),
      fc.bigInt().map((value): Reply => ({ kind: 'bigNumber', digits: String(value) })),
      bytesOf.map((text): Reply => ({ kind: 'verbatim', format: 'txt', text })),
      items.map(array),
      items.map((members): Reply => ({ kind: 'set', items: members })),
      items.map((members): Reply => ({ kind: 'push', items: members })),
      fc
        .array(fc.tuple(tie('reply'), tie('reply')), { maxLength: 3 })
        .map((entries) => map(...entries)),
    ),
  }
})

test('any reply survives RESP3, whole and byte by byte', () => {
  fc.assert(
    fc.property(anyReply, (reply) => {
      const bytes = encodeReply(reply, 3)
      expect(decode([bytes])).toEqual([reply])
      expect(decode(bytes)).toEqual([reply])
    }),
  )
})

test('what a RESP2 client gets is one reply, of kinds it knows', () => {
  const known = ['simple', 'error', 'integer', 'bulk', 'null', 'nullArray', 'array']
  fc.assert(
    fc.property(anyReply, (reply) => {
      const [first, ...others] = decode([encodeReply(reply, 2)])
      expect(others).toEqual([])
      expect(known).toEqual(expect.arrayContaining(kindsOf(first as Reply)))
    }),
  )
})

function kindsOf(reply: Reply): string[] {
  return reply.kind === 'array' ? ['array', ...reply.items.flatMap(kindsOf)] : [reply.kind]
}

test('no input makes it throw, and cutting it differently gives the same replies', () => {
  const token = fc.constantFrom('*', '$', '%', '|', '-1', '2', '\r\n', ':1\r\n', '+a\r\n', '\n')
  fc.assert(
    fc.property(fc.array(fc.oneof(token, bytesOf)), (parts) => {
      const bytes = parts.join('')
      expect(decode(bytes)).toEqual(decode([bytes]))
    }),
  )
})

test('a list of bulk strings is read in linear time', () => {
  const words = Array.from({ length: 100_000 }, (_, i) => `word-${i}`)
  expect(decode([encodeReply(bulks(words), 2)])).toEqual([array(words.map(bulk))])
})

test('values are counted with what their headers announce, and a reply with too many is none', () => {
  const read = (bytes: string) => {
    const decoder = new ReplyDecoder({ maxItems: 4 })
    decoder.push(bytes)
    return decoder.next()
  }
  expect(read('*4\r\n:1\r\n:2\r\n:3\r\n:4\r\n')).toMatchObject({ kind: 'array' })
  for (const bytes of ['*5\r\n', '%3\r\n', '*2\r\n*2\r\n:1\r\n:2\r\n*1\r\n', '|3\r\n']) {
    expect(read(bytes)).toEqual({ kind: 'malformed', text: 'more than 4 values in one reply' })
  }
})

test('values are counted anew for each reply, and other limits hold from the next one on', () => {
  const decoder = new ReplyDecoder({ maxItems: 2 })
  decoder.push('*2\r\n:1\r\n:2\r\n'.repeat(3))
  for (let at = 0; at < 3; at++) expect(decoder.next()).toMatchObject({ kind: 'array' })
  decoder.allow({ maxBulkBytes: 1, maxReplyBytes: 100, maxNesting: 1, maxItems: 1 })
  decoder.push('$2\r\n')
  expect(decoder.next()).toMatchObject({ kind: 'malformed', text: 'invalid bulk length' })
})
