/**
 * Facts about Sentinel, section 15: a failover under way, the switch, and repairs. Where we differ on
 * purpose the test says what we do, and a line above it what C Sentinel does.
 */
import { describe, expect, test } from 'vitest'
import { error } from '../../../src/resp/reply.ts'
import { SentinelStage, type StageSetup } from '../../support/sentinel-stage.ts'

/** All peers agree that the master is down, and `replica1` has the most data. */
function ready(setup: StageSetup = {}): SentinelStage {
  const stage = new SentinelStage(setup)
  for (const part of stage.cast.values()) part.seesDown = true
  stage.part('replica1').offset = 200
  return stage
}

const ABORTED = error('EXECABORT Transaction discarded because of previous errors.')

/** Our user may not call the command there, which ends the transaction around it. */
function forbid(stage: SentinelStage, name: string, command: string): void {
  let isRefused = false
  stage.part(name).says = ([verb = '']) => {
    if (verb === 'MULTI') isRefused = false
    isRefused ||= verb === command
    if (verb === command) return error(`NOPERM no permissions to run '${command.toLowerCase()}'`)
    return verb === 'EXEC' && isRefused ? ABORTED : undefined
  }
}

/** A failover to `replica1` that cannot end before 10 s: `replica2` does not do what it is told. */
function stuckInReconfiguration(setup: StageSetup = {}): SentinelStage {
  const stage = ready(setup)
  stage.part('replica2').obeys = false
  stage.kill('master')
  stage.until('+promoted-slave')
  stage.run(100)
  return stage
}

/** `replica1` has become the master, and the old one is still dead. */
function switched(setup: StageSetup = {}): SentinelStage {
  const stage = ready(setup)
  stage.kill('master')
  stage.until('+switch-master')
  stage.run(2_000)
  return stage
}

function firstTime(stage: SentinelStage, beginning: string): number {
  return stage.times(beginning)[0] ?? Number.NaN
}

function hellosTo(stage: SentinelStage, name: string): readonly string[] {
  return stage.sentTo(name, 'PUBLISH').map(({ argv }) => argv[2] ?? '')
}

