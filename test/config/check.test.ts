import { expect, test } from 'vitest'
import { advise } from '../../src/config/check.ts'
import { formatProblem } from '../../src/config/problem.ts'
import { parseSentinelConf } from '../../src/config/sentinel-conf.ts'
import { parseSentinelYml } from '../../src/config/sentinel-yml.ts'

interface Options {
  readonly sentinels?: number
  readonly quorum?: number
  readonly group?: string
  readonly periods?: string
}

function adviceFor({ sentinels, quorum = 2, group = '', periods = '' }: Options): string[] {
  const count = sentinels === undefined ? '' : `sentinels: ${sentinels}`
  const parsed = parseSentinelYml(
    `${count}
groups: { g: { master: "127.0.0.1:6379", quorum: ${quorum}, ${group} } }
periods: { ${periods} }`,
    'f.yml',
  )
  if (!parsed.ok) throw new Error(parsed.problems.map(formatProblem).join('\n'))
  return advise(parsed.value).map((problem) => problem.code)
}

test('three Sentinels with a quorum of two are fine', () => {
  expect(adviceFor({ sentinels: 3 })).toEqual([])
  expect(adviceFor({ sentinels: 5, quorum: 3 })).toEqual([])
})

test('nothing is said about a number of Sentinels that is not known', () => {
  expect(adviceFor({ quorum: 9 })).toEqual([])
})

test('fewer than three Sentinels survive nothing', () => {
  expect(adviceFor({ sentinels: 2 })).toEqual(['W_FEW_SENTINELS'])
  expect(adviceFor({ sentinels: 1, quorum: 1 })).toEqual(['W_FEW_SENTINELS'])
})

test('an even number of Sentinels is one too many', () => {
  expect(adviceFor({ sentinels: 4, quorum: 3 })).toEqual(['W_EVEN_SENTINELS'])
})

test('a quorum may be out of reach, or above what the majority can do', () => {
  expect(adviceFor({ sentinels: 3, quorum: 4 })).toEqual(['W_QUORUM_UNREACHABLE'])
  expect(adviceFor({ sentinels: 3, quorum: 3 })).toEqual(['W_QUORUM_ABOVE_MAJORITY'])
})

test('a quorum of one lets a single Sentinel decide', () => {
  expect(adviceFor({ quorum: 1 })).toEqual(['W_QUORUM_ONE'])
  expect(adviceFor({ sentinels: 3, quorum: 1 })).toEqual(['W_QUORUM_ONE'])
})

test('down-after must leave room for two PINGs', () => {
  expect(adviceFor({ group: 'down-after: 199ms' })).toEqual(['W_DOWN_AFTER_SHORT'])
  expect(adviceFor({ group: 'down-after: 200ms' })).toEqual([])
  expect(adviceFor({ group: 'down-after: 150ms', periods: 'ping: 50ms' })).toEqual([])
})

test('failover-timeout must leave room for a few down-afters', () => {
  expect(adviceFor({ group: 'down-after: 10s, failover-timeout: 29s' })).toEqual([
    'W_FAILOVER_TIMEOUT_SHORT',
  ])
  expect(adviceFor({ group: 'down-after: 10s, failover-timeout: 30s' })).toEqual([])
})

test('no group is worth a word', () => {
  const parsed = parseSentinelYml('', 'f.yml')
  expect(parsed.ok && advise(parsed.value).map((problem) => problem.code)).toEqual(['W_NO_GROUP'])
})

test('what a sentinel.conf has learnt counts, and the advice points at its lines', () => {
  const parsed = parseSentinelConf(
    `sentinel monitor g 127.0.0.1 6379 5
sentinel parallel-syncs g 2
sentinel known-replica g 127.0.0.1 6380
sentinel known-replica g 127.0.0.1 6381
sentinel known-sentinel g 127.0.0.1 26380 ${'a'.repeat(40)}
`,
    's.conf',
  )
  expect(parsed.ok && advise(parsed.value).map(formatProblem)).toEqual([
    's.conf:5:1  sentinel known-sentinel g  2 of them cannot lose one and still elect a leader  (run three or more Sentinels)',
    's.conf:1:1  sentinel monitor g  5 of 2 Sentinels can never agree: no failover will happen  (use 2)',
    's.conf:2:1  sentinel parallel-syncs g  all 2 replicas may synchronise at the same time, and none can be read from  (use less than 2)',
  ])
})

test('a name that is announced is of no use to Sentinels that resolve none', () => {
  const codesOf = (text: string) => {
    const parsed = parseSentinelConf(`sentinel monitor g 127.0.0.1 1 2\n${text}`, 's.conf')
    return parsed.ok ? advise(parsed.value).map(({ code }) => code) : ['refused']
  }
  const name = 'sentinel announce-ip me.example\n'
  expect(codesOf(name)).toEqual(['W_NAME_ANNOUNCED'])
  expect(codesOf(`${name}sentinel resolve-hostnames yes\n`)).toEqual([])
  expect(codesOf('sentinel announce-ip 10.0.0.1\n')).toEqual([])
})
