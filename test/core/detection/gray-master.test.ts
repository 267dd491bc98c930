/** A master that answers PING and refuses writes: when it is said, and when it is acted on. */
import { beforeEach, describe, expect, test } from 'vitest'
import { DEFAULT_GROUP } from '../../../src/core/config.ts'
import { bulk, error, type Reply } from '../../../src/resp/reply.ts'
import { SentinelBench } from '../../support/sentinel-bench.ts'

const MASTER = '10.0.0.1:6379'
const REPLICAS = ['10.0.0.2:6379', '10.0.0.3:6379'] as const
const MISCONF = error(
  "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. " +
    'Commands that may modify the data set are disabled.',
)
const SINCE = `+gray-master master m 10.0.0.1 6379 # `

/** What INFO of each address says beside who it is. */
let lines: Map<string, readonly string[]>
let pings: Map<string, Reply>
let bench: SentinelBench

function open(grayAfterMs: number, quorum = 1): SentinelBench {
  const config = { name: 'm', host: '10.0.0.1', port: 6379, quorum, grayAfterMs }
  const group = { ...DEFAULT_GROUP, ...config, downAfterMs: 60_000 }
  const opened = new SentinelBench({ groups: [group] })
  opened.answer = ([verb], address) => {
    if (verb === 'PING') return pings.get(address)
    return verb === 'INFO' ? bulk(infoOf(address)) : undefined
  }
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

function memory(usedBytes: number, policy = 'noeviction'): readonly string[] {
  return [`used_memory:${usedBytes}`, 'maxmemory:1000', `maxmemory_policy:${policy}`]
}

function said(word: string): readonly string[] {
  return bench.logs.filter((line) => line.startsWith(word))
}

beforeEach(() => {
  lines = new Map()
  pings = new Map()
})

describe('what is said', () => {
  test('a PING answered by MISCONF makes the master gray at once, long before it is down', () => {
    bench = open(0)
    pings.set(MASTER, MISCONF)
    bench.run(2_500)
    expect(said('+gray-master')).toEqual([
      `${SINCE}answers PING with MISCONF Redis is configured to save RDB snapshots, but it's ` +
        'currently unable to persist to disk',
    ])
    expect(said('+sdown')).toEqual([])
    pings.delete(MASTER)
    bench.run(2_500)
    expect(said('-gray-master')).toEqual(['-gray-master master m 10.0.0.1 6379'])
  })

  test('other errors a PING is answered by say nothing about writes', () => {
    bench = open(0)
    for (const text of ['NOAUTH Authentication required.', 'BUSY script', 'LOADING data']) {
      pings.set(MASTER, error(text))
      bench.run(2_500)
    }
    expect(said('+gray-master')).toEqual([])
  })

  test.each([
    ['a full memory that evicts nothing', memory(1_000), 'has used 1000 of 1000 bytes of memory'],
    [
      'a full memory of ours',
      [...memory(1_000), 'server_name:vedette', 'vedette_maxmemory_in_effect:1000'],
      'has used 1000 of 1000 bytes of memory',
    ],
    ['an AOF that cannot be written', ['aof_enabled:1', 'aof_last_write_status:err'], 'could not'],
  ])('%s is seen in INFO', (_name, own, why) => {
    bench = open(0)
    lines.set(MASTER, own)
    bench.run(11_000)
    expect(said(`${SINCE}${why}`)).toHaveLength(1)
  })

  test.each([
    ['memory that is only nearly full', memory(999)],
    ['a policy that evicts', memory(2_000, 'allkeys-lru')],
    ['buffers that do not count', [...memory(1_500), 'mem_not_counted_for_evict:501']],
    ['no limit', ['used_memory:1000', 'maxmemory:0', 'maxmemory_policy:noeviction']],
    ['the error of an AOF that is switched off', ['aof_enabled:0', 'aof_last_write_status:err']],
    ['the limit of a node that keeps none', [...memory(2_000), 'server_name:vedette']],
    [
      'a limit of ours that is not reached',
      [...memory(900), 'server_name:vedette', 'vedette_maxmemory_in_effect:1000'],
    ],
  ])('%s is no reason', (_name, own) => {
    bench = open(0)
    lines.set(MASTER, own)
    bench.run(11_000)
    expect(said('+gray-master')).toEqual([])
  })

  test('a memory that hovers at its limit is said once, and ends clearly below it', () => {
    bench = open(0)
    for (const usedBytes of [1_000, 995, 1_001, 990, 1_000]) {
      lines.set(MASTER, memory(usedBytes))
      bench.run(11_000)
    }
    expect([said('+gray-master').length, said('-gray-master').length]).toEqual([1, 0])
    lines.set(MASTER, memory(989))
    bench.run(2_000)
    expect(said('-gray-master')).toHaveLength(1)
  })

  test('a node that counts OOM errors is full although its memory is below the limit, for ten seconds', () => {
    bench = open(0)
    const below = memory(970, 'volatile-lru')
    lines.set(MASTER, [...below, 'errorstat_OOM:count=2'])
    for (let ms = 0; ms < 11_000 && said('+gray').length === 0; ms += 100) bench.run(100)
    expect(said(`${SINCE}answers writes with OOM, has used 970 of 1000 bytes`)).toHaveLength(1)
    bench.run(8_000)
    expect(said('-gray-master')).toEqual([])
    bench.run(4_000)
    expect(said('-gray-master')).toHaveLength(1)
  })

  test('what was counted before we came, or from anew after a restart, is no news', () => {
    lines.set(MASTER, ['errorstat_OOM:count=5'])
    bench = open(0)
    for (const count of [5, 1, 0]) {
      lines.set(MASTER, [`errorstat_OOM:count=${count}`])
      bench.run(11_000)
    }
    expect(said('+gray-master')).toEqual([])
  })

  test('a second reason is no second event, and the end of one of two is no end', () => {
    bench = open(0)
    lines.set(MASTER, memory(1_000))
    bench.run(11_000)
    pings.set(MASTER, MISCONF)
    bench.run(2_500)
    lines.set(MASTER, memory(1))
    bench.run(2_500)
    expect(bench.logs.filter((line) => line.includes('gray-master'))).toHaveLength(1)
  })

  test('INFO of the group is asked for every second while its master is gray', () => {
    bench = open(0)
    lines.set(MASTER, memory(1_000))
    bench.run(11_000)
    bench.forget()
    bench.run(5_000)
    for (const address of [MASTER, ...REPLICAS]) {
      const asked = bench.sentTo(address).filter(([verb]) => verb === 'INFO')
      expect(asked.length, address).toBeGreaterThanOrEqual(4)
    }
  })

  test('a connection given up over an unanswered PUBLISH, and an answer on the next, are named once', () => {
    bench = open(0)
    bench.silent.add(MASTER)
    const pingsSent = () =>
      bench.sent.filter((one) => one.address === MASTER && one.argv[0] === 'PING')
    const links = () => new Set(pingsSent().map(({ link }) => link)).size
    for (let ms = 0; ms < 60_000 && links() < 2; ms += 10) bench.run(10)
    expect(links()).toBe(2)
    expect(said('master m 10.0.0.1 6379 did not answer our PUBLISH')).toEqual([])
    bench.silent.delete(MASTER)
    bench.run(30_000)
    expect(said('master m 10.0.0.1 6379 did not answer our PUBLISH')).toHaveLength(1)
    expect(said('+gray-master')).toEqual([])
  })

  test('a connection that is lost otherwise names nothing', () => {
    bench = open(0)
    bench.silent.add(MASTER)
    bench.run(5_000)
    bench.silent.delete(MASTER)
    bench.cut(MASTER)
    bench.run(30_000)
    expect(bench.logs.filter((line) => line.includes('PUBLISH'))).toEqual([])
  })

  test('a replica whose memory is full is no event', () => {
    bench = open(0)
    lines.set(REPLICAS[0], memory(1_000))
    bench.run(11_000)
    expect(bench.logs.filter((line) => line.includes('gray'))).toEqual([])
  })
})

describe('what is done', () => {
  test('without gray-after a gray master stays the master for ever', () => {
    bench = open(0)
    lines.set(MASTER, memory(1_000))
    bench.run(120_000)
    expect(said('+sdown')).toEqual([])
  })

  test('with gray-after it is down so long after the event, and its grounds are said', () => {
    bench = open(5_000, 2)
    lines.set(MASTER, memory(1_000))
    for (let ms = 0; ms < 11_000 && said('+gray').length === 0; ms += 100) bench.run(100)
    expect(said('+gray-master')[0]).toMatch(
      /; it counts as down after 5000 ms of this if a replica is better then$/,
    )
    bench.run(4_800)
    expect(said('+sdown')).toEqual([])
    bench.run(300)
    expect(said('+sdown master m')).toHaveLength(1)
    expect(said('+sdown-evidence')[0]).toMatch(
      /# refuses writes for 5001 ms: has used 1000 of 1000/,
    )
    lines.set(MASTER, memory(1))
    bench.run(2_000)
    expect(said('-sdown master m')).toHaveLength(1)
  })

  test('where every replica is as good as full nothing is done, which is said twice', () => {
    bench = open(5_000)
    for (const address of REPLICAS) lines.set(address, memory(900))
    bench.run(11_000)
    lines.set(MASTER, memory(1_000))
    bench.run(30_000)
    expect(said('+sdown')).toEqual([])
    const texts = bench.logs.filter((line) =>
      line.endsWith('; no replica is better, so it stays the master'),
    )
    expect(texts.map((line) => line.split(' ')[0])).toEqual(['+gray-master', 'master'])
  })

  test('one replica that gets room again is enough, and it is the one that is promoted', () => {
    bench = open(5_000)
    for (const address of [MASTER, ...REPLICAS]) lines.set(address, memory(1_000))
    // The other would be chosen: its offset is higher.
    lines.set(REPLICAS[0], [...memory(1_000), 'slave_repl_offset:9'])
    bench.run(30_000)
    expect(said('+sdown')).toEqual([])
    lines.set(REPLICAS[1], memory(500))
    bench.run(3_000)
    expect(said('+sdown master m')).toHaveLength(1)
    expect(said('+selected-slave')).toEqual([
      '+selected-slave slave 10.0.0.3:6379 10.0.0.3 6379 @ m 10.0.0.1 6379',
    ])
  })

  test('the INFO of a replica that has room again is acted on at once', () => {
    bench = open(5_000)
    for (const address of [MASTER, ...REPLICAS]) lines.set(address, memory(1_000))
    bench.run(30_000)
    lines.set(REPLICAS[0], memory(1))
    const link = bench.group('m').replicas.get(REPLICAS[0])?.link.command?.id ?? 0
    const reply = bulk(infoOf(REPLICAS[0]))
    bench.feed({ kind: 'reply', link, purpose: { kind: 'info' }, reply })
    expect(said('+sdown master m')).toHaveLength(1)
  })

  test('the gray master is told to follow its successor at the promotion, before the others follow', () => {
    bench = open(5_000)
    lines.set(MASTER, memory(1_000))
    lines.set(REPLICAS[1], memory(950))
    const roles = new Map<string, string>()
    const usual = bench.answer
    bench.answer = (argv, address, link) => {
      if (argv[0] === 'SLAVEOF') roles.set(address, argv.slice(1).join(' '))
      const isPromoted = roles.get(address) === 'NO ONE' && argv[0] === 'INFO'
      return isPromoted
        ? bulk(`run_id:${'9'.repeat(40)}\r\nrole:master\r\n`)
        : usual(argv, address, link)
    }
    for (let ms = 0; ms < 20_000 && said('+promoted-slave').length === 0; ms += 100) bench.run(100)
    bench.run(100)
    expect(said('+switch-master')).toEqual([])
    expect(roles.get(MASTER)).toBe('10.0.0.2 6379')
  })

  // As redis-server 7.0 does: SLAVEOF is refused inside of a transaction, and taken alone.
  test('a master without memory, which takes nothing into a transaction, is told without one', () => {
    bench = open(5_000)
    lines.set(MASTER, memory(1_000))
    const full = error("OOM command not allowed when used memory > 'maxmemory'.")
    let promoted = ''
    let isQueuing = false
    const done: string[] = []
    const usual = bench.answer
    bench.answer = (argv, address, link) => {
      const [verb = ''] = argv
      if (verb === 'SLAVEOF' && argv[1] === 'NO') promoted = address
      if (address === promoted && verb === 'INFO') {
        return bulk(`run_id:${'9'.repeat(40)}\r\nrole:master\r\n`)
      }
      if (address !== MASTER) return usual(argv, address, link)
      if (isQueuing && verb !== 'EXEC') return full
      if (verb === 'MULTI') done.length = 0
      if (verb === 'MULTI' || verb === 'EXEC') isQueuing = verb === 'MULTI'
      else if (['SLAVEOF', 'CONFIG', 'CLIENT'].includes(verb)) done.push(argv.join(' '))
      return usual(argv, address, link)
    }
    for (let ms = 0; ms < 20_000 && said('+promoted-slave').length === 0; ms += 100) bench.run(100)
    bench.run(100)
    expect(done).toEqual([
      `SLAVEOF ${promoted.replace(':', ' ')}`,
      ...['CONFIG REWRITE', 'CLIENT KILL TYPE normal', 'CLIENT KILL TYPE pubsub'],
    ])
  })

  test('a master that is replaced because it is silent is told nothing before the switch', () => {
    bench = open(0)
    bench.silent.add(MASTER)
    bench.run(61_500)
    expect(said('+try-failover')).toHaveLength(1)
    expect(bench.sentTo(MASTER).filter(([verb]) => verb === 'SLAVEOF')).toEqual([])
  })

  test('once a gray master is dead the higher offset counts again', () => {
    bench = open(0)
    lines.set(MASTER, memory(1_000))
    lines.set(REPLICAS[0], [...memory(1_000), 'slave_repl_offset:9'])
    bench.run(11_000)
    bench.silent.add(MASTER)
    bench.run(75_000)
    expect(said('+selected-slave')[0]).toContain('slave 10.0.0.2:6379')
  })

  test('a replica that has as much in use as a master that refuses writes is not better, and one with less is', () => {
    bench = open(5_000)
    for (const address of REPLICAS) lines.set(address, memory(970))
    bench.run(11_000)
    lines.set(MASTER, [...memory(970), 'errorstat_OOM:count=2'])
    bench.run(11_000)
    expect([said('+gray-master').length, said('+sdown').length]).toEqual([1, 0])
    lines.set(REPLICAS[1], memory(870))
    lines.set(MASTER, [...memory(970), 'errorstat_OOM:count=3'])
    bench.run(7_000)
    expect(said('+sdown master m')).toHaveLength(1)
  })

  test('a replica that must not be promoted, or is down, is not better', () => {
    bench = open(5_000)
    for (const address of [MASTER, REPLICAS[1]]) lines.set(address, memory(1_000))
    lines.set(REPLICAS[0], ['slave_priority:0'])
    bench.run(30_000)
    expect(said('+sdown')).toEqual([])
    lines.delete(REPLICAS[0])
    bench.silent.add(REPLICAS[0])
    bench.run(70_000)
    expect(said('+sdown master m')).toEqual([])
  })
})