describe('15.16', () => {
  test('15.16 a master that is well again does not stop a failover', () => {
    const stage = ready()
    for (const name of ['replica1', 'replica2']) stage.part(name).delayMs = 700
    stage.kill('master')
    stage.until('+failover-state-wait-promotion')
    stage.revive('master')
    stage.run(10_000)
    const order = ['-sdown master', '+promoted-slave', '+switch-master'].map((event) =>
      firstTime(stage, event),
    )
    expect(stage.times('-odown master')).toHaveLength(1)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(order.every(Number.isFinite)).toBe(true)
  })

  // C chooses the same one again each time, and nobody else is ever promoted.
  test('15.16 a replica that claims the most and does not obey gives way to the next one', () => {
    const stage = ready({ group: { failoverTimeoutMs: 3_000 } })
    stage.part('replica1').obeys = false
    stage.kill('master')
    stage.until('-failover-abort-slave-timeout')
    stage.run(30_000)
    expect(stage.times('+selected-slave slave 10.0.0.2')).toHaveLength(1)
    expect(stage.times('+switch-master g 10.0.0.1 6379 10.0.0.3 6379')).toHaveLength(1)
  })

  // C waits for the failover-timeout, pauses for twice as long, and chooses the same one again.
  test('15.16 a replica that refuses to be the master gives way to the next one at once', () => {
    const stage = ready()
    forbid(stage, 'replica1', 'SLAVEOF')
    stage.kill('master')
    const refusedAtMs = stage.until('+failover-state-wait-promotion')
    const promotedAtMs = stage.until('+promoted-slave slave 10.0.0.3')
    expect(promotedAtMs - refusedAtMs).toBeLessThan(20)
    expect(stage.times('+failover-state-select-slave')).toHaveLength(2)
    stage.until('+switch-master g 10.0.0.1 6379 10.0.0.3 6379')
    expect(stage.times('+try-failover')).toHaveLength(1)
  })

  test('15.16 a replica that refuses another step of the transaction gives way, too', () => {
    const stage = ready()
    forbid(stage, 'replica1', 'CONFIG')
    stage.kill('master')
    stage.until('+switch-master g 10.0.0.1 6379 10.0.0.3 6379')
    expect(stage.times('-failover-abort-')).toEqual([])
  })

  test('15.16 where all replicas refuse, the next attempt follows after a second', () => {
    const stage = ready()
    for (const name of ['replica1', 'replica2']) forbid(stage, name, 'SLAVEOF')
    stage.kill('master')
    const abortedAtMs = stage.until('-failover-abort-no-good-slave')
    stage.run(900)
    expect(stage.times('+try-failover')).toHaveLength(1)
    for (const name of ['replica1', 'replica2']) stage.part(name).says = () => undefined
    const switchedAtMs = stage.until('+switch-master g 10.0.0.1 6379')
    expect(switchedAtMs - abortedAtMs).toBeLessThan(2_000)
  })

  test('15.16 a replica without memory takes the order by itself, and stays the chosen one', () => {
    const stage = ready()
    const part = stage.part('replica1')
    let isInTransaction = false
    part.says = ([verb = '']) => {
      if (verb === 'MULTI' || verb === 'EXEC') isInTransaction = verb === 'MULTI'
      if (verb === 'EXEC') return ABORTED
      return isInTransaction && verb === 'SLAVEOF' ? error('OOM command not allowed') : undefined
    }
    stage.kill('master')
    stage.until('+switch-master g 10.0.0.1 6379 10.0.0.2 6379')
    expect(stage.times('+selected-slave')).toHaveLength(1)
  })

  // C neither ends nor times out as long as the promoted replica is down.
  test('15.16 a promoted replica that dies becomes the master on record, and is replaced', () => {
    const stage = stuckInReconfiguration()
    stage.kill('replica1')
    const downAtMs = stage.until('+sdown slave 10.0.0.2')
    stage.part('replica2').obeys = true
    stage.run(5_000)
    expect(stage.times('+switch-master g 10.0.0.1 6379 10.0.0.2 6379')).toEqual([downAtMs])
    expect(stage.times('+switch-master g 10.0.0.2 6379 10.0.0.3 6379')).toHaveLength(1)
  })

  // With one place in parallel C looks at the time-out only while places are free: so never.
  test('15.16 with parallel-syncs 1 a replica that never follows is given up after 10 s', () => {
    const stage = stuckInReconfiguration({ replicas: 3, group: { parallelSyncs: 1 } })
    const sentAtMs = firstTime(stage, '+slave-reconf-sent slave 10.0.0.3')
    expect(stage.times('+slave-reconf-sent slave 10.0.0.4')).toEqual([])
    stage.run(15_000)
    expect(stage.times('-slave-reconf-sent-timeout slave 10.0.0.3')).toEqual([sentAtMs + 10_001])
    expect(stage.times('+slave-reconf-sent slave 10.0.0.4')).toEqual([sentAtMs + 10_001])
    expect(stage.times('+failover-end-for-timeout')).toEqual([])
    expect(stage.times('+switch-master')).toHaveLength(1)
  })
})

