/** A file that the Sentinel of Valkey 9.1.2 has rewritten, with other ports and folders: nothing in it is lost or misread. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { utf8Bytes } from '../../src/base/utf8.ts'
import { parseSentinelConf } from '../../src/config/sentinel-conf.ts'

const FILE = new URL('testdata/sentinel-valkey-9.1.conf', import.meta.url)
const HOST = '127.0.0.1'

function parsed() {
  const result = parseSentinelConf(readFileSync(FILE, 'latin1'), 'sentinel.conf')
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result
}

test('its settings count: quoted values, lines about a group above its monitor line, names of Valkey', () => {
  const { core, logLevel } = parsed().value
  expect(core).toMatchObject({
    ...{ sentinelUser: 'u', sentinelPass: 'x y#', announceIp: HOST, denyScriptsReconfig: false },
    groups: [
      { name: utf8Bytes('ünï'), port: 6390, quorum: 1 },
      {
        ...{ name: 'mymaster', host: HOST, port: 6380, quorum: 2, downAfterMs: 2_000 },
        ...{ failoverTimeoutMs: 10_000, rebootDownAfterMs: 1_500 },
        authPass: utf8Bytes('p "q\\ ü#'),
        renamedCommands: [['config', 'a b']],
      },
    ],
  })
  expect(core.users.map(([name]) => name)).toEqual(['app', 'default'])
  expect(logLevel).toBe('debug')
})

test('what it has learnt counts: its id, the epochs, the replicas, the other Sentinels', () => {
  const { learnt } = parsed().value
  const myid = 'd9ed70f6714e3f308cbd509feb8a05175ad27865'
  expect(learnt).toMatchObject({ myid, currentEpoch: 18 })
  expect(learnt?.groups[1]).toMatchObject({
    ...{ configEpoch: 18, leaderEpoch: 12 },
    replicas: [
      { host: HOST, port: 6381 },
      { host: HOST, port: 6379 },
    ],
    peers: [
      { host: HOST, port: 26_380, runId: '36d5da5c121708a71f7c08093b7e3bbc7c12a41f' },
      { host: HOST, port: 26_381, runId: 'ae12512cb7265952b53e140a36a931c080455dbf' },
    ],
  })
})

test('the only line without effect is one that every Sentinel writes', () => {
  const { warnings } = parsed()
  const ignored = warnings.filter(({ code }) => code === 'W_IGNORED').map(({ path }) => path)
  expect(ignored).toEqual(['latency-tracking-info-percentiles'])
})
