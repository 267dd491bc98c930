import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readCluster } from '../../../src/cli/simulate/simulate-input.ts'
import { encodeState } from '../../../src/config/state-file.ts'
import { DEFAULT_GROUP } from '../../../src/core/config.ts'
import { scratchFolder } from '../../support/scratch.ts'

const OPTIONS = {
  sentinels: undefined,
  replicas: undefined,
  layout: undefined,
  writesPerSecond: 20,
}
const YML = 'groups: { mymaster: { master: 10.0.0.1:6379, quorum: 2 } }\n'
let folder = ''
let said = ''

beforeEach(() => {
  folder = scratchFolder('simulate')
  said = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += text
    return true
  })
})

afterEach(() => {
  vi.restoreAllMocks()
})

function write(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

function read(path: string, servers: readonly string[] = []) {
  return readCluster({ path, servers, options: OPTIONS })
}

test('of a redis.conf only what differs and matters is taken', () => {
  const conf = 'port 7000\nappendonly yes\nmin-slaves-to-write 1\nrepl-timeout 60\n'
  const cluster = read(write('sentinel.yml', YML), [write('redis.conf', conf)])
  const settings = cluster?.groups[0]?.nodes.map((node) => node.settings)
  expect(settings).toEqual(Array(3).fill({ appendonly: 'yes', 'min-replicas-to-write': '1' }))
})

test('the second redis.conf is for the replicas', () => {
  const confs = [write('a.conf', ''), write('b.conf', 'replica-priority 0\n')]
  const nodes = read(write('sentinel.yml', YML), confs)?.groups[0]?.nodes
  expect(nodes?.map(({ settings }) => settings['replica-priority'])).toEqual([undefined, '0', '0'])
})

test('what the Sentinel has learnt is read from its state file', () => {
  const config = { name: 'mymaster', host: '10.0.0.1', port: 6_379, quorum: 2 }
  const file = { ...DEFAULT_GROUP, ...config }
  const group = { file, current: { ...file, host: '10.0.0.2' }, configEpoch: 1, leaderEpoch: 1 }
  const replicas = [1, 3, 4, 5].map((last) => ({ host: `10.0.0.${last}`, port: 6_379 }))
  const learnt = { ...group, leader: '', replicas, peers: [] }
  const saved = {
    myid: 'a'.repeat(40),
    currentEpoch: 1,
    groups: [learnt],
    removed: [],
    settings: undefined,
    users: undefined,
  }
  write('sentinel-26379.state', encodeState(saved))
  const nodes = read(write('sentinel.yml', YML))?.groups[0]?.nodes
  expect(nodes).toHaveLength(5)
  expect(nodes?.[0]?.address).toBe('10.0.0.2:6379')
})

test('a wrong redis.conf is told with its line, and nothing is simulated', () => {
  const conf = write('redis.conf', 'min-replicas-to-write many\n')
  expect(read(write('sentinel.yml', YML), [conf])).toBeUndefined()
  expect(said).toContain('redis.conf:1:1  min-replicas-to-write')
})

test('a configuration without a group is told so', () => {
  expect(read(write('sentinel.conf', 'port 26379\n'))).toBeUndefined()
  expect(said).toContain('monitors no group')
})