describe('15.17', () => {
  test('15.17 until the switch clients, hellos and the disk have the new address', () => {
    const stage = stuckInReconfiguration()
    expect(stage.wire(['SENTINEL', 'get-master-addr-by-name', 'g'])).toBe(
      '*2\r\n$8\r\n10.0.0.2\r\n$4\r\n6379\r\n',
    )
    expect(hellosTo(stage, 'peer1').at(-1)).toMatch(/,1,g,10\.0\.0\.2,6379,1$/)
    expect(stage.saved.groups[0]?.current).toMatchObject({ host: '10.0.0.2', port: 6379 })
  })

  // Unlike in C: redis-py reads there where to connect to, and would be led to the old master until then.
  test('15.17 until the switch MASTER has the new address', () => {
    const shown = stuckInReconfiguration().show('master')
    expect(shown).toMatchObject({ ip: '10.0.0.2', flags: 'master,failover_in_progress' })
  })

  test('15.17 until the switch INFO and events have the old address', () => {
    const stage = stuckInReconfiguration()
    expect(stage.wire(['INFO', 'sentinel'])).toContain(
      'master0:name=g,status=odown,address=10.0.0.1:6379,',
    )
    const sent = stage.log.find(({ text }) => text.startsWith('+slave-reconf-sent'))
    expect(sent?.text).toBe(
      '+slave-reconf-sent slave 10.0.0.3:6379 10.0.0.3 6379 @ g 10.0.0.1 6379',
    )
  })
})

describe('15.18', () => {
  const clientReconfigScript = '/bin/reconfig'

  test('15.18 the leader says +switch-master when its replicas are done, others at once', () => {
    const stage = stuckInReconfiguration()
    const promotedAtMs = firstTime(stage, '+promoted-slave')
    const told = stage.sentTo('peer1', 'PUBLISH').find(({ argv }) => argv[2]?.endsWith(',1'))
    expect(told?.atMs).toBe(promotedAtMs)
    expect(stage.until('+switch-master')).toBeGreaterThan(promotedAtMs + 10_000)
    const observer = new SentinelStage()
    observer.hello('peer1', { masterHost: '10.0.0.2', configEpoch: 1, currentEpoch: 1 })
    expect(observer.times('+switch-master')).toEqual([observer.ms])
  })

  test('15.18 the leader runs the reconfig script at the promotion, and not again', () => {
    const stage = stuckInReconfiguration({ group: { clientReconfigScript } })
    stage.until('+switch-master')
    stage.run(100)
    const words = ['g', 'leader', 'start', '10.0.0.1', '6379', '10.0.0.2', '6379']
    const atMs = firstTime(stage, '+promoted-slave')
    expect(stage.scripts).toMatchObject([{ atMs, argv: [clientReconfigScript, ...words] }])
  })

  test('15.18 an observer runs it at the switch', () => {
    const stage = new SentinelStage({ group: { clientReconfigScript } })
    stage.hello('peer1', { masterHost: '10.0.0.2', configEpoch: 1 })
    const words = ['g', 'observer', 'start', '10.0.0.1', '6379', '10.0.0.2', '6379']
    expect(stage.scripts).toMatchObject([{ argv: [clientReconfigScript, ...words] }])
  })
})

describe('15.19', () => {
  test('15.19 the subscription that our own CLIENT KILL cuts is back within milliseconds', () => {
    const stage = stuckInReconfiguration()
    const [kill] = stage.sentTo('replica1', 'SLAVEOF')
    const orderedAtMs = kill?.atMs ?? Number.NaN
    const reopened = stage
      .opened('replica1', 'pubsub')
      .filter(({ atMs }) => atMs >= orderedAtMs && atMs <= orderedAtMs + 10)
    expect(reopened).toHaveLength(1)
    stage.run(5_000)
    expect(stage.times('+sdown slave 10.0.0.2')).toEqual([])
  })

  // C reopens at most once a second, which with a down-after of a second is a false alarm.
  test('15.19 connections that others cut, twice in a row, are back in time and nobody is down', () => {
    const stage = new SentinelStage()
    stage.run(5_350)
    stage.forget()
    stage.cut('master')
    stage.run(100)
    stage.cut('master')
    stage.run(300)
    expect(stage.opened('master', 'command')).toHaveLength(2)
    expect(stage.show('master')?.flags).toBe('master')
    stage.run(5_000)
    expect(stage.times('+sdown')).toEqual([])
  })
})

