import { expect, test } from 'vitest'
import { DEFAULT_GROUP, type GroupConfig } from '../../src/core/config.ts'
import type { RenamedCommand } from '../../src/core/group-option-kinds.ts'
import { bulk } from '../../src/resp/reply.ts'
import { SentinelBench } from '../support/sentinel-bench.ts'

const NAMES = [
  ...['auth', 'client', 'ping', 'info', 'publish', 'subscribe', 'multi', 'slaveof', 'config'],
  ...['exec', 'script', 'sentinel'],
]
const RENAMED: readonly RenamedCommand[] = NAMES.map((name) => [name, `x-${name}`])
const PEER = { runId: 'b'.repeat(40), host: '10.1.0.2', port: 26379 }
const MASTER_AT = '10.0.0.1:6379'
const REPLICA_AT = '10.0.0.2:6379'
const PEER_AT = '10.1.0.2:26379'

const GROUP: GroupConfig = {
  ...DEFAULT_GROUP,
  name: 'g',
  host: '10.0.0.1',
  port: 6379,
  quorum: 1,
  downAfterMs: 500,
  authPass: 'secret',
  renamedCommands: RENAMED,
}

function info(address: string) {
  const isReplica = address === REPLICA_AT
  const lines = isReplica
    ? ['role:slave', 'master_host:10.0.0.1', 'master_port:6379', 'master_link_status:up']
    : ['role:master', 'slave0:ip=10.0.0.2,port=6379,state=online,offset=1,lag=0']
  return bulk([`run_id:${address.padEnd(40, '0')}`, ...lines, ''].join('\r\n'))
}

function bench(groups: readonly GroupConfig[] = [GROUP]): SentinelBench {
  const made = new SentinelBench({ groups })
  made.answer = (argv, address) => (/info$/i.test(argv[0] ?? '') ? info(address) : undefined)
  made.run(100)
  for (const { name } of groups) made.hello(name, PEER)
  made.run(3_000)
  return made
}

test('every command goes out under the name the group has for it, to peers too', () => {
  const made = bench()
  made.command('SENTINEL', 'FAILOVER', 'g')
  made.run(1_000)
  made.silent.add(MASTER_AT)
  made.silent.add(REPLICA_AT)
  made.run(3_000)
  const verbs = new Set(made.sent.map(({ argv }) => argv[0]))
  const sent = NAMES.filter((name) => name !== 'script').map((name) => `x-${name}`)
  expect([...verbs].sort()).toEqual(sent.sort())
  const toPeer = new Set(made.sentTo(PEER_AT).map(([verb]) => verb))
  expect([...toPeer].sort()).toEqual(['x-client', 'x-ping', 'x-publish', 'x-sentinel'])
})

test('only the first word is replaced', () => {
  const made = bench()
  expect(made.sentTo(MASTER_AT)[0]).toEqual(['x-auth', 'secret'])
  expect(made.sentTo(MASTER_AT)[1]?.slice(0, 2)).toEqual(['x-client', 'SETNAME'])
})

test('a group that renames nothing sends what it always sent', () => {
  const made = bench([{ ...GROUP, renamedCommands: [] }])
  expect(made.sent.filter(({ argv }) => argv[0]?.startsWith('x-'))).toEqual([])
})

test('on a shared connection each group’s own words go out under its own names', () => {
  const renamed: readonly RenamedCommand[] = [['publish', 'tell']]
  const other = { ...GROUP, name: 'h', host: '10.0.0.3', renamedCommands: renamed }
  const made = bench([{ ...GROUP, renamedCommands: [] }, other])
  const hellos = made.sent.filter(({ address, purpose }) => {
    return address === PEER_AT && purpose.kind === 'hello'
  })
  const names = hellos.map(({ argv, purpose }) => {
    return `${purpose.kind === 'hello' && purpose.group} ${argv[0]}`
  })
  expect([...new Set(names)].sort()).toEqual(['g PUBLISH', 'h tell'])
})
