import { expect, test } from 'vitest'
import { parseSentinelConf } from '../../../src/config/sentinel-conf.ts'
import { parseSentinelYml } from '../../../src/config/sentinel-yml.ts'
import {
  nodeRole,
  redisConf,
  sentinelConf,
  sentinelYml,
} from '../../../src/engine/process/process-spec.ts'

const GROUP = {
  ...{ name: 'mymaster', master: 'n1', quorum: 2 },
  ...{ downAfterMs: 1_500, failoverTimeoutMs: 10_000, parallelSyncs: 3 },
  ...({ detection: 'ping', refusedAfterMs: 250, preFailoverHook: '' } as const),
}
const SENTINEL = { name: 's1', host: 'a', port: 26_380, joinsLater: false }
const addressOf = (): { host: string; port: number } => ({ host: '10.208.0.1', port: 6_379 })

test('Sentinels of both kinds get the same rules', () => {
  const yml = parseSentinelYml(sentinelYml(SENTINEL, [GROUP], addressOf), 'sentinel.yml')
  const paths = { folder: '/tmp', addressOf }
  const conf = parseSentinelConf(sentinelConf(SENTINEL, [GROUP], paths), 'sentinel.conf', [])
  if (!yml.ok || !conf.ok) throw new Error('both are read without a problem')
  // Groups made at run time are another matter: a sentinel.conf goes on like C Sentinel.
  expect(conf.value.core).toEqual({ ...yml.value.core, defaultDetection: 'ping' })
  expect(yml.value.core.groups[0]).toMatchObject({
    quorum: 2,
    downAfterMs: 1_500,
    parallelSyncs: 3,
  })
})

test('a folder with a blank in its name is one word of each file', () => {
  const folder = '/tmp/a blank'
  const node = {
    ...{ name: 'n1', host: 'a', port: 6_379, group: 'mymaster', replicaOf: undefined },
    ...{ joinsLater: false, directives: new Map<string, string>() },
  }
  const files = [
    redisConf(node, folder, addressOf),
    sentinelConf(SENTINEL, [GROUP], { folder, addressOf }),
  ]
  for (const file of files) expect(file).toContain('\ndir "/tmp/a blank"\n')
})

test('a replica follows its master, and what the file sets comes after the defaults', () => {
  const node = {
    ...{ name: 'n2', host: 'b', port: 6_379, group: 'mymaster', replicaOf: 'n1' },
    ...{ joinsLater: false, directives: new Map([['min-replicas-to-write', '1']]) },
  }
  const lines = redisConf(node, '/tmp/n2', addressOf).trim().split('\n')
  expect(lines.at(-1)).toBe('replicaof 10.208.0.1 6379')
  expect(lines.indexOf('min-replicas-to-write 1')).toBeGreaterThan(lines.indexOf('save ""'))
})

test('a node of ours may be asked for its digest, which a strict replica gives instead of its data', () => {
  const node = {
    ...{ name: 'n1', host: 'b', port: 6_379, group: 'mymaster', replicaOf: undefined },
    ...{ joinsLater: false, directives: new Map<string, string>() },
  }
  const topology = {
    ...{ groups: [], nodes: [node], sentinels: [], clients: [], liars: [], ways: [] },
    ...{
      password: undefined,
      latency: { baseMs: 0, jitterMs: 0 },
      zones: new Map<string, string>(),
    },
  }
  const role = nodeRole(node, '/tmp/n1', {
    ...{ against: 'vedette', topology, addressOf, hasBlackBox: false },
  })
  expect(role.files.get('redis.conf')).toContain('enable-debug-command yes\n')
})

test('the voters of a strict group are a list in the file of a Sentinel', () => {
  const text = sentinelYml(SENTINEL, [GROUP], addressOf, () => ({
    replication: 'strict',
    voters: ['10.208.0.1:6379', '10.208.0.2:6379', '10.208.0.3:6379'],
  }))
  const parsed = parseSentinelYml(text, 'sentinel.yml')
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join())
  expect(parsed.value.core.groups[0]).toMatchObject({
    replication: 'strict',
    voters: ['10.208.0.1:6379', '10.208.0.2:6379', '10.208.0.3:6379'],
  })
})
