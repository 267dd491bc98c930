/** [rename-command] on a data node: what clients must call a command, and what files and replicas are told. */
import { expect, test } from 'vitest'
import { nodeDirectives } from '../../../src/cli/server/node-directives.ts'
import { UserLines } from '../../../src/cli/server/node-users.ts'
import { NO_OUTSIDE } from '../../../src/config/config-filesystem.ts'
import { parseRedisConf } from '../../../src/config/redis-conf.ts'
import { Settings } from '../../../src/server/settings/settings.ts'
import { NodeHarness } from '../../support/node-harness.ts'

/** Why the lines are refused. */
function read(text: string, settings = new Settings()): string[] {
  const load = nodeDirectives(settings, new UserLines(), NO_OUTSIDE)
  return parseRedisConf(text, 'redis.conf', [], load).problems.map(({ message }) => message)
}

function nodeWith(text: string): NodeHarness {
  const settings = new Settings()
  expect(read(text, settings)).toEqual([])
  return new NodeHarness({}, false, {}, undefined, undefined, settings)
}

const RENAMED = 'rename-command CONFIG secret\nrename-command FLUSHALL ""\nrename-command set put\n'

test('a renamed command answers to its new name alone, in either case', () => {
  const client = nodeWith(RENAMED).client()
  expect(client.say('PUT k v')).toBe('+OK\r\n')
  expect(client.say('put k w')).toBe('+OK\r\n')
  expect(client.say('SECRET GET maxmemory')).toContain('maxmemory')
  expect(client.say('SET k v')).toMatch(/^-ERR unknown command 'SET'/)
  expect(client.say('CONFIG GET maxmemory')).toMatch(/^-ERR unknown command 'CONFIG'/)
})

test('a command with an empty name is switched off', () => {
  const client = nodeWith(RENAMED).client()
  expect(client.say('FLUSHALL')).toMatch(/^-ERR unknown command 'FLUSHALL'/)
  expect(client.say('COMMAND INFO flushall')).toBe('*1\r\n$-1\r\n')
  expect(client.say('COMMAND LIST')).not.toContain('flushall')
})

test('scripts, transactions and pauses know the new names', () => {
  const harness = nodeWith(RENAMED)
  const [client, other] = [harness.client(), harness.client()]
  expect(client.send('EVAL', "return redis.call('put', 'k', 'v')", '0')).toBe('+OK\r\n')
  expect(client.send('EVAL', "return redis.pcall('set', 'k', 'v').err", '0')).toContain('Unknown')
  client.say('MULTI')
  expect(client.say('PUT k 1')).toBe('+QUEUED\r\n')
  expect(client.say('EXEC')).toBe('*1\r\n+OK\r\n')
  other.say('CLIENT PAUSE 100 WRITE')
  expect(client.say('PUT k 2')).toBe('')
  harness.advance(200)
  expect(client.take()).toBe('+OK\r\n')
})

test('replicas are told the own name, whatever theirs are', () => {
  const harness = nodeWith(RENAMED)
  const replica = harness.replica()
  harness.client().say('PUT k v')
  expect(replica.told()).toEqual(['SELECT 0', 'set k v'])
})

test('a line may name a command by the name that a line before gave it', () => {
  const client = nodeWith('rename-command get fetch\nrename-command fetch pick\n').client()
  expect(client.say('PICK k')).toBe('$-1\r\n')
  expect(client.say('FETCH k')).toMatch(/^-ERR unknown command/)
  expect(client.say('GET k')).toMatch(/^-ERR unknown command/)
})

test('a line that cannot be obeyed is refused in the words of Redis', () => {
  expect(read('rename-command nosuch x\n')).toEqual(['No such command in rename-command'])
  expect(read('rename-command get set\n')).toEqual(['Target command name already exists'])
  expect(read('rename-command get ""\nrename-command get x\n')).toEqual([
    'No such command in rename-command',
  ])
  expect(read('rename-command get\n')).toEqual(['Bad directive or wrong number of arguments'])
})

test('a command of Redis that is missing here can be switched off', () => {
  expect(read('rename-command MODULE ""\nrename-command CLUSTER ""\n')).toEqual([])
})
