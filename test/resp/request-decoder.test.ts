import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeCommand } from '../../src/resp/encode.ts'
import { type Request, RequestDecoder } from '../../src/resp/request-decoder.ts'

function decode(chunks: Iterable<string>, decoder = new RequestDecoder()): Request[] {
  const requests: Request[] = []
  for (const chunk of chunks) {
    decoder.push(chunk)
    for (let request = decoder.next(); request !== undefined; request = decoder.next()) {
      requests.push(request)
    }
  }
  return requests
}

const command = (...argv: string[]): Request => ({ kind: 'command', argv })
const fault = (reason: string): Request => ({
  kind: 'protocolError',
  text: `ERR Protocol error: ${reason}`,
})
const HANG_UP: Request = { kind: 'hangUp' }
const LONG = 'a'.repeat(65_536)

const CASES: readonly (readonly [name: string, bytes: string, requests: readonly Request[]])[] = [
  ['a multibulk', '*2\r\n$3\r\nGET\r\n$1\r\nk\r\n', [command('GET', 'k')]],
  ['a pipeline', '*1\r\n$1\r\na\r\n*1\r\n$1\r\nb\r\n', [command('a'), command('b')]],
  ['an empty argument', '*2\r\n$1\r\na\r\n$0\r\n\r\n', [command('a', '')]],
  ['binary arguments', '*1\r\n$6\r\n\r\n\0\xff*1\r\n', [command('\r\n\0\xff*1')]],
  ['a long argument', `*1\r\n$65536\r\n${LONG}\r\n`, [command(LONG)]],
  [
    'two bytes after a bulk that nobody looks at',
    '*1\r\n$1\r\na##b\r\n',
    [command('a'), command('b')],
  ],
  ['a header that ends with CR and anything', '*1\rX$1\rYa\r\n', [command('a')]],
  ['an empty multibulk', '*0\r\n*1\r\n$1\r\na\r\n', [command('a')]],
  ['a negative multibulk', '*-1\r\n*-10\r\n*1\r\n$1\r\na\r\n', [command('a')]],
  ['inline with CRLF', 'PING\r\n', [command('PING')]],
  ['inline with LF', 'PING\n', [command('PING')]],
  ['inline with quotes', 'SET "a b" \'c\'\r\n', [command('SET', 'a b', 'c')]],
  ['inline with an empty word', '""\r\n', [command('')]],
  ['blank lines', '\n\r\n \r\nPING\n', [command('PING')]],
  [
    'inline between multibulks',
    '*1\r\n$1\r\na\r\nb\r\n*1\r\n$1\r\nc\r\n',
    [command('a'), command('b'), command('c')],
  ],
  ['the longest inline request', `${LONG}\n`, [command(LONG)]],
  ['POST', 'POST / HTTP/1.1\r\nPING\r\n', [HANG_UP]],
  ['Host:', 'PING\r\nhost: here\r\nPING\r\n', [command('PING'), HANG_UP]],
  ['POST as a multibulk', '*1\r\n$4\r\npost\r\n', [HANG_UP]],
  ['open quotes', 'PING "a\r\nPING\r\n', [fault('unbalanced quotes in request')]],
  ['a letter where a bulk begins', '*1\r\nfoo\r\n', [fault("expected '$', got 'f'")]],
  ['an empty line where a bulk begins', '*1\r\n\r\n', [fault("expected '$', got '\r'")]],
  ['a bulk without CRLF after it', '*2\r\n$1\r\na$1\r\nb\r\n', [fault("expected '$', got '\r'")]],
  ['a count that is no number', '*x\r\n', [fault('invalid multibulk length')]],
  ['an empty count', '*\r\n', [fault('invalid multibulk length')]],
  ['a count with a leading zero', '*01\r\n', [fault('invalid multibulk length')]],
  ['a count above 2^31-1', '*2147483648\r\n', [fault('invalid multibulk length')]],
  ['a count below all integers', '*-99999999999999999999\r\n', [fault('invalid multibulk length')]],
  ['a negative length', '*1\r\n$-1\r\n', [fault('invalid bulk length')]],
  ['a length above 512 MB', '*1\r\n$536870913\r\n', [fault('invalid bulk length')]],
  ['a huge length', '*1\r\n$99999999999999999999\r\n', [fault('invalid bulk length')]],
  ['an inline request without end', `${LONG}a`, [fault('too big inline request')]],
  ['an inline request that ends too late', `${LONG}a\r\n`, [fault('too big inline request')]],
  ['a count without end', `*${LONG}`, [fault('too big mbulk count string')]],
  ['a length without end', `*1\r\n$${LONG}`, [fault('too big bulk count string')]],
  ['nothing after a fault', '*x\r\n*1\r\n$1\r\na\r\n', [fault('invalid multibulk length')]],
  ['a request that is not complete', '*2\r\n$1\r\na\r\n$5\r\nb', []],
]

