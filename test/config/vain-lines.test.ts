import { expect, test } from 'vitest'
import { isUsual, nodeDirectives } from '../../src/cli/node-directives.ts'
import { UserLines } from '../../src/cli/node-users.ts'
import { NO_OUTSIDE } from '../../src/config/conf-outside.ts'
import { formatProblem } from '../../src/config/problem.ts'
import { parseRedisConf } from '../../src/config/redis-conf.ts'
import { vainLines } from '../../src/config/vain-lines.ts'
import { Settings } from '../../src/server/settings/settings.ts'

function told(text: string): string[] {
  const settings = new Settings()
  const load = nodeDirectives(settings, new UserLines(), NO_OUTSIDE)
  const { directives } = parseRedisConf(text, 'redis.conf', [], load)
  return vainLines(directives, isUsual(settings)).map(formatProblem)
}

test('what somebody has chosen is told line by line, with what does not happen', () => {
  expect(told('port 7000\nmaxmemory 1gb\nnotify-keyspace-events Ex\n')).toEqual([
    'redis.conf:2:1  maxmemory  has no effect on this data node: no key is evicted, and no write refused for memory',
    'redis.conf:3:1  notify-keyspace-events  has no effect on this data node: no keyspace notifications are sent',
  ])
})

test('what stands at its default is told in one line', () => {
  expect(told('tcp-backlog 511\nslowlog-max-len 128\nio-threads 4\n')).toEqual([
    'redis.conf:3:1  io-threads  has no effect on this data node: one thread does everything',
    'redis.conf  directives that stand at their defaults and have no effect on this data node: tcp-backlog, slowlog-max-len',
  ])
})

test('a file in which everything has an effect is not commented on', () => {
  expect(told('port 7000\nappendonly yes\n')).toEqual([])
})
