import { expect, test } from 'vitest'
import { redisConf, sentinelYml } from '../../src/cli/up/config-files.ts'
import { readNodeInfo, readSentinelMaster } from '../../src/cli/up/facts.ts'
import { defaultRules, groupMeant, rulesOf } from '../../src/cli/up/rules.ts'
import { parseRedisConf } from '../../src/config/redis-conf.ts'
import { parseSentinelYml } from '../../src/config/sentinel-yml.ts'
import { Settings } from '../../src/server/settings/settings.ts'

const LAYOUT = {
  nodes: [7000, 7001].map((port, at) => ({ port, sourceAddress: `127.0.1.${at + 1}` })),
  sentinels: [7100, 7101, 7102].map((port, at) => ({ port, sourceAddress: `127.0.2.${at + 1}` })),
}

test('the sentinel.yml of a member says what the rules say', () => {
  const rules = { ...defaultRules(3), downAfterMs: 345 }
  const parsed = parseSentinelYml(sentinelYml(LAYOUT.sentinels[1]!, LAYOUT, rules), 'member.yml')
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  expect(rulesOf(parsed.value, 'mymaster')).toEqual(rules)
  expect(parsed.value).toMatchObject({ bindSourceAddr: '127.0.2.2', listen: { port: 7101 } })
})

test('of several groups in a file the demonstrated one counts, else the first', () => {
  const two = (name: string) => {
    const group = (port: number) => `{ master: "127.0.0.1:${port}", quorum: 2 }`
    const parsed = parseSentinelYml(`groups: { other: ${group(1)}, ${name}: ${group(2)} }`, 'f.yml')
    return parsed.ok ? groupMeant(parsed.value, 'mymaster')?.name : parsed.problems
  }
  expect([two('mymaster'), two('third')]).toEqual(['mymaster', 'other'])
})

test('the redis.conf of a replica is sound, and names its master', () => {
  const settings = new Settings()
  const load = (name: string, words: readonly string[]) => settings.load(name, words)
  const text = redisConf(LAYOUT.nodes[1]!, LAYOUT.nodes[0]!, '/tmp/a "folder"')
  expect(parseRedisConf(text, 'node.conf', [], load).problems).toEqual([])
  expect(settings.text('replicaof')).toBe('127.0.0.1 7000')
  expect(settings.text('bind-source-addr')).toBe('127.0.1.2')
  expect(settings.text('dir')).toBe('/tmp/a "folder"')
})

test('the quorum is the majority', () => {
  expect([1, 2, 3, 4, 5].map((sentinels) => defaultRules(sentinels).quorum)).toEqual([
    1, 2, 2, 3, 3,
  ])
})

test('a master and a replica are told apart by their INFO', () => {
  const master = '# Replication\r\nrole:master\r\nconnected_slaves:2\r\nmaster_repl_offset:10\r\n'
  expect(readNodeInfo(master)).toMatchObject({ role: 'master', offset: 10, replicas: 2 })
  const replica =
    'role:slave\r\nmaster_port:7000\r\nmaster_link_status:down\r\nslave_repl_offset:7\r\n'
  expect(readNodeInfo(replica)).toMatchObject({ follows: 7000, offset: 7, isInSync: false })
  expect(readNodeInfo('nonsense')).toBeUndefined()
})

test('a Sentinel says what it sees', () => {
  const fields = {
    port: '7001',
    'num-slaves': '2',
    'num-other-sentinels': '1',
    flags: 'master,s_down',
  }
  const info = '# Sentinel\r\nsentinel_masters:1\r\nsentinel_tilt:1\r\n'
  expect(readSentinelMaster(Object.entries(fields).flat(), info)).toEqual({
    master: 7001,
    replicas: 2,
    peers: 1,
    configEpoch: 0,
    flags: ['master', 's_down'],
    isTilted: true,
  })
})
