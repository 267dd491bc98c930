/**
 * Facts about Sentinel, section 15: clocks, PINGs, what an instance owes us. Where we differ on purpose the
 * test says what we do, and a line above it what C Sentinel does.
 */
import { describe, expect, test } from 'vitest'
import { bulk, error, integer, type Reply, simple } from '../../../src/resp/reply.ts'
import { SentinelStage } from '../../support/sentinel-stage.ts'

const MISCONF = error('MISCONF Redis is configured to save RDB snapshots')

/** A master that hangs from the fifth second on, and a wall clock that is moved half a second later. */
function hungWhileTheClockMoves(jumpMs: number): SentinelStage {
  const stage = new SentinelStage()
  stage.run(4_850)
  stage.part('master').mood = 'hangs'
  stage.run(500)
  stage.jump(jumpMs)
  stage.run(2_000)
  return stage
}

/** What a test wants to see is not there at all in this long. */
function flagsOver(stage: SentinelStage, ms: number): readonly string[] {
  const seen = []
  for (let passed = 0; passed < ms; passed += 20) {
    stage.run(20)
    seen.push(stage.show('master')?.flags ?? '')
  }
  return seen
}

describe('15.1', () => {
  // C measures on the wall clock: any step back is TILT, and every step moves all deadlines.
  test.each([-1_000, -1, 1_900])('15.1 a wall clock moved by %i ms moves no deadline', (jumpMs) => {
    const moved = hungWhileTheClockMoves(jumpMs)
    expect(moved.times('+tilt')).toEqual([])
    expect(moved.times('+sdown master')).toEqual(hungWhileTheClockMoves(0).times('+sdown master'))
    expect(moved.times('+sdown master')).toHaveLength(1)
  })

  test.each([-2_001, 2_101, 600_000])(
    '15.1 a wall clock moved by %i ms is TILT, and nobody is declared down for 30 s',
    (jumpMs) => {
      const stage = hungWhileTheClockMoves(jumpMs)
      const [sinceMs = 0] = stage.times('+tilt')
      stage.run(40_000)
      expect(stage.times('-tilt')).toEqual([sinceMs + 30_000])
      expect(stage.times('+sdown master')).toEqual([sinceMs + 30_000])
    },
  )
})

describe('15.2', () => {
  test('15.2 down counts from the first unanswered PING, whatever is sent or opened later', () => {
    const stage = new SentinelStage({ group: { downAfterMs: 40_000 } })
    stage.run(5_350)
    stage.part('master').mood = 'hangs'
    stage.forget()
    stage.run(30_000)
    stage.cut('master')
    stage.run(20_000)
    const pings = stage.sentTo('master', 'PING')
    // One replaced for its silence after half a down-after, one cut: PINGs went out on both.
    expect(pings.length).toBeGreaterThanOrEqual(3)
    expect(stage.opened('master', 'command').length).toBeGreaterThanOrEqual(2)
    expect(stage.times('+sdown master')).toEqual([(pings[0]?.atMs ?? 0) + 40_001])
  })

  // C counts from the next PING; the kernel has told us earlier than that.
  test('15.2 where the kernel reports the loss, down counts from that moment', () => {
    const stage = new SentinelStage()
    stage.run(5_350)
    stage.kill('master')
    const killedAtMs = stage.ms
    stage.run(2_000)
    expect(stage.times('+sdown master')).toEqual([killedAtMs + 1_001])
  })

  const REPLIES: readonly (readonly [string, Reply, boolean])[] = [
    ['PONG', simple('PONG'), true],
    ['an error LOADING', error('LOADING Redis is loading the dataset in memory'), true],
    ['an error MASTERDOWN', error('MASTERDOWN Link with MASTER is down'), true],
    ['an error loading in lower case', error('loading'), false],
    ['an error BUSY', error('BUSY Redis is busy running a script'), false],
    ['an error MISCONF', MISCONF, false],
    ['a status that is not PONG', simple('OK'), false],
    ['a number', integer(1), false],
    // C takes PONG as a status only; our link library does not tell the two apart.
    ['PONG in a bulk string', bulk('PONG'), true],
  ]
  test.each(REPLIES)('15.2 whether %s clears what is owed', (_, reply, clears) => {
    const stage = new SentinelStage()
    stage.run(2_000)
    stage.part('master').says = ([verb]) => (verb === 'PING' ? reply : undefined)
    stage.run(5_000)
    expect(Number(stage.show('master')?.['last-ping-sent']) < 1_000).toBe(clears)
    expect(stage.times('+sdown master').length).toBe(clears ? 0 : 1)
  })
})

describe('15.3', () => {
  const MOODS = ['refuses', 'gone', 'hangs'] as const
  test.each(MOODS)(
    '15.3 an address that %s is down one down-after after we heard of it',
    (mood) => {
      const stage = new SentinelStage()
      for (const name of ['replica3', 'peer3', 'replica8']) stage.add(name).mood = mood
      stage.part('replica8').master = undefined
      stage.run(11_000)
      stage.hello('peer3')
      stage.ask('SENTINEL', 'monitor', 'h', '10.0.0.9', '6379', '1')
      stage.run(1_100)
      // Of one that has never answered as a Sentinel no event tells, but it is shown.
      expect(stage.show('sentinels', 'peer3')?.flags).toMatch(/^s_down,/)
      stage.run(29_900)
      const heardOf = [
        ['+slave slave 10.0.0.4:6379', '+sdown slave 10.0.0.4:6379', 1_001],
        ['+monitor master h', '+sdown master h', 30_001],
      ] as const
      for (const [first, down, afterMs] of heardOf) {
        expect(stage.times(down)).toEqual([(stage.times(first)[0] ?? 0) + afterMs])
      }
    },
  )
})

