import { expect, test } from 'vitest'
import { DEFAULT_GROUP, type GroupConfig } from '../../src/core/config.ts'
import { flagsOf } from '../../src/core/report/instance-map.ts'
import { bulk, error, type Reply, simple } from '../../src/resp/reply.ts'
import { SentinelBench } from '../support/sentinel-bench.ts'

const AT = '10.0.0.1:6379'
const GROUP: GroupConfig = {
  ...DEFAULT_GROUP,
  name: 'g',
  host: '10.0.0.1',
  port: 6379,
  quorum: 9,
  downAfterMs: 2_000,
}
const BUSY = error('BUSY Redis is busy running a script. You can only call SCRIPT KILL.')

/** A master whose PINGs are answered with what `reply` holds; the usual while that is undefined. */
function master(change: Partial<GroupConfig> = {}) {
  const bench = new SentinelBench({ groups: [{ ...GROUP, ...change }] })
  const is: { reply: Reply | undefined; runId: string } = {
    reply: undefined,
    runId: '1'.repeat(40),
  }
  bench.answer = ([verb]) => {
    if (verb === 'PING') return is.reply
    return verb === 'INFO' ? bulk(`run_id:${is.runId}\r\nrole:master\r\n`) : undefined
  }
  bench.run(1_000)
  bench.forget()
  return {
    bench,
    is,
    get master() {
      return bench.group('g').master
    },
  }
}

function kills({ bench }: ReturnType<typeof master>): number {
  return bench.sentTo(AT).filter(([verb, what]) => verb === 'SCRIPT' && what === 'KILL').length
}

test('a script that keeps a master busy is killed once the master is down, and once only', () => {
  const set = master()
  set.is.reply = BUSY
  set.bench.run(1_900)
  expect(kills(set)).toBe(0)
  set.bench.run(5_000)
  expect(set.bench.isDown(set.master)).toBe(true)
  expect(kills(set)).toBe(1)
  expect(flagsOf(set.master)).toContain('script_kill_sent')
})

test('a script of a later S_DOWN is killed again', () => {
  const set = master()
  set.is.reply = BUSY
  set.bench.run(5_000)
  set.is.reply = undefined
  set.bench.run(2_000)
  expect(set.bench.isDown(set.master)).toBe(false)
  expect(flagsOf(set.master)).not.toContain('script_kill_sent')
  set.is.reply = BUSY
  set.bench.run(5_000)
  expect(kills(set)).toBe(2)
})

test('nothing is killed on a server that is down for another reason', () => {
  const set = master()
  set.is.reply = error('MISCONF Errors writing to the AOF file')
  set.bench.run(10_000)
  expect(set.bench.isDown(set.master)).toBe(true)
  expect(kills(set)).toBe(0)
})

const AVAILABLE: readonly [string, Reply][] = [
  ['+PONG', simple('PONG')],
  ['+PONG and more', simple('PONG, what else')],
  ['-LOADING', error('LOADING Redis is loading the dataset in memory')],
  [
    '-MASTERDOWN',
    error("MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."),
  ],
]
const NOT_AVAILABLE: readonly [string, Reply][] = [
  ['+pong in small letters', simple('pong')],
  ['-loading in small letters', error('loading')],
  ['-MasterDown', error('MasterDown')],
  ['-NOAUTH', error('NOAUTH Authentication required.')],
  ['-ERR PONG', error('ERR PONG')],
  ['-PONG, an error', error('PONG')],
  ['-BUSY', BUSY],
  ['+OK', simple('OK')],
  ['an integer', { kind: 'integer', value: 1 }],
  ['an array', { kind: 'array', items: [bulk('PONG'), bulk('')] }],
  ['a null', { kind: 'null' }],
]

test.each(AVAILABLE)('%s to PING means available', (_, reply) => {
  const set = master()
  set.is.reply = reply
  set.bench.run(10_000)
  expect(set.bench.isDown(set.master)).toBe(false)
})

test.each(NOT_AVAILABLE)('%s to PING does not, but keeps the connection', (_, reply) => {
  const set = master()
  set.is.reply = reply
  set.bench.run(3_100)
  expect(set.bench.isDown(set.master)).toBe(true)
  expect(set.bench.ms - (set.master.link.lastPongAtMs - 1_000_000)).toBeLessThanOrEqual(1_000)
  expect(set.bench.links).toEqual([])
})

test('a restarted master that goes on loading is down after its own period', () => {
  const set = master({ rebootDownAfterMs: 3_000, downAfterMs: 30_000 })
  restart(set)
  set.is.reply = error('LOADING Redis is loading the dataset in memory')
  set.bench.run(2_900)
  expect(flagsOf(set.master)).toContain('master_reboot')
  expect(set.bench.isDown(set.master)).toBe(false)
  set.bench.run(200)
  expect(set.bench.isDown(set.master)).toBe(true)
  expect(set.bench.logs).toContain('+reboot master g 10.0.0.1 6379')
  set.is.reply = undefined
  set.bench.run(1_000)
  expect(set.bench.isDown(set.master)).toBe(false)
  expect(flagsOf(set.master)).toEqual(['master'])
})

test('a restarted master that answers PONG is not down, however short the period', () => {
  const set = master({ rebootDownAfterMs: 5 })
  restart(set)
  set.bench.run(3_000)
  expect(set.bench.logs).toContain('+reboot master g 10.0.0.1 6379')
  expect(set.bench.logs.join('\n')).not.toContain('+sdown')
  expect(flagsOf(set.master)).toEqual(['master'])
})

test('without a period of its own a restart is no reason to be down', () => {
  const set = master({ downAfterMs: 30_000 })
  restart(set)
  set.is.reply = error('LOADING Redis is loading the dataset in memory')
  set.bench.run(60_000)
  expect(set.bench.isDown(set.master)).toBe(false)
  expect(flagsOf(set.master)).toEqual(['master'])
})

/** Its connections break, and the one that answers next has another run id. */
function restart({ bench, is }: ReturnType<typeof master>): void {
  is.runId = '2'.repeat(40)
  bench.cut(AT)
}
