/** Configurations that never end, or that no program could carry out. */
import { expect, test } from 'vitest'
import type { ConfOutside } from '../../src/config/config-filesystem.ts'
import { NO_OUTSIDE } from '../../src/config/config-filesystem.ts'
import { parseRedisConf } from '../../src/config/redis-conf.ts'
import { parseSentinelConf } from '../../src/config/sentinel-conf.ts'
import { parseSentinelYml } from '../../src/config/sentinel-yml.ts'

/** Whatever is included has so many lines of this kind, and a long comment. */
function includes(line: string, count: number): ConfOutside {
  const text = [...Array.from({ length: count }, () => line), `#${'x'.repeat(200_000)}`].join('\n')
  return { ...NO_OUTSIDE, include: () => ({ ok: true, files: [{ name: 'again.conf', text }] }) }
}

const INCLUDES = 'include again.conf\n'.repeat(100)

test('a file that includes itself a hundred times over does not take for ever', () => {
  const outside = includes('include again.conf', 100)
  const { problems } = parseRedisConf(INCLUDES, 'r.conf', [], () => undefined, [], outside)
  expect(problems.length).toBeGreaterThan(0)
  expect(problems.length).toBeLessThanOrEqual(1_000)
})

test('a configuration has so many lines and bytes at most, which is told once', () => {
  const outside = includes('port 1', 10)
  const { problems } = parseRedisConf(INCLUDES, 'r.conf', [], () => undefined, [], outside)
  const told = problems.filter(({ message }) => message.includes('at most 250000 lines and 16 MiB'))
  expect(told).toHaveLength(1)
})

test('no more than a thousand errors of a file are told', () => {
  const text = 'nonsense\n'.repeat(20_000)
  const redis = parseRedisConf(text, 'r.conf', [], () => 'odd')
  expect(redis.problems).toHaveLength(1_000)
  const sentinel = parseSentinelConf(text, 's.conf')
  expect(sentinel.ok ? 0 : sentinel.problems.length).toBe(1_000)
})

const MANY = Array.from({ length: 10_001 }, (_, at) => `g${at}`)

test('a Sentinel is given ten thousand groups at most, in both kinds of files', () => {
  const conf = (names: readonly string[]) =>
    names.map((name) => `sentinel monitor ${name} 10.0.0.1 6379 2\n`).join('')
  const yml = (names: readonly string[]) =>
    `groups:\n${names.map((name) => `  ${name}: { master: 10.0.0.1:6379, quorum: 2 }\n`).join('')}`
  expect(parseSentinelConf(conf(MANY.slice(1)), 's.conf').ok).toBe(true)
  for (const parsed of [
    parseSentinelConf(conf(MANY), 's.conf'),
    parseSentinelYml(yml(MANY), 's.yml'),
  ]) {
    expect(parsed.ok ? [] : parsed.problems).toMatchObject([
      {
        code: 'E_RANGE',
        message: 'one Sentinel watches at most 10000 groups',
        hint: 'let other Sentinels watch a part of them',
      },
    ])
  }
})