describe('15.20', () => {
  // C keeps the time of the old master's INFO, so that the next one may be 10 s away.
  test('15.20 after a switch the new master is asked for INFO at once, and its replicas found', () => {
    const stage = new SentinelStage()
    stage.run(3_000)
    stage.part('replica1').master = undefined
    stage.add('replica3').master = '10.0.0.2:6379'
    stage.hello('peer1', { masterHost: '10.0.0.2', configEpoch: 1 })
    stage.run(20)
    expect(stage.show('replicas', 'replica3')?.name).toBe('10.0.0.4:6379')
  })

  test('15.20 after RESET the master is asked for INFO at once', () => {
    const stage = new SentinelStage()
    stage.run(3_000)
    expect(stage.wire(['SENTINEL', 'reset', 'g'])).toBe(':1\r\n')
    expect(stage.show('master')?.['num-slaves']).toBe('0')
    stage.run(20)
    expect(stage.show('master')?.['num-slaves']).toBe('2')
  })

  // C does not write its file here: a crash brings back what was forgotten.
  test('15.20 what RESET has forgotten stays so across a crash', () => {
    const stage = new SentinelStage()
    expect(stage.saved.groups[0]?.replicas).toHaveLength(2)
    stage.kill('master')
    stage.ask('SENTINEL', 'reset', 'g')
    stage.restart()
    const shown = stage.show('master')
    expect(shown).toMatchObject({ 'num-slaves': '0', 'num-other-sentinels': '0' })
  })
})