describe.each(CASES)('%s', (_name, bytes, requests) => {
  test('in one chunk', () => expect(decode([bytes])).toEqual(requests))
  test('byte by byte', () => expect(decode(bytes)).toEqual(requests))
})

test('short words are themselves, although many of them share a place among the known ones', () => {
  const letters = [...'abcdefghijklmnopqrst\0\xff']
  const words = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)))
  for (const word of [...words, ...words]) {
    expect(decode([encodeCommand(['SET', word, `${word}-end`])])).toEqual([
      command('SET', word, `${word}-end`),
    ])
  }
})

describe('before a password was shown', () => {
  const guarded = () => {
    const decoder = new RequestDecoder()
    decoder.isAuthenticated = false
    return decoder
  }
  const eleven = Array.from({ length: 11 }, () => 'x')

  test('ten arguments are the most', () => {
    const ten = eleven.slice(1)
    expect(decode([encodeCommand(ten)], guarded())).toEqual([command(...ten)])
    expect(decode([encodeCommand(eleven)], guarded())).toEqual([
      fault('unauthenticated multibulk length'),
    ])
  })

  test('16384 bytes are the most', () => {
    const most = 'x'.repeat(16_384)
    expect(decode([encodeCommand([most])], guarded())).toEqual([command(most)])
    expect(decode([encodeCommand(['x'.repeat(16_385)])], guarded())).toEqual([
      fault('unauthenticated bulk length'),
    ])
  })

  test('a password in the same pipeline lifts the limits', () => {
    const decoder = guarded()
    decoder.push(encodeCommand(['AUTH', 'secret']) + encodeCommand(eleven))
    decoder.next()
    decoder.isAuthenticated = true
    expect(decoder.next()).toEqual(command(...eleven))
  })
})

describe('limits', () => {
  test('proto-max-bulk-len is obeyed from the next header on', () => {
    const decoder = new RequestDecoder({ maxBulkBytes: 3 })
    expect(decode([encodeCommand(['abc'])], decoder)).toEqual([command('abc')])
    decoder.limits.maxBulkBytes = 2
    expect(decode([encodeCommand(['abc'])], decoder)).toEqual([fault('invalid bulk length')])
  })

  test('an inline command is a fault where none can be, a blank line is not', () => {
    const decoder = new RequestDecoder({ acceptsInline: false })
    expect(decode(['\n', encodeCommand(['a']), 'PING\r\n'], decoder)).toEqual([
      command('a'),
      fault('inline command where none can be'),
    ])
  })

  test('who sends more than may be pending is hung up on', () => {
    const decoder = new RequestDecoder({ maxPendingBytes: 100 })
    expect(decode(['*3\r\n$80\r\n', 'x'.repeat(80), '\r\n$80\r\n', 'xxxxx'], decoder)).toEqual([
      HANG_UP,
    ])
  })

  test('a gigabyte announced costs nothing', () => {
    const decoder = new RequestDecoder()
    expect(decode(['*1000000000\r\n$500000000\r\nabc'], decoder)).toEqual([])
    expect(decoder.pendingBytes).toBe(28)
  })

  test('who sends more while nobody reads is hung up on after what there was room for', () => {
    const decoder = new RequestDecoder({ maxPendingBytes: 50 })
    for (let i = 0; i < 4; i++) decoder.push(encodeCommand(['x'.repeat(10)]))
    expect(decode([''], decoder)).toEqual([
      command('x'.repeat(10)),
      command('x'.repeat(10)),
      HANG_UP,
    ])
  })
})

