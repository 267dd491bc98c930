/** A snapshot as commands: whoever carries them out has the same data. */
import { expect, test } from 'vitest'
import { LogReader } from '../../../src/server/aof/log-reader.ts'
import { NodeHarness } from '../../support/node-harness.ts'

const DIRECTIVES = { appendonly: 'yes', 'aof-use-rdb-preamble': 'no', save: '' }
const BASE = 'appendonlydir/appendonly.aof.2.base.aof'

function commandsIn(text: string): (readonly string[])[] {
  const reader = new LogReader()
  reader.push(text)
  const commands: (readonly string[])[] = []
  for (let step = reader.next(); step !== 'more'; step = reader.next()) {
    if ('kind' in step) throw new Error(step.reason)
    commands.push(step)
  }
  return commands
}

test('the base has every type and every database, and loads to the same', () => {
  const harness = new NodeHarness(DIRECTIVES)
  const client = harness.client()
  for (const line of [
    'set a 1 px 100000',
    'rpush l a b c',
    'select 3',
    'sadd s x y',
    'hset h f v g w',
    'zadd z 0.1 one -inf low inf high',
    'xadd x 5-1 k v',
    'xadd x 6-1 k v',
    'xgroup create x g 0',
    'xreadgroup group g c count 1 streams x >',
    'xgroup createconsumer x g idle',
    'xdel x 6-1',
  ]) {
    expect(client.say(line)).not.toMatch(/^-/)
  }
  const pending = client.say('xpending x g')
  client.say('bgrewriteaof')
  harness.advance(10)
  const lines = commandsIn(harness.files.read(BASE) as string).map((argv) => argv.join(' '))
  expect(lines).toEqual([
    ...['SELECT 0', 'SET a 1', `PEXPIREAT a ${1_700_000_100_000}`, 'RPUSH l a b c', 'SELECT 3'],
    ...['SADD s x y', 'HMSET h f v g w', 'ZADD z -inf low 0.10000000000000001 one inf high'],
    ...['XADD x 5-1 k v', 'XSETID x 6-1 ENTRIESADDED 2 MAXDELETEDID 6-1'],
    ...['XGROUP CREATE x g 5-1 ENTRIESREAD 1', 'XGROUP CREATECONSUMER x g c'],
    'XCLAIM x g c 0 5-1 TIME 1700000000000 RETRYCOUNT 1 JUSTID FORCE',
    'XGROUP CREATECONSUMER x g idle',
  ])
  const digest = client.say('debug digest')
  const again = new NodeHarness(DIRECTIVES, false, {}, harness.files).client()
  expect(again.say('debug digest')).toBe(digest)
  again.say('select 3')
  expect(again.say('xpending x g')).toBe(pending)
})

test('no command has more than 64 elements, and few when they are long', () => {
  const harness = new NodeHarness(DIRECTIVES)
  const client = harness.client()
  const many = Array.from({ length: 130 }, (_, index) => `item ${index}`)
  client.send('RPUSH', 'many', ...many)
  for (let index = 0; index < 3; index++) client.send('RPUSH', 'long', 'x'.repeat(600_000))
  client.say('bgrewriteaof')
  harness.advance(10)
  const commands = commandsIn(harness.files.read(BASE) as string)
  const sizes = commands.filter(([name]) => name === 'RPUSH').map((argv) => argv.length - 2)
  expect(sizes).toEqual([64, 64, 2, 2, 1])
})