describe('15.23', () => {
  // C always waits 8 s, and acts when an INFO comes: typically after 10 s.
  test('15.23 with a majority behind our view a returned master is turned back at once', () => {
    const stage = switched()
    stage.revive('master')
    const returnedAtMs = stage.ms
    expect(stage.until('+convert-to-slave slave 10.0.0.1') - returnedAtMs).toBeLessThan(300)
    expect(stage.sentTo('master', 'SLAVEOF')[0]?.argv).toEqual(['SLAVEOF', '10.0.0.2', '6379'])
  })

  // Seen with real processes: its promotion was undone before the hello that told of it had come.
  test('15.23 a former master that somebody has promoted again is not turned back at once', () => {
    const stage = switched()
    stage.part('master').wasReplica = true
    stage.revive('master')
    stage.run(7_000)
    expect(stage.sentTo('master', 'SLAVEOF')).toEqual([])
  })

  test('15.23 without a majority a returned master is turned back after 8 s', () => {
    const stage = switched()
    for (const name of ['peer1', 'peer2']) stage.part(name).talks = false
    stage.run(10_000)
    stage.revive('master')
    const returnedAtMs = stage.ms
    const waitedMs = stage.until('+convert-to-slave slave 10.0.0.1') - returnedAtMs
    expect(waitedMs).toBeGreaterThan(8_000)
    expect(waitedMs).toBeLessThan(9_500)
  })

  test('15.23 nor where a majority has fallen silent since its last hellos (seed 26606)', () => {
    const stage = switched()
    stage.run(100)
    for (const name of ['peer1', 'peer2']) stage.kill(name)
    stage.run(1_500)
    expect(stage.times('+sdown sentinel')).toHaveLength(2)
    stage.revive('master')
    stage.run(3_000)
    expect(stage.sentTo('master', 'SLAVEOF')).toEqual([])
  })

  test('15.23 nor by a Sentinel that has heard of nobody since its start (seed 28851)', () => {
    const stage = new SentinelStage()
    Object.assign(stage.part('replica1'), { master: undefined, wasReplica: false })
    for (const name of ['peer1', 'peer2']) stage.part(name).talks = false
    stage.restart()
    stage.until('-role-change slave 10.0.0.2')
    stage.run(5_000)
    expect(stage.sentTo('replica1', 'SLAVEOF')).toEqual([])
  })

  test('15.23 a replica that starts as a master is turned at once: nobody can have promoted it (seed 26489)', () => {
    const stage = new SentinelStage()
    stage.kill('replica1')
    stage.until('+sdown slave 10.0.0.2')
    Object.assign(stage.part('replica1'), { master: undefined, wasReplica: false })
    stage.revive('replica1')
    const returnedAtMs = stage.ms
    expect(stage.until('+convert-to-slave slave 10.0.0.2') - returnedAtMs).toBeLessThan(300)
  })

  test('15.23 a replica that somebody made a master has 8 s even with a majority behind us', () => {
    const stage = new SentinelStage()
    stage.part('replica1').master = undefined
    const claimedAtMs = stage.until('-role-change slave 10.0.0.2')
    expect(stage.until('+convert-to-slave slave 10.0.0.2')).toBeGreaterThan(claimedAtMs + 8_000)
  })

  test('15.23 nor is one turned while the leader we voted for may be promoting it (seed 22480)', () => {
    const stage = new SentinelStage()
    stage.part('replica1').master = undefined
    stage.until('-role-change slave 10.0.0.2')
    stage.run(7_000)
    const { runId } = stage.part('peer1')
    expect(JSON.stringify(stage.askedBy('peer1', 5, runId))).toContain(runId)
    const votedAtMs = stage.ms
    expect(stage.until('+convert-to-slave slave 10.0.0.2')).toBeGreaterThan(votedAtMs + 8_000)
  })

  test('15.23 nor is one that was turned and promoted meanwhile, unseen, for its claim of before (seed 36476)', () => {
    const stage = new SentinelStage()
    const replica = stage.part('replica1')
    replica.master = undefined
    stage.until('-role-change slave 10.0.0.2')
    stage.run(7_000)
    replica.moreInfo.push(
      'master_replid:another history',
      'master_replid2:history of whom it followed',
    )
    const promotedAtMs = stage.ms
    expect(stage.until('+convert-to-slave slave 10.0.0.2')).toBeGreaterThan(promotedAtMs + 8_000)
  })

  test('15.23 nobody is turned towards a master that is down', () => {
    const stage = new SentinelStage()
    stage.part('replica1').master = undefined
    stage.until('-role-change slave 10.0.0.2')
    stage.kill('master')
    stage.run(60_000)
    expect(stage.times('+convert-to-slave')).toEqual([])
    stage.revive('master')
    stage.until('+convert-to-slave slave 10.0.0.2')
  })

  // C waits a whole failover-timeout in either case.
  test.each([
    ['with a majority behind us 8 s', true, 8_000],
    ['without one a failover-timeout', false, 20_000],
  ] as const)('15.23 a replica that follows somebody else has %s', (_, talks, waitMs) => {
    const stage = new SentinelStage({ group: { failoverTimeoutMs: 20_000 } })
    for (const name of ['peer1', 'peer2']) stage.part(name).talks = talks
    stage.run(10_300)
    stage.part('replica1').master = '10.0.0.9:6379'
    const seenAtMs = Math.ceil(stage.ms / 10_000) * 10_000
    const fixedAtMs = stage.until('+fix-slave-config slave 10.0.0.2')
    expect(fixedAtMs).toBeGreaterThan(seenAtMs + waitMs)
    // Looked at only when an INFO comes, every 10 s.
    expect(fixedAtMs).toBeLessThan(seenAtMs + waitMs + 11_000)
  })

  // C tells it with each INFO, every second at most. Here INFO follows each SLAVEOF: without a limit it would
  // be told as fast as it answers.
  test.each([
    ['a replica', '10.0.0.9:6379', '+fix-slave-config'],
    ['a false master', undefined, '+convert-to-slave'],
  ] as const)('15.23 %s that does not do what it is told is not flooded', (_, master, event) => {
    const stage = new SentinelStage({ group: { failoverTimeoutMs: 20_000 } })
    stage.part('replica1').obeys = false
    stage.part('replica1').master = master
    stage.until(event)
    stage.run(1_000)
    expect(stage.sentTo('replica1', 'SLAVEOF').length).toBeLessThanOrEqual(2)
    expect(stage.times(event).length).toBeLessThanOrEqual(2)
  })
})
