/** Commands of a log, whole and byte by byte, and where a log is cut off whose end is missing. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { LogReader } from '../../../src/server/aof/log-reader.ts'

interface Read {
  readonly commands: readonly (readonly string[])[]
  readonly soundBytes: number
  readonly damage: { readonly offset: number; readonly reason: string } | undefined
}

function read(pieces: Iterable<string>, offset = 0): Read {
  const reader = new LogReader(offset)
  const commands: (readonly string[])[] = []
  for (const piece of pieces) {
    reader.push(piece)
    for (let step = reader.next(); step !== 'more'; step = reader.next()) {
      if ('kind' in step) {
        const { offset: at, reason } = step
        return { commands, soundBytes: reader.soundBytes, damage: { offset: at, reason } }
      }
      commands.push(step)
    }
  }
  return { commands, soundBytes: reader.soundBytes, damage: undefined }
}

const SET = encodeCommand(['SET', 'a', 'b\r\nc'])
const EMPTY = encodeCommand(['SET', '', ''])

describe.each([
  ['in one piece', (text: string) => [text]],
  ['byte by byte', (text: string) => [...text]],
])('%s', (_name, cut) => {
  test('commands are read between notes', () => {
    const text = `#TS:1700000000\r\n${SET}# anything\n${EMPTY}`
    expect(read(cut(text))).toEqual({
      commands: [
        ['SET', 'a', 'b\r\nc'],
        ['SET', '', ''],
      ],
      soundBytes: text.length,
      damage: undefined,
    })
  })

  test('a file without commands is sound', () => {
    expect(read(cut(''))).toEqual({ commands: [], soundBytes: 0, damage: undefined })
  })

  test('what begins and does not end is not sound', () => {
    for (let length = 1; length < SET.length; length++) {
      const { commands, soundBytes, damage } = read(cut(SET + SET.slice(0, length)))
      expect([commands.length, soundBytes, damage]).toEqual([1, SET.length, undefined])
    }
  })

  test('a note without an end is not sound, or the next command would be a part of it', () => {
    expect(read(cut(`${SET}#TS:17`)).soundBytes).toBe(SET.length)
  })

  test('a transaction without an end is not sound from its MULTI on', () => {
    const multi = encodeCommand(['multi'])
    const text = SET + multi + SET
    expect(read(cut(text)).soundBytes).toBe(SET.length)
    expect(read(cut(`${text}*1\r\n$4\r\nEX`)).soundBytes).toBe(SET.length)
    const exec = encodeCommand(['Exec'])
    expect(read(cut(text + exec)).soundBytes).toBe((text + exec).length)
  })

  test('a second MULTI does not begin another transaction', () => {
    const multi = encodeCommand(['MULTI'])
    const text = multi + SET + multi + SET
    expect(read(cut(text)).soundBytes).toBe(0)
  })

  test.each([
    ['an inline command', 'SET a b\r\n'],
    ['zeros, as a file system leaves them', '\0\0\0\0'],
    ['an empty command', '*0\r\n'],
    ['a negative number of words', '*-1\r\n'],
    ['a number of words that is none', '*x\r\n'],
    ['a line end that is none', '*1\n$4\r\nPING\r\n'],
    ['a word that is no bulk string', '*1\r\n+PING\r\n'],
    ['a negative length', '*1\r\n$-1\r\n'],
    ['a length beyond all bounds', '*1\r\n$600000000\r\n'],
    ['a word longer than it says', '*1\r\n$3\r\nPING\r\n'],
    ['a note without an end', `#${'x'.repeat(70_000)}`],
  ])('%s is damage, and is found where it begins', (_what, damaged) => {
    const { commands, damage } = read(cut(SET + damaged), 100)
    expect(commands).toHaveLength(1)
    expect(damage).toEqual({ offset: 100 + SET.length, reason: expect.any(String) })
  })
})

test('a number of words that cannot be is waited for, and costs nothing', () => {
  expect(read(['*2000000000\r\n$1\r\na\r\n'])).toEqual({
    commands: [],
    soundBytes: 0,
    damage: undefined,
  })
})

test('mutated logs are read to an end or to damage, and never beyond what is there', () => {
  const text = SET + encodeCommand(['MULTI']) + EMPTY + encodeCommand(['EXEC']) + SET
  const change = fc.tuple(fc.nat(text.length - 1), fc.integer({ min: 0, max: 255 }))
  fc.assert(
    fc.property(fc.array(change, { maxLength: 4 }), fc.nat(text.length), (changes, length) => {
      const chars = [...text]
      for (const [at, code] of changes) chars[at] = String.fromCharCode(code)
      const mutated = chars.join('').slice(0, length)
      const whole = read([mutated])
      expect(read([...mutated])).toEqual(whole)
      expect(whole.soundBytes).toBeLessThanOrEqual(mutated.length)
    }),
    { numRuns: 500 },
  )
})
