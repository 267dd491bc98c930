import { expect, test } from 'vitest'
import { DEFAULT_GROUP, type GroupConfig } from '../../src/core/config.ts'
import { sendHelloToAll } from '../../src/core/discovery/hello-send.ts'
import { SentinelBench } from '../support/sentinel-bench.ts'

const AT = '10.0.0.1:6379'
const GROUP: GroupConfig = {
  ...DEFAULT_GROUP,
  name: 'g',
  host: '10.0.0.1',
  port: 6379,
  quorum: 9,
  downAfterMs: 4_000,
}

function bench(ms: number): SentinelBench {
  const made = new SentinelBench({ groups: [GROUP] })
  for (let atMs = 0; atMs < ms; atMs += 1_000) {
    made.run(1_000)
    echo(made)
  }
  made.forget()
  return made
}

/** One of the messages a healthy subscription brings. */
function echo(made: SentinelBench): void {
  const link = made.group('g').master.link.pubsub?.id ?? 0
  made.feed({ kind: 'message', link, channel: 'any', payload: '' })
}

test('a healthy connection that is dropped for a new password, and not established again, is down in time', () => {
  const made = bench(3_000)
  made.unreachable.add(AT)
  made.command('SENTINEL', 'SET', 'g', 'auth-pass', 'new')
  made.run(3_900)
  expect(made.isDown(made.group('g').master)).toBe(false)
  made.run(200)
  expect(made.isDown(made.group('g').master)).toBe(true)
})

test('a connection that hangs is replaced after half a down-after, but not a young one', () => {
  const young = bench(5_000)
  young.silent.add(AT)
  young.run(3_900)
  expect(young.links).toEqual([])
  const old = bench(20_000)
  old.silent.add(AT)
  old.run(3_900)
  expect(old.links).toContain(`close ${AT}`)
})

test('a stall of our own is not held against connections that are well', () => {
  const made = bench(20_000)
  made.stall(20_000)
  echo(made)
  made.run(1_000)
  expect(made.logs).toContain('+tilt #tilt mode entered')
  expect(made.links).toEqual([])
})

test('a connection that hangs in TILT is replaced in TILT', () => {
  const made = bench(20_000)
  made.stall(20_000)
  made.silent.add(AT)
  made.run(10_000)
  expect(made.logs).not.toContain('-tilt #tilt mode exited')
  expect(made.links).toContain(`close ${AT}`)
})

test('an instance that hangs is not sent more than a hundred commands on one connection', () => {
  const made = bench(1_000)
  made.silent.add(AT)
  for (let news = 0; news < 500; news++) made.act((turn) => sendHelloToAll(turn, made.group('g')))
  expect(made.sentTo(AT)).toHaveLength(100)
})
