/** What clients from elsewhere are told of addresses, in both kinds of files. */
import { describe, expect, test } from 'vitest'
import { exportConf } from '../../src/config/export-conf.ts'
import { parseSentinelConf } from '../../src/config/sentinel-conf.ts'
import { parseSentinelYml } from '../../src/config/sentinel-yml.ts'

const CONF = 'sentinel monitor m 10.0.0.1 6379 2\n'
const TABLE = [
  ['203.0.113.0/24', '10.0.0.1:6379', '198.51.100.7:7001'],
  ['203.0.113.0/24', '10.0.0.2:6379', 'db.example.com:7002'],
  ['10.0.0.0/8', '10.0.0.1:6379', '10.0.0.1:6379'],
]

function yml(table: string) {
  const group = ['groups:', '  m:', '    master: 10.0.0.1:6379', '    quorum: 2']
  return parseSentinelYml([...group, `    client-addresses: ${table}`].join('\n'), 's.yml')
}

function fromConf(...lines: string[]) {
  const text = lines.map((line) => `sentinel client-addresses m ${line}\n`).join('')
  return parseSentinelConf(CONF + text, 's.conf')
}

const SOUND =
  '{"203.0.113.0/24": {"10.0.0.1:6379": "198.51.100.7:7001", "10.0.0.2:6379": "db.example.com:7002"}, "10.0.0.0/8": {"10.0.0.1:6379": "10.0.0.1:6379"}}'

test('sentinel.yml has a map of maps, sentinel.conf a line for each', () => {
  for (const parsed of [yml(SOUND), fromConf(...TABLE.map((words) => words.join(' ')))]) {
    expect(parsed.ok && parsed.value.core.groups[0]?.clientAddresses).toEqual(TABLE)
  }
})

test('redis-sentinel is not told, and a note says so', () => {
  const parsed = yml(SOUND)
  const exported = parsed.ok ? exportConf(parsed.value, undefined, 0) : undefined
  expect(exported?.ok && exported.text).not.toContain('client-addresses')
  expect(exported?.ok && exported.notes.join()).toContain('knows no client-addresses')
})

describe('a mistake is refused with its line and a way out', () => {
  test.each([
    ['{"203.0.113.0/24": "198.51.100.7:7001"}', 'E_TYPE', 'map from networks'],
    ['[]', 'E_TYPE', 'map from networks'],
    ['{"10.0.0.0/8": {}}', 'E_VALUE', 'no member is named for 10.0.0.0/8'],
    ['{"2001:db8::/32": {"10.0.0.1:6379": "x:1"}}', 'E_VALUE', 'IPv6'],
    ['{"10.0.0.0/8": {"a:1": "x:1"}, "10.1.0.0/16": {"a:1": "y:1"}}', 'E_VALUE', 'overlap'],
    ['{"10.0.0.0/8": {"10.0.0.1": "x:1"}}', 'E_VALUE', '"10.0.0.1" is no address of a member'],
  ])('%s in sentinel.yml', (table, code, message) => {
    const parsed = yml(table)
    const [problem] = parsed.ok ? [] : parsed.problems
    expect(problem).toMatchObject({ code, line: 5, message: expect.stringContaining(message) })
    expect(problem?.hint).not.toBe('')
  })

  test('in sentinel.conf', () => {
    const parsed = fromConf('10.0.0.0/8 a:1 x:1', '10.1.0.0/16 a:1 y:1')
    const problem = parsed.ok ? undefined : parsed.problems.at(-1)
    expect(problem).toMatchObject({ line: 3, message: expect.stringContaining('overlap') })
  })
})
