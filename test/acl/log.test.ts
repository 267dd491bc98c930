import { expect, test } from 'vitest'
import { AclLog, type DeniedAttempt } from '../../src/acl/log.ts'

const REFUSAL: DeniedAttempt = {
  reason: 'command',
  context: 'toplevel',
  object: 'get',
  username: 'u',
  clientInfo: 'id=1',
}

function shown(log: AclLog): string[] {
  return log.entries.map(({ refusal, count }) => `${refusal.object}*${count}`)
}

test('what happens again within a minute is counted, and moves to the front', () => {
  const log = new AclLog(() => 128)
  log.add(REFUSAL, 0)
  log.add({ ...REFUSAL, object: 'set' }, 1_000)
  log.add({ ...REFUSAL, clientInfo: 'id=2' }, 60_000)
  expect(shown(log)).toEqual(['get*2', 'set*1'])
  expect(log.entries[0]?.refusal.clientInfo).toBe('id=2')
  log.add(REFUSAL, 120_001)
  expect(shown(log)).toEqual(['get*1', 'get*2', 'set*1'])
})

test.each<Partial<DeniedAttempt>>([
  { reason: 'auth' },
  { context: 'multi' },
  { object: 'set' },
  { username: 'v' },
])('a refusal with another %o is another entry', (difference) => {
  const log = new AclLog(() => 128)
  log.add(REFUSAL, 0)
  log.add({ ...REFUSAL, ...difference }, 0)
  expect(log.entries.length).toBe(2)
})

test('the oldest entries go when there are more than acllog-max-len', () => {
  let maxLength = 3
  const log = new AclLog(() => maxLength)
  for (const object of ['a', 'b', 'c', 'd']) log.add({ ...REFUSAL, object }, 0)
  expect(shown(log)).toEqual(['d*1', 'c*1', 'b*1'])
  maxLength = 0
  log.add({ ...REFUSAL, object: 'e' }, 0)
  expect(shown(log)).toEqual([])
})

test('a key of a megabyte takes a kilobyte of the log', () => {
  const log = new AclLog(() => 128)
  log.add({ ...REFUSAL, reason: 'key', object: 'k'.repeat(1024 * 1024) }, 0)
  expect(log.entries[0]?.refusal.object.length).toBe(1024)
})
