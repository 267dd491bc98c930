/** How long clients wait at most, at the borders of what Redis takes: 2^63 - 1 ms, and the smallest of its long doubles. */
import { describe, expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'

const MAX = '9223372036854775807'

/** What the client has been told at once, and an hour later. */
function told(command: string): [string, string] {
  const node = new NodeHarness({ appendonly: 'yes', save: '' })
  const client = node.client()
  const atOnce = client.say(command)
  node.advance(3_600_000)
  return [atOnce, client.take()]
}

describe('a time-out', () => {
  test.each([
    `WAIT 1 ${MAX}`,
    `WAIT ${MAX} ${MAX}`,
    'WAIT 1 9007199254740993',
    `WAITAOF 0 1 ${MAX}`,
    `WAITAOF 0 ${MAX} 0`,
    `XREAD BLOCK ${MAX} STREAMS x $`,
    'BLPOP none 9223372036854775',
    'BLPOP none 9223372036854775.807',
  ])('of %s is waited for', (command) => {
    expect(told(command)).toEqual(['', ''])
  })

  test('of less than a millisecond is one', () => {
    expect(told('BLPOP none 1e-400')).toEqual(['', '*-1\r\n'])
  })

  test.each([
    ['WAIT 1 9223372036854775808', '-ERR timeout is not an integer or out of range\r\n'],
    ['BLPOP none 9223372036854775.808', '-ERR timeout is negative\r\n'],
    ['BLPOP none inf', '-ERR timeout is negative\r\n'],
  ])('of %s is refused', (command, reply) => {
    expect(told(command)).toEqual([reply, ''])
  })
})
