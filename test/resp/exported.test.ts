/** `vedette/resp`, as a program from outside calls it: what is no byte string is refused in words, not written. */
import { describe, expect, test } from 'vitest'
import {
  encodeCommand,
  encodeReply,
  type Reply,
  ReplyDecoder,
  RequestDecoder,
} from '../../src/exports/resp.ts'

const bad = (value: unknown) => value as never

describe('encodeCommand', () => {
  test('writes numbers as clients do', () => {
    expect(encodeCommand(['SET', 'a', 5])).toBe('*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n5\r\n')
    expect(encodeCommand(['INCRBY', 'a', -12n])).toContain('$3\r\n-12\r\n')
  })

  test.each([
    [['SET', 'a', undefined], /word 2 is undefined, not a string or a number/],
    [['SET', 'a', null], /word 2 is null/],
    [['SET', 'a', true], /word 2 is true/],
    [['SET', 'a', Buffer.from('x')], /word 2 is a Buffer, .* use buffer\.toString\('latin1'\)/],
    [['SET', 'a', { b: 1 }], /word 2 is \{"b":1\}/],
    [['SET', 'a', '€'], /'€' is more than one byte; for text use Buffer\.from\(text\)/],
    ['PING', /takes an array/],
    [[], /takes an array/],
  ])('refuses %o', (argv, text) => {
    expect(() => encodeCommand(bad(argv))).toThrow(TypeError)
    expect(() => encodeCommand(bad(argv))).toThrow(text)
  })
})

describe('encodeReply', () => {
  test.each<[Reply, string]>([
    [{ kind: 'bulk', bytes: 'x' }, '$1\r\nx\r\n'],
    [{ kind: 'integer', value: 2n ** 63n - 1n }, ':9223372036854775807\r\n'],
    [
      { kind: 'map', entries: [[{ kind: 'simple', text: 'k' }, { kind: 'null' }]] },
      '*2\r\n+k\r\n$-1\r\n',
    ],
  ])('takes %o', (reply, bytes) => {
    expect(encodeReply(reply, 2)).toBe(bytes)
  })

  test.each([
    [undefined, /a reply has a kind, and got undefined/],
    ['OK', /a reply has a kind, and got "OK"/],
    [{ kind: 'none' }, /this kind is none of a reply, and got \{"kind":"none"\}/],
    [{ kind: 'bulk', bytes: 5 }, /bytes of bulk is a string/],
    [{ kind: 'integer', value: 1.5 }, /value of integer is a whole number/],
    [{ kind: 'integer', value: '5' }, /value of integer is a whole number/],
    [{ kind: 'array', items: [{ kind: 'bulk' }] }, /bytes of bulk is a string/],
    [{ kind: 'array' }, /items of array is an array/],
    [{ kind: 'bulk', bytes: '€' }, /more than one byte/],
  ])('refuses %o', (reply, text) => {
    expect(() => encodeReply(bad(reply), 2)).toThrow(TypeError)
    expect(() => encodeReply(bad(reply), 2)).toThrow(text)
  })

  test('refuses a protocol that is none', () => {
    expect(() => encodeReply({ kind: 'null' }, bad(4))).toThrow(/protocol 2 or 3, not 4/)
  })
})

test.each([
  ['ReplyDecoder', new ReplyDecoder()],
  ['RequestDecoder', new RequestDecoder()],
])('%s refuses a Buffer', (name, decoder) => {
  expect(() => decoder.push(bad(Buffer.from('+OK\r\n')))).toThrow(
    `${name}.push takes a latin1 string: use socket.setEncoding('latin1')`,
  )
})