describe('consumed', () => {
  test('counts a request when it is returned, and not before', () => {
    const bytes = encodeCommand(['SET', 'k', 'v'])
    const decoder = new RequestDecoder()
    decoder.push(bytes + bytes)
    expect(decoder.consumed).toBe(0)
    decoder.next()
    expect(decoder.consumed).toBe(27)
    decoder.next()
    expect(decoder.consumed).toBe(54)
  })

  test('blank lines count with the request after them', () => {
    const decoder = new RequestDecoder()
    decode(['\n\n*0\r\n'], decoder)
    expect(decoder.consumed).toBe(0)
    decode(['\r\nPING\r\n\n'], decoder)
    expect(decoder.consumed).toBe(14)
    expect(decoder.pendingBytes).toBe(1)
  })

  test('does not depend on how the bytes were cut', () => {
    const decoder = new RequestDecoder()
    decode(`\n${encodeCommand(['a', 'b'.repeat(20)])}*1\r\n$1`, decoder)
    expect(decoder.consumed).toBe(1 + 4 + 7 + 27)
  })
})

test('a value of many megabytes in small chunks takes no time to speak of', () => {
  const value = 'x'.repeat(20_000_000)
  const bytes = encodeCommand(['SET', 'k', value])
  const chunks = Array.from({ length: Math.ceil(bytes.length / 1_000) }, (_, i) =>
    bytes.slice(i * 1_000, (i + 1) * 1_000),
  )
  expect(decode(chunks)).toEqual([command('SET', 'k', value)])
})

const bytesOf = (maxLength: number) =>
  fc.string({
    unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
    maxLength,
  })

test('any commands survive encoding, however the bytes are cut', () => {
  const argv = fc.array(bytesOf(30), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(fc.array(argv), fc.array(fc.nat(20)), (commands, cuts) => {
      const bytes = commands.map(encodeCommand).join('')
      expect(decode(cut(bytes, cuts))).toEqual(commands.map((words) => command(...words)))
    }),
  )
})

test('no input makes it throw, and cutting it differently gives the same requests', () => {
  const noise = fc
    .array(fc.oneof(bytesOf(8), fc.constantFrom('*', '$', '-1', '2', '\r\n', '"', 'PING')))
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(noise, (bytes) => {
      expect(decode(bytes)).toEqual(decode([bytes]))
    }),
  )
})

function cut(bytes: string, lengths: readonly number[]): string[] {
  const chunks: string[] = []
  let at = 0
  for (const length of [...lengths, bytes.length]) {
    chunks.push(bytes.slice(at, at + length))
    at += length
  }
  return chunks
}

const LONG_PIECE = 20_000
/** 100 000 characters, none of which stands where another could. */
const LONG_VALUE = Array.from({ length: 12_500 }, (_, at) => String(at).padStart(8, '.')).join('')

describe('a value that comes in long pieces', () => {
  const before = '*2\r\n$3\r\nGET\r\n$1\r\nk\r\n*3\r\n$3\r\nSET\r\n$1\r\nk\r\n'
  const bytes = `${before}$${LONG_VALUE.length}\r\n${LONG_VALUE}\r\n*1\r\n$4\r\nPING\r\n`
  const requests = [command('GET', 'k'), command('SET', 'k', LONG_VALUE), command('PING')]
  const end = bytes.indexOf(LONG_VALUE) + LONG_VALUE.length

  test.each([
    ['before its CRLF', end],
    ['within its CRLF', end + 1],
    ['after its CRLF', end + 2],
    ['before its last byte', end - 1],
    ['in the next request', end + 7],
  ])('is what was sent, with a cut %s', (_where, cut) => {
    const chunks: string[] = []
    for (let at = 0; at < cut; at += LONG_PIECE)
      chunks.push(bytes.slice(at, Math.min(cut, at + LONG_PIECE)))
    expect(decode([...chunks, bytes.slice(cut)])).toEqual(requests)
  })

  test('says how much of it is missing, and nothing when it is there', () => {
    const decoder = new RequestDecoder()
    expect(decode([bytes.slice(0, 50_000)], decoder)).toHaveLength(1)
    expect(decoder.awaitedBytes).toBe(end + 2 - 50_000)
    expect(decode([bytes.slice(50_000, end + 2)], decoder)).toHaveLength(1)
    expect(decoder.awaitedBytes).toBe(0)
  })

  test('is still what was sent if more comes before anybody reads on', () => {
    const decoder = new RequestDecoder()
    expect(decode([bytes.slice(0, 50_000)], decoder)).toHaveLength(1)
    decoder.push(bytes.slice(50_000, end + 2))
    expect(decoder.unfinished?.endsWith(`${LONG_VALUE}\r\n`)).toBe(true)
    expect(decode([bytes.slice(end + 2)], decoder)).toEqual(requests.slice(1))
  })
})
