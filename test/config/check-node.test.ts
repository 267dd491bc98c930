import { expect, test } from 'vitest'
import { nodeDirectives } from '../../src/cli/server/node-directives.ts'
import { UserLines } from '../../src/cli/server/node-users.ts'
import { adviseNode } from '../../src/config/check-node.ts'
import { NO_OUTSIDE } from '../../src/config/config-filesystem.ts'
import { parseRedisConf } from '../../src/config/redis-conf.ts'
import { Settings } from '../../src/server/settings/settings.ts'

/** `file:line code` of all advice about a file, with these names in its `dir`. */
function advice(text: string, there: readonly string[] = []) {
  const settings = new Settings()
  const users = new UserLines()
  const load = nodeDirectives(settings, users, NO_OUTSIDE)
  const { directives, problems } = parseRedisConf(text, 'redis.conf', [], load)
  expect(problems).toEqual([])
  const isThere = (name: string) => there.includes(name)
  const found = adviseNode({
    ...{ file: 'redis.conf', lines: directives, settings },
    ...{ users: users.lines, isThere },
  })
  return found.map(({ line, code }) => [line, code])
}

test('an ordinary file gets no advice', () => {
  expect(advice('port 7000\n')).toEqual([])
  expect(
    advice('appendonly yes\nsave ""\n', ['dump.rdb', 'appendonlydir/appendonly.aof.manifest']),
  ).toEqual([])
})

test('a master that is no address and no name is pointed out', () => {
  expect(advice('port 1\nreplicaof [::1] 6379\n')).toEqual([[2, 'W_MASTER_ADDRESS']])
  expect(advice('slaveof 127.1 6379\n')).toEqual([[1, 'W_MASTER_ADDRESS']])
  for (const host of ['::1', '10.0.0.1', 'redis-0.redis', 'NO'])
    expect(advice(`replicaof ${host} ${host === 'NO' ? 'ONE' : 6379}\n`)).toEqual([])
})

test('a node that keeps nothing is pointed out', () => {
  expect(advice('port 7000\nsave ""\n')).toEqual([[2, 'W_KEEPS_NOTHING']])
})

test('a dump that will not be loaded is pointed out before the start', () => {
  expect(advice('appendonly yes\n', ['dump.rdb'])).toEqual([[1, 'W_DUMP_NOT_LOADED']])
  expect(advice('appendonly yes\n', ['dump.rdb', 'appendonlydir'])).toEqual([
    [1, 'W_DUMP_NOT_LOADED'],
  ])
  expect(advice('appendonly yes\n', ['dump.rdb', 'appendonly.aof'])).toEqual([])
  expect(advice('appendonly no\n', ['dump.rdb'])).toEqual([])
})

test('a masteruser without INFO is named with the rule to add', () => {
  const user = 'user copier on >pw -@all +psync +replconf +ping'
  const file = `masteruser copier\nmasterauth pw\n${user}`
  expect(advice(`${file}\n`)).toEqual([[1, 'W_GUARD_NEEDS_INFO']])
  expect(advice(`${file} +info\n`)).toEqual([])
  expect(advice(`${file}\nreplica-empty-master-guard no\n`)).toEqual([])
})

test('of a masteruser the file does not know nothing is said', () => {
  expect(advice('masteruser elsewhere\nmasterauth pw\n')).toEqual([])
})

test('what only a voter heeds is pointed out where the node is none', () => {
  const vain = 'min-sync-replicas 2\nsync-replication-timeout 100\n'
  expect(advice(`${vain}sync-replication no\n`)).toEqual([
    [1, 'W_NO_EFFECT'],
    [2, 'W_NO_EFFECT'],
  ])
  const voter = 'sync-replication yes\nappendonly yes\nappendfsync always\n'
  expect(advice(`${voter}${vain}`)).toEqual([])
})

test('a voter whose acknowledgements are in memory only is pointed out, and one that is never promoted', () => {
  const voter = 'sync-replication yes\nappendonly yes\nappendfsync always\n'
  expect(advice(voter)).toEqual([])
  expect(advice('sync-replication yes\n')).toEqual([[undefined, 'W_VOTER_IN_MEMORY']])
  expect(advice('sync-replication yes\nappendonly yes\nappendfsync everysec\n')).toEqual([
    [3, 'W_VOTER_IN_MEMORY'],
  ])
  expect(advice(`${voter}replica-priority 0\n`)).toEqual([[4, 'W_VOTER_NEVER_PROMOTED']])
})
