import { expect, test } from 'vitest'
import type { Answer } from '../../../src/core/external-query.ts'
import { onInquired } from '../../../src/core/step.ts'
import { TestSentinel } from '../../support/sentinel-builder.ts'

/** The question that the command asked the program around the machine, answered. */
function answered(line: string, answer: Answer) {
  const sentinel = new TestSentinel()
  const client = sentinel.connect()
  expect(client.ask(line)).toBe('')
  const asked = sentinel.effects.find((effect) => effect.kind === 'inquire')
  if (asked?.kind !== 'inquire') throw new Error('it asked nothing')
  sentinel.run((turn) => onInquired(turn, asked.inquiry, answer))
  return { question: asked.question, reply: client.read() }
}

test('SENTINEL BLACK-BOX LIST names the segments, with the wall clock of this Sentinel', () => {
  const segments = [{ name: '00000001.vbb', bytes: 512, writtenAtMs: 1_700_000_000_001 }]
  const { question, reply } = answered('SENTINEL black-box list', { kind: 'listRecord', segments })
  expect(question).toEqual({ kind: 'listRecord' })
  expect(reply).toMatch(/^\*4\r\n\$13\r\nwall-clock-ms\r\n:\d+\r\n\$8\r\nsegments\r\n\*1\r\n/)
  expect(reply).toMatch(/\*3\r\n\$12\r\n00000001\.vbb\r\n:512\r\n:1700000000001\r\n$/)
})

test('SENTINEL BLACK-BOX READ gives a piece of a segment, as many bytes as a reply may hold by default', () => {
  const answer = { kind: 'readRecord', bytes: 'ab\0' } as const
  const { question, reply } = answered('SENTINEL BLACK-BOX READ 00000007.vbb 100', answer)
  expect(question).toMatchObject({ segment: '00000007.vbb', offset: 100, bytes: 1_048_576 })
  expect(reply).toBe('$3\r\nab\0\r\n')
  const short = answered('SENTINEL BLACK-BOX READ 00000007.vbb 0 12', answer)
  expect(short.question).toMatchObject({ offset: 0, bytes: 12 })
})

test('why there is no record is answered in words', () => {
  const failed = { kind: 'failed', reason: 'this Sentinel keeps no record' } as const
  const reply = '-NORECORD this Sentinel keeps no record\r\n'
  expect(answered('SENTINEL BLACK-BOX LIST', failed).reply).toBe(reply)
  expect(answered('SENTINEL BLACK-BOX READ 00000007.vbb 0', failed).reply).toBe(reply)
})

const MISTAKES: readonly (readonly [words: string, answer: string])[] = [
  ['ERASE', '-ERR syntax error\r\n'],
  ['LIST now', "-ERR wrong number of arguments for 'sentinel|black-box' command\r\n"],
  ['READ 1.vbb', "-ERR wrong number of arguments for 'sentinel|black-box' command\r\n"],
  ...['../1.vbb', '00000001.vbb/..', 'sentinel.state'].map(
    (name) =>
      [
        `READ ${name} 0`,
        '-ERR Invalid segment: a name that SENTINEL BLACK-BOX LIST gives\r\n',
      ] as const,
  ),
  ['READ 00000001.vbb -1', '-ERR Invalid offset: a number of bytes, 0 or more\r\n'],
  ['READ 00000001.vbb 0 0', '-ERR Invalid number of bytes: from 1 to 1048576\r\n'],
  ['READ 00000001.vbb 0 1048577', '-ERR Invalid number of bytes: from 1 to 1048576\r\n'],
]

for (const [words, answer] of MISTAKES) {
  test(`SENTINEL BLACK-BOX ${words} asks nothing of the disk`, () => {
    const sentinel = new TestSentinel()
    expect(sentinel.connect().ask(`SENTINEL BLACK-BOX ${words}`)).toBe(answer)
    expect(sentinel.effects.filter(({ kind }) => kind === 'inquire')).toEqual([])
  })
}

test('a user who may only ask for the master reads no record', () => {
  const users = [
    ['default', 'on', 'nopass', '&*', '-@all', '+sentinel|get-master-addr-by-name'],
  ] as const
  const client = new TestSentinel({ users }).connect()
  expect(client.ask('SENTINEL BLACK-BOX LIST')).toMatch(/^-NOPERM .*'sentinel\|black-box'/)
})
