/** A master that came back without its data: when it is said, and who takes its place. */
import { beforeEach, describe, expect, test } from 'vitest'
import { DEFAULT_GROUP } from '../../../src/core/config.ts'
import { bulk } from '../../../src/resp/reply.ts'
import { SentinelBench } from '../../support/sentinel-bench.ts'

const MASTER = '10.0.0.1:6379'
const REPLICAS = ['10.0.0.2:6379', '10.0.0.3:6379'] as const
const REFUSES = [
  'master_link_status:down',
  'master_link_down_since_seconds:0',
  'slave_repl_offset:500',
  'replica_empty_master_guard:1',
  'replica_guard_master_offset:14',
  'replica_guard_own_offset:500',
]

/** What INFO of each address says beside who it is; a later line of a name counts. */
let lines: Map<string, readonly string[]>
let bench: SentinelBench

function open(quorum = 1): SentinelBench {
  const config = { name: 'm', host: '10.0.0.1', port: 6379, quorum }
  const opened = new SentinelBench({
    groups: [{ ...DEFAULT_GROUP, ...config, downAfterMs: 60_000 }],
  })
  opened.answer = ([verb], address) => (verb === 'INFO' ? bulk(infoOf(address)) : undefined)
  opened.run(20_000)
  opened.forget()
  return opened
}

function infoOf(address: string): string {
  const role =
    address === MASTER
      ? ['role:master', ...REPLICAS.map((at, i) => `slave${i}:ip=${at.replace(':', ',port=')}`)]
      : ['role:slave', 'master_host:10.0.0.1', 'master_port:6379', 'master_link_status:up']
  const own = [`run_id:${address.padEnd(40, '0')}`, ...role, ...(lines.get(address) ?? [])]
  return own.map((line) => `${line}\r\n`).join('')
}

function lostFor(seconds: number): readonly string[] {
  return [`master_link_down_since_seconds:${seconds}`]
}

function said(word: string): readonly string[] {
  return bench.logs.filter((line) => line.startsWith(word))
}

function runUntil(word: string): void {
  for (let ms = 0; ms < 12_000 && said(word).length === 0; ms += 10) bench.run(10)
}

beforeEach(() => {
  lines = new Map()
  bench = open()
})

