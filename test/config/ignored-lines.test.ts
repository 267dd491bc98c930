import { expect, test } from 'vitest'
import { isUsual, nodeDirectives } from '../../src/cli/server/node-directives.ts'
import { UserLines } from '../../src/cli/server/node-users.ts'
import { NO_OUTSIDE } from '../../src/config/config-filesystem.ts'
import { ignoredLines } from '../../src/config/ignored-lines.ts'
import { formatProblem } from '../../src/config/problem.ts'
import { parseRedisConf } from '../../src/config/redis-conf.ts'
import { Settings } from '../../src/server/settings/settings.ts'

function told(text: string): string[] {
  const settings = new Settings()
  const load = nodeDirectives(settings, new UserLines(), NO_OUTSIDE)
  const { directives } = parseRedisConf(text, 'redis.conf', [], load)
  return ignoredLines(directives, isUsual(settings)).map(formatProblem)
}

test('what somebody has chosen is told line by line, with what does not happen', () => {
  expect(told('port 7000\nio-threads 4\ncluster-enabled yes\n')).toEqual([
    'redis.conf:2:1  io-threads  has no effect on this data node: one thread does everything',
    'redis.conf:3:1  cluster-enabled  has no effect on this data node: it is no node of a cluster',
  ])
})

test('what stands at its default is told in one line', () => {
  expect(told('active-expire-effort 1\ncluster-node-timeout 15000\nio-threads 4\n')).toEqual([
    'redis.conf:3:1  io-threads  has no effect on this data node: one thread does everything',
    'redis.conf  directives that stand at their defaults and have no effect on this data node: active-expire-effort, cluster-node-timeout',
  ])
})

test('a file in which everything has an effect is not commented on', () => {
  expect(told('port 7000\nappendonly yes\n')).toEqual([])
})

test('a directive is commented on under its second name as under its first', () => {
  const second = told('cluster-slave-no-failover yes\nslave-lazy-flush yes\n')
  const first = told('cluster-replica-no-failover yes\nreplica-lazy-flush yes\n')
  expect(second).toHaveLength(2)
  expect(second).toEqual(first.map((line) => line.replaceAll('replica-', 'slave-')))
})