describe('15.4', () => {
  test('15.4 errors keep the connection alive and the instance down', () => {
    const stage = new SentinelStage({ group: { downAfterMs: 5_000 } })
    stage.part('master').says = ([verb]) => (verb === 'PING' ? MISCONF : undefined)
    stage.forget()
    stage.run(60_000)
    expect(stage.times('+sdown master')).toHaveLength(1)
    expect(stage.times('-sdown master')).toEqual([])
    expect(stage.opened('master')).toEqual([])
    const shown = stage.show('master')
    expect(Number(shown?.['last-ping-reply'])).toBeLessThan(1_100)
    expect(Number(shown?.['last-ok-ping-reply'])).toBeGreaterThan(59_000)
  })

  // C leaves this connection alone as well, and so never says AUTH again.
  test('15.4 a connection without the password it needs is opened anew every 15 s', () => {
    const stage = new SentinelStage({ group: { downAfterMs: 5_000 } })
    const noauth = error('NOAUTH Authentication required.')
    stage.part('master').says = ([verb]) => (verb === 'PING' ? noauth : undefined)
    stage.forget()
    stage.run(60_000)
    expect(stage.times('+sdown master')).toHaveLength(1)
    const opened = stage.opened('master', 'command')
    expect(opened.length).toBeGreaterThanOrEqual(3)
    expect(opened.length).toBeLessThanOrEqual(4)
  })
})

describe('15.5', () => {
  // C clears the flag when it begins to connect, so that it comes and goes here.
  test.each(['refuses', 'gone', 'hangs'] as const)(
    '15.5 a master that %s is `disconnected` exactly as long as no connection is established',
    (mood) => {
      const stage = new SentinelStage()
      stage.part('master').mood = mood
      stage.cut('master')
      // A hung process still has a kernel that accepts.
      stage.run(mood === 'hangs' ? 300 : 0)
      const isDisconnected = flagsOver(stage, 5_000).map((flags) => flags.includes('disconnected'))
      expect(new Set(isDisconnected)).toEqual(new Set([mood !== 'hangs']))
    },
  )
})

describe('15.6', () => {
  // C re-sends INFO and hello every tick until its limit of 100 commands, and PINGs twice a second.
  test('15.6 a master that hangs for two minutes is owed a PING a second up to the limit, one INFO and one hello', () => {
    const stage = new SentinelStage({ group: { downAfterMs: 600_000 } })
    stage.run(5_350)
    stage.part('master').mood = 'hangs'
    stage.forget()
    stage.run(120_000)
    expect(stage.opened('master', 'command')).toEqual([])
    const sent = stage.sentTo('master').filter(({ purpose }) => purpose.kind !== 'subscribe')
    const count = (wanted: string) => sent.filter(({ argv: [verb] }) => verb === wanted).length
    expect([count('INFO'), count('PING'), count('PUBLISH')]).toEqual([1, 98, 1])
    expect(stage.show('master')?.['link-pending-commands']).toBe('100')
  })

  test('15.6 a hundred commands without a reply are the limit, for news as well', () => {
    const stage = new SentinelStage({ group: { downAfterMs: 600_000 } })
    stage.part('peer2').mood = 'hangs'
    for (let epoch = 1; epoch <= 150; epoch++) {
      stage.hello('peer1', { masterHost: `10.0.0.${1 + (epoch % 2)}`, configEpoch: epoch })
    }
    expect(stage.times('+switch-master')).toHaveLength(150)
    expect(stage.show('sentinels', 'peer2')?.['link-pending-commands']).toBe('100')
  })

  // C takes an error for no answer, and tries again every tick.
  test('15.6 a hello that is refused is said again after two seconds, not after a tick', () => {
    const stage = new SentinelStage()
    const noperm = error('NOPERM this user has no permissions')
    stage.part('master').says = ([verb]) => (verb === 'PUBLISH' ? noperm : undefined)
    stage.run(2_000)
    stage.forget()
    stage.run(20_000)
    expect(stage.sentTo('master', 'PUBLISH')).toHaveLength(10)
  })
})

describe('further traps: time', () => {
  // C looks at TILT only while it goes through its instances: with none, it stays for ever.
  test('TILT ends although no group is monitored', () => {
    const stage = new SentinelStage({ groups: [] })
    stage.stall(5_000)
    const [sinceMs = 0] = stage.times('+tilt')
    stage.run(40_000)
    expect(stage.times('-tilt')).toEqual([sinceMs + 30_000])
  })

  test('the moment of the last S_DOWN survives it: "no down for" counts from its beginning', () => {
    const stage = new SentinelStage()
    stage.part('replica1').master = undefined
    const claimedAtMs = stage.until('-role-change slave 10.0.0.2')
    stage.run(4_000)
    stage.kill('replica1')
    const downAtMs = stage.until('+sdown slave 10.0.0.2')
    stage.revive('replica1')
    stage.until('-sdown slave 10.0.0.2')
    const convertedAtMs = stage.until('+convert-to-slave')
    expect(downAtMs).toBeGreaterThan(claimedAtMs + 5_000)
    expect(convertedAtMs).toBeGreaterThan(downAtMs + 8_000)
    expect(convertedAtMs).toBeLessThan(downAtMs + 9_200)
  })
})
