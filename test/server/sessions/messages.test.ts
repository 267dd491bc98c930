/** What a node says to people when somebody else chose the words: one line, and not a long one. */
import { expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { DataFiles } from '../../../src/sim/processes/data-files.ts'
import { NodeHarness } from '../../support/node-harness.ts'

const FOLDER = 'appendonlydir'

/** The last message of a node that starts on such a manifest, and such an increment. */
function refusal(name: string, increment: string): string {
  const files = new DataFiles()
  files.install(`${FOLDER}/appendonly.aof.manifest`, `file ${name} seq 1 type i\n`)
  files.install(`${FOLDER}/increment`, increment)
  const node = new NodeHarness({ appendonly: 'yes' }, false, {}, files)
  expect(node.exitStatus).toBe(1)
  return node.logs.at(-1) ?? ''
}

test('a manifest that names control characters breaks no line', () => {
  expect(refusal('"a\\nb\\x1b[2J"', '')).toContain(`/${FOLDER}/a\\x0ab\\x1b[2J is missing`)
})

test('a SELECT of anything but a number is told in one short line', () => {
  const text = refusal('increment', encodeCommand(['SELECT', `2\r\n${'x'.repeat(100_000)}`]))
  expect(text).toContain('selects database 2??xxx')
  expect(text.length).toBeLessThan(500)
})

test('a master cannot break a line, or write to a terminal', () => {
  const node = new NodeHarness({ save: '' })
  node.client().say('REPLICAOF 10.0.0.2 6379')
  node.advance(1)
  const ends = { remoteHost: '10.0.0.2', remotePort: 6379, localHost: '10.0.0.1', localPort: 1 }
  node.node.connected(node.now, -1, ends)
  node.node.received(node.now, -1, 'no\r \x1b]0;title\x07\r\n')
  expect(node.logs.at(-1)).toBe(
    'master 10.0.0.2:6379: no link: it answered PING with: no\\x0d \\x1b]0;title\\x07',
  )
})