describe('an emptied master', () => {
  test('is named with what its replica holds, and down in the same moment', () => {
    lines.set(REPLICAS[0], REFUSES)
    runUntil('+empty-master')
    expect(said('+empty-master')).toEqual([
      '+empty-master master m 10.0.0.1 6379 # came back without its data: replica 10.0.0.2:6379 ' +
        'holds 500 bytes of history and was offered 14',
    ])
    expect(said('+sdown master m')).toHaveLength(1)
    expect(said('+sdown-evidence')[0]).toContain('# came back without its data: replica 10.0.0.2')
  })

  test('is none that follows another node already: what it offers is that one has (seed 27348)', () => {
    lines.set(MASTER, ['role:slave', 'master_host:10.0.0.3', 'master_port:6379'])
    lines.set(REPLICAS[0], REFUSES)
    bench.run(12_000)
    expect(said('+empty-master')).toEqual([])
  })

  test('is seen at once when its new run id is seen, not at the next round of INFO', () => {
    lines.set(REPLICAS[0], REFUSES)
    lines.set(MASTER, [`run_id:${'b'.repeat(40)}`])
    runUntil('+reboot master')
    bench.run(20)
    expect(said('+empty-master')).toHaveLength(1)
  })

  test('gives way to a replica that has the data, though another has a higher offset', () => {
    lines.set(REPLICAS[0], REFUSES)
    lines.set(REPLICAS[1], ['slave_repl_offset:9000'])
    runUntil('+selected-slave')
    expect(said('+selected-slave')).toEqual([
      '+selected-slave slave 10.0.0.2:6379 10.0.0.2 6379 @ m 10.0.0.1 6379',
    ])
  })

  test('gives way to a replica that lost it long before: nobody has more of the data', () => {
    lines.set(REPLICAS[0], [...REFUSES, ...lostFor(700)])
    runUntil('+selected-slave')
    expect(said('+selected-slave')).toHaveLength(1)
  })

  test('gives way to who followed it to the last, also when TILT kept the failover waiting', () => {
    bench.stall(5_000)
    lines.set(REPLICAS[0], [...REFUSES, 'slave_priority:1', ...lostFor(2_000)])
    lines.set(REPLICAS[1], [...REFUSES, ...lostFor(0)])
    runUntil('+empty-master')
    expect(said('+sdown master m')).toEqual([])
    // Longer than ten times down-after, by which a replica may have lost its master before the others.
    for (let round = 0; round < 140; round++) {
      bench.run(4_000)
      bench.stall(2_500)
    }
    lines.set(REPLICAS[0], [...REFUSES, 'slave_priority:1', ...lostFor(2_000 + 910)])
    lines.set(REPLICAS[1], [...REFUSES, ...lostFor(910)])
    bench.run(60_000)
    expect(said('+selected-slave')[0]).toContain(REPLICAS[1])
  })

  test('is demoted as soon as its successor is promoted, before the other replica has moved', () => {
    lines.set(REPLICAS[0], REFUSES)
    runUntil('+selected-slave')
    lines.set(REPLICAS[0], ['role:master'])
    runUntil('+promoted-slave')
    bench.run(5)
    const orders = bench.sentTo(MASTER).filter(([verb]) => verb === 'SLAVEOF')
    expect(orders).toEqual([['SLAVEOF', '10.0.0.2', '6379']])
    expect(said('+switch-master')).toEqual([])
  })

  test('is one of its own kind no longer when the replica gives in', () => {
    bench = open(2)
    lines.set(REPLICAS[0], REFUSES)
    runUntil('+empty-master')
    lines.delete(REPLICAS[0])
    runUntil('-empty-master')
    bench.run(1_000)
    expect(said('-empty-master')).toEqual(['-empty-master master m 10.0.0.1 6379'])
    expect(said('-sdown master m')).toHaveLength(1)
  })
})

describe('no emptied master', () => {
  test.each([
    ['a replica that follows another master', [...REFUSES, 'master_port:6380']],
    ['a node that is a master', [...REFUSES, 'role:master']],
    ['a guard that is at rest', [...REFUSES, 'replica_empty_master_guard:0']],
  ])('%s is no witness', (_name, own) => {
    lines.set(REPLICAS[0], own)
    bench.run(15_000)
    expect(said('+empty-master')).toEqual([])
  })

  test('one Sentinel that sees it is not the quorum', () => {
    bench = open(2)
    lines.set(REPLICAS[0], REFUSES)
    bench.run(15_000)
    expect(said('+sdown master m')).toHaveLength(1)
    expect(said('+odown')).toEqual([])
  })
})

describe('a node among the replicas that was started as a master and has followed nobody since', () => {
  const STARTED = ['role:master', `master_replid:${'d'.repeat(40)}`]

  test.each([
    ['is not promoted before one that has the data, whatever its priority', '0', REPLICAS[1]],
    ['is another than one that was promoted, whose history goes on', 'e', REPLICAS[0]],
  ])('%s', (_name, digit, chosen) => {
    lines.set(REPLICAS[0], [...STARTED, `master_replid2:${digit.repeat(40)}`])
    lines.set(REPLICAS[1], ['slave_priority:200'])
    bench.command('SENTINEL', 'FAILOVER', 'm')
    runUntil('+selected-slave')
    expect(said('+selected-slave')[0]).toContain(chosen)
  })

  test('is promoted where there is no other, as in Redis', () => {
    lines.set(REPLICAS[0], [...STARTED, `master_replid2:${'0'.repeat(40)}`])
    lines.set(REPLICAS[1], ['slave_priority:0'])
    bench.command('SENTINEL', 'FAILOVER', 'm')
    runUntil('+selected-slave')
    expect(said('+selected-slave')[0]).toContain(REPLICAS[0])
  })
})
