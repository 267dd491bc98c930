import { describe, expect, test } from 'vitest'
import { encodeCommand, encodeReply } from '../../src/resp/encode.ts'
import {
  array,
  bulk,
  bulks,
  error,
  integer,
  list,
  NULL,
  NULL_ARRAY,
  type Reply,
  simple,
} from '../../src/resp/reply.ts'
import { ReplyWriter } from '../../src/resp/reply-writer.ts'

const double = (value: number): Reply => ({ kind: 'double', value })

const CASES: readonly (readonly [Reply, resp2: string, resp3: string])[] = [
  [simple('OK'), '+OK\r\n', '+OK\r\n'],
  [simple('a\r\nb'), '+a  b\r\n', '+a  b\r\n'],
  [error('ERR a\nb'), '-ERR a b\r\n', '-ERR a b\r\n'],
  [integer(-3), ':-3\r\n', ':-3\r\n'],
  [integer(2n ** 63n - 1n), ':9223372036854775807\r\n', ':9223372036854775807\r\n'],
  [bulk('a\r\n\xff'), '$4\r\na\r\n\xff\r\n', '$4\r\na\r\n\xff\r\n'],
  [NULL, '$-1\r\n', '_\r\n'],
  [NULL_ARRAY, '*-1\r\n', '_\r\n'],
  [array([]), '*0\r\n', '*0\r\n'],
  [array([integer(1), NULL]), '*2\r\n:1\r\n$-1\r\n', '*2\r\n:1\r\n_\r\n'],
  [{ kind: 'set', items: [integer(1)] }, '*1\r\n:1\r\n', '~1\r\n:1\r\n'],
  [{ kind: 'push', items: [integer(1)] }, '*1\r\n:1\r\n', '>1\r\n:1\r\n'],
  [
    { kind: 'map', entries: [[bulk('k'), integer(1)]] },
    '*2\r\n$1\r\nk\r\n:1\r\n',
    '%1\r\n$1\r\nk\r\n:1\r\n',
  ],
  [
    { kind: 'bulks', of: 'array', texts: ['a', undefined, ''] },
    '*3\r\n$1\r\na\r\n$-1\r\n$0\r\n\r\n',
    '*3\r\n$1\r\na\r\n_\r\n$0\r\n\r\n',
  ],
  [{ kind: 'bulks', of: 'set', texts: ['a'] }, '*1\r\n$1\r\na\r\n', '~1\r\n$1\r\na\r\n'],
  [
    { kind: 'bulks', of: 'map', texts: ['k', 'v'] },
    '*2\r\n$1\r\nk\r\n$1\r\nv\r\n',
    '%1\r\n$1\r\nk\r\n$1\r\nv\r\n',
  ],
  [list([1, 2], integer), '*2\r\n:1\r\n:2\r\n', '*2\r\n:1\r\n:2\r\n'],
  [double(1.5), '$3\r\n1.5\r\n', ',1.5\r\n'],
  [double(10), '$2\r\n10\r\n', ',10\r\n'],
  [double(Number.POSITIVE_INFINITY), '$3\r\ninf\r\n', ',inf\r\n'],
  [double(Number.NEGATIVE_INFINITY), '$4\r\n-inf\r\n', ',-inf\r\n'],
  [double(Number.NaN), '$3\r\nnan\r\n', ',nan\r\n'],
  [double(-0), '$2\r\n-0\r\n', ',-0\r\n'],
  [{ kind: 'boolean', value: true }, ':1\r\n', '#t\r\n'],
  [{ kind: 'boolean', value: false }, ':0\r\n', '#f\r\n'],
  [{ kind: 'bigNumber', digits: '123' }, '$3\r\n123\r\n', '(123\r\n'],
  [{ kind: 'verbatim', format: 'txt', text: 'a\nb' }, '$3\r\na\nb\r\n', '=7\r\ntxt:a\nb\r\n'],
]

describe.each(CASES)('%o', (reply, resp2, resp3) => {
  test('for a RESP2 client', () => expect(encodeReply(reply, 2)).toBe(resp2))
  test('for a RESP3 client', () => expect(encodeReply(reply, 3)).toBe(resp3))
})

describe('in pieces', () => {
  const pieces = (reply: Reply, protocol: 2 | 3, wanted: number): string[] => {
    const writer = new ReplyWriter(reply, protocol)
    const written: string[] = []
    while (!writer.isDone) written.push(writer.next(wanted))
    return written
  }

  test.each([1, 2, 7, 1000])('of %i bytes a reply is the same', (wanted) => {
    for (const [reply, resp2, resp3] of CASES) {
      expect(pieces(array([reply, reply]), 2, wanted).join('')).toBe(`*2\r\n${resp2}${resp2}`)
      expect(pieces(reply, 3, wanted).join('')).toBe(resp3)
    }
  })

  test('are as long as was asked for, or longer by an element', () => {
    const texts = Array.from({ length: 1000 }, (_, at) => `element ${at}`)
    const written = pieces(bulks(texts), 2, 500)
    expect(written.join('')).toBe(encodeReply(bulks(texts), 2))
    expect(Math.min(...written.slice(0, -1).map(({ length }) => length))).toBeGreaterThanOrEqual(
      500,
    )
    expect(Math.max(...written.map(({ length }) => length))).toBeLessThan(520)
  })

  test('a long value is cut, wherever it stands', () => {
    const value = 'x'.repeat(200_000)
    const reply = array([bulk(value), bulks(['a', value, 'b']), array([bulk(value)])])
    const written = pieces(reply, 2, 50_000)
    expect(written.join('')).toBe(encodeReply(reply, 2))
    expect(Math.max(...written.map(({ length }) => length))).toBeLessThan(50_100)
  })

  test('more than one string can hold is no harm', () => {
    const value = bulk('x'.repeat(200 * 1024 * 1024))
    const written = pieces(array([value, array([value]), value]), 2, 64 * 1024 * 1024)
    const length = written.reduce((sum, piece) => sum + piece.length, 0)
    expect(length).toBe(4 + 4 + 3 * 209_715_214)
  })

  test('a reply that fails in the middle leaves nothing to the next', () => {
    const show = (text: string): Reply => {
      if (text === '') throw new Error('gone')
      return bulk(text)
    }
    expect(() => pieces(list(['a secret', ''], show), 2, 1000)).toThrow('gone')
    expect(pieces(array([bulk('a')]), 2, 1000)).toEqual(['*1\r\n$1\r\na\r\n'])
  })

  test('what is kept for the rest is counted', () => {
    const writer = new ReplyWriter(bulks(['a'.repeat(50), 'b', 'c']), 2)
    const before = writer.keptBytes
    writer.next(40)
    expect(writer.keptBytes).toBeLessThan(before)
    writer.next(1000)
    expect([writer.keptBytes, writer.isDone]).toEqual([0, true])
  })
})

test('a command is an array of bulk strings', () => {
  expect(encodeCommand(['SET', 'k', ''])).toBe('*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$0\r\n\r\n')
})
