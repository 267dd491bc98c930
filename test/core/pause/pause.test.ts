import { describe, expect, test } from 'vitest'
import type { ToldPause } from '../../../src/core/pause/pause-record.ts'
import { canPause, giveOrder, order, shareReply, tell } from '../../support/pausing-peers.ts'
import { ME, SentinelStage, type StageSetup } from '../../support/sentinel-stage.ts'

/** A healthy group of three Sentinels that can hold a pause. */
function calm(setup: StageSetup = {}): SentinelStage {
  const stage = new SentinelStage(setup)
  stage.run(5_000)
  for (const name of ['peer1', 'peer2']) canPause(stage, name)
  stage.forget()
  return stage
}

/** The master dies, and all see it down. */
function masterDies(stage: SentinelStage): void {
  for (const name of ['peer1', 'peer2']) stage.part(name).seesDown = true
  stage.kill('master')
  stage.until('+odown master')
}

const PAUSE = 'SENTINEL PAUSE g 600 new kernel'

describe('a pause is ordered', () => {
  test('the answer says how many hold it, once all have said so', () => {
    const stage = calm()
    expect(order(stage, PAUSE)).toBe("OK 3 of 3 Sentinels hold the pause of 'g' for 600 s")
    expect(stage.times('+pause master g 10.0.0.1 6379 for 600 s by default@10.9.0.7')).toHaveLength(
      1,
    )
    expect(stage.show('master')).toMatchObject({
      'pause-left-ms': expect.stringMatching(/^5999\d\d$|^600000$/),
      ...{ 'pause-number': '1', 'pause-held-by': '3', 'pause-by': 'default@10.9.0.7' },
      'pause-reason': 'new kernel',
    })
  })

  test('a Sentinel that cannot save takes none, and says why', () => {
    const stage = calm()
    stage.state.canSave = false
    expect(order(stage, PAUSE)).toMatch(/^ERR The state of this Sentinel cannot be saved/)
    expect(stage.times('+pause')).toEqual([])
  })

  test('it is on disk before any peer hears of it', () => {
    const stage = calm()
    order(stage, PAUSE)
    const saved = stage.done.findIndex((one) => one.kind === 'save')
    const told = stage.done.findIndex((one) => {
      return one.kind === 'send' && one.argv[1] === 'SHARE-PAUSE' && one.argv[3] === '1'
    })
    expect(saved).toBeGreaterThan(-1)
    expect(told).toBeGreaterThan(saved)
  })

  test('one C Sentinel of three cannot hold it, and two are a majority', () => {
    const stage = calm()
    stage.part('peer2').says = () => undefined
    expect(order(stage, PAUSE)).toMatch(/^OK 2 of 3 /)
  })

  test('among C Sentinels it is refused, and nothing is left of it', () => {
    const stage = new SentinelStage()
    stage.run(5_000)
    expect(order(stage, PAUSE)).toMatch(
      /^NOMAJORITY 2 of 3 Sentinels have to hold the pause and 1 can/,
    )
    expect(stage.times('+pause')).toEqual([])
    expect(stage.saved.groups[0]?.pause).toBeUndefined()
  })

  test('where the others are dead it is refused at once', () => {
    const stage = calm()
    for (const name of ['peer1', 'peer2']) stage.kill(name)
    stage.run(3_000)
    const atMs = stage.ms
    expect(order(stage, PAUSE)).toMatch(/^NOMAJORITY /)
    expect(stage.ms).toBe(atMs)
  })

  test('where the others hang it is refused after a second', () => {
    const stage = calm({ group: { downAfterMs: 30_000 } })
    for (const name of ['peer1', 'peer2']) stage.part(name).mood = 'hangs'
    expect(order(stage, PAUSE)).toMatch(/^NOMAJORITY /)
    expect(stage.times('+pause')).toEqual([])
  })

  test('peers that are lost between the question and the order: it is taken back everywhere', () => {
    const stage = calm({ group: { downAfterMs: 30_000 } })
    for (const name of ['peer1', 'peer2']) {
      stage.part(name).says = (argv) =>
        argv[1] === 'SHARE-PAUSE' && argv[3] === '0' ? shareReply(NOTHING) : undefined
    }
    expect(order(stage, PAUSE)).toMatch(/^NOMAJORITY /)
    expect(stage.times('-pause master g 10.0.0.1 6379 resumed')).toHaveLength(1)
    expect(stage.saved.groups[0]?.pause).toMatchObject({ number: 1, kind: 'resume', origin: ME })
  })

  test('it gets a number above what any peer knows', () => {
    const stage = calm()
    canPause(stage, 'peer1').held = { ...NOTHING, number: 41, origin: 'c'.repeat(40) }
    expect(order(stage, PAUSE)).toMatch(/^OK 3 of 3 /)
    expect(stage.show('master')).toMatchObject({ 'pause-number': '42' })
  })

  test('a new order sets a new end', () => {
    const stage = calm()
    order(stage, PAUSE)
    order(stage, 'SENTINEL PAUSE g 5')
    stage.run(5_100)
    expect(stage.times('-pause master g 10.0.0.1 6379 expired')).toHaveLength(1)
  })

  test.each([1, 2, 3])(
    'a resume %d ms later counts, and the two do not overrule each other in turns',
    (laterMs) => {
      const stage = calm()
      const paused = giveOrder(stage, PAUSE)
      stage.run(laterMs)
      const waits = paused() === undefined
      expect(order(stage, 'SENTINEL RESUME g')).toMatch(/^OK 3 of 3 /)
      expect(paused()).toMatch(waits ? /^INPROG / : /^OK /)
      stage.run(1_000)
      expect(stage.times('+pause').length).toBeLessThanOrEqual(1)
      expect(stage.show('master')).not.toHaveProperty('pause-left-ms')
    },
  )

  test('one that is refused does not end an earlier one that still waits', () => {
    const stage = calm()
    const paused = giveOrder(stage, PAUSE)
    stage.until('+pause master')
    for (const name of ['peer1', 'peer2']) stage.part(name).says = () => undefined
    const again = giveOrder(stage, 'SENTINEL PAUSE g 5')
    stage.run(1_500)
    expect(again()).toMatch(/^NOMAJORITY /)
    expect(paused()).toMatch(/^(OK|NOMAJORITY) /)
  })

  test('not while a failover is in progress', () => {
    const stage = calm()
    stage.ask('SENTINEL', 'FAILOVER', 'g')
    expect(order(stage, PAUSE)).toMatch(/^INPROG /)
  })

  test.each(['0', '-5', '86401', 'soon', '1.5'])('%s is no time for a pause', (time) => {
    const stage = calm()
    expect(order(stage, `SENTINEL PAUSE g ${time}`)).toBe(
      'ERR Invalid time: seconds from 1 to 86400, which is a day',
    )
  })
})

const NOTHING: ToldPause = {
  ...{ number: 0, origin: '', by: '', reason: '', leftMs: 0, isSure: true },
  kind: 'resume',
}

describe('while it lasts', () => {
  test('no failover begins, and the log says why, once', () => {
    const stage = calm()
    order(stage, PAUSE)
    masterDies(stage)
    stage.run(60_000)
    expect(stage.times('+try-failover')).toEqual([])
    expect(stage.times('no failover of master g')).toHaveLength(1)
  })

  test('no candidate gets a vote, whoever asks', () => {
    const stage = calm()
    tell(stage, { number: 1 })
    stage.askedBy('peer1', 5, stage.part('peer1').runId)
    expect(stage.times('+vote-for-leader')).toEqual([])
    expect(stage.times('+new-epoch 5')).toHaveLength(1)
  })

  test('a candidate that an operator ordered to stand gets it', () => {
    const stage = calm()
    tell(stage, { number: 1 })
    const { runId } = stage.part('peer1')
    stage.ask('SENTINEL', 'BY-HAND', 'g', '5', runId)
    stage.askedBy('peer1', 5, runId)
    expect(stage.times('+vote-for-leader')).toHaveLength(1)
  })

  test('a failover by hand works', () => {
    const stage = calm()
    order(stage, PAUSE)
    masterDies(stage)
    expect(order(stage, 'SENTINEL FAILOVER g')).toBe('OK')
    stage.until('+switch-master')
  })

  test('before a coordinated failover asks for votes it says that it was ordered', () => {
    const stage = calm()
    stage.part('master').moreInfo.push('master_failover_state:no-failover')
    stage.run(11_000)
    order(stage, PAUSE)
    stage.forget()
    expect(order(stage, 'SENTINEL FAILOVER g COORDINATED')).toBe('OK')
    const words = stage.sentTo('peer1', 'SENTINEL').map(({ argv }) => argv[1])
    expect(words.slice(0, 2)).toEqual(['BY-HAND', 'is-master-down-by-addr'])
  })

  test('a candidacy that has not won is given up when the pause arrives', () => {
    const stage = calm()
    for (const name of ['peer1', 'peer2']) stage.part(name).delayMs = 300
    masterDies(stage)
    expect(stage.times('+try-failover')).toHaveLength(1)
    tell(stage, { number: 1 })
    expect(stage.times('-failover-abort-not-elected')).toHaveLength(1)
    stage.run(30_000)
    expect(stage.times('+try-failover')).toHaveLength(1)
  })
})

describe('when it is over', () => {
  test('resumed: a dead master is replaced at once', () => {
    const stage = calm()
    order(stage, PAUSE)
    masterDies(stage)
    stage.run(30_000)
    const fromMs = stage.ms
    expect(order(stage, 'SENTINEL RESUME g')).toMatch(
      /^OK 3 of 3 Sentinels know that 'g' fails over/,
    )
    stage.run(30)
    expect(stage.times('+try-failover')[0]).toBeLessThan(fromMs + 30)
  })

  test('expired: a dead master is replaced at once', () => {
    const stage = calm()
    order(stage, 'SENTINEL PAUSE g 20')
    masterDies(stage)
    const endMs = stage.until('-pause master g 10.0.0.1 6379 expired')
    expect(stage.until('+try-failover') - endMs).toBeLessThan(30)
  })

  test('an election lost before the pause is no reason to wait after it', () => {
    const stage = calm()
    for (const name of ['peer1', 'peer2']) stage.part(name).votesFor = 'c'.repeat(40)
    masterDies(stage)
    stage.until('-failover-abort-not-elected')
    order(stage, PAUSE)
    stage.run(1_000)
    for (const name of ['peer1', 'peer2']) stage.part(name).votesFor = 'candidate'
    stage.forget()
    const fromMs = stage.ms
    order(stage, 'SENTINEL RESUME g')
    stage.run(30)
    expect(stage.times('+try-failover')[0]).toBeLessThan(fromMs + 30)
  })

  test('a resume with one Sentinel is told, and the others hear of it later', () => {
    const stage = calm()
    order(stage, PAUSE)
    for (const name of ['peer1', 'peer2']) stage.kill(name)
    stage.run(3_000)
    expect(order(stage, 'SENTINEL RESUME g')).toMatch(
      /^OK 1 of 3 .*as soon as they can be reached$/,
    )
    stage.forget()
    stage.revive('peer1')
    stage.run(3_000)
    const told = stage.sentTo('peer1', 'SENTINEL').filter(({ argv }) => argv[1] === 'SHARE-PAUSE')
    expect(told.map(({ argv }) => argv[4])).toEqual(['resume'])
  })

  test('what is not paused cannot be resumed', () => {
    expect(order(calm(), 'SENTINEL RESUME g')).toBe(
      "NOTPAUSED 'g' is not paused, as this Sentinel knows it",
    )
  })
})

describe('other Sentinels tell of it', () => {
  test('a newer order is taken over and passed on', () => {
    const stage = calm()
    tell(stage, { number: 3, reason: 'a new switch' })
    expect(stage.times('+pause')).toHaveLength(1)
    expect(stage.sentTo('peer1', 'SENTINEL').map(({ argv }) => argv[3])).toEqual(['3'])
  })

  test('an older one is not, and its teller hears the newer', () => {
    const stage = calm()
    tell(stage, { number: 3, kind: 'resume', leftMs: 0 })
    expect(tell(stage, { number: 2 })).toMatchObject({
      items: [{ bytes: '3' }, {}, {}, {}, {}, {}, {}, {}],
    })
    expect(stage.times('+pause')).toEqual([])
  })

  test('a number far out of reach is refused: nobody could give an order after it', () => {
    const stage = calm()
    expect(tell(stage, { number: 2 ** 52 })).toMatchObject({ kind: 'error' })
    expect(stage.times('+pause')).toEqual([])
  })

  test('where no pause was ever ordered nothing is told', () => {
    const stage = new SentinelStage()
    stage.run(20_000)
    const words = stage.sentTo('peer1', 'SENTINEL').map(({ argv }) => argv[1])
    expect(words).not.toContain('SHARE-PAUSE')
  })
})

describe('restarts and clocks', () => {
  test('a restart does not end it', () => {
    const stage = calm()
    order(stage, PAUSE)
    stage.restart()
    stage.run(2_000)
    masterDies(stage)
    stage.run(30_000)
    expect(stage.times('+try-failover')).toEqual([])
  })

  test('what is left is counted by the wall clock while the process is away', () => {
    const stage = calm()
    order(stage, PAUSE)
    stage.jump(590_000)
    for (const name of ['peer1', 'peer2']) stage.kill(name)
    stage.restart()
    stage.until('-pause master g 10.0.0.1 6379 expired', 11_000)
  })

  test('a wall clock that was set back does not prolong it', () => {
    const stage = calm()
    order(stage, 'SENTINEL PAUSE g 10')
    stage.jump(-3_600_000)
    for (const name of ['peer1', 'peer2']) stage.kill(name)
    stage.restart()
    stage.until('-pause master g 10.0.0.1 6379 expired', 10_100)
  })

  test('a wall clock that was set ahead ends it, until a peer that has counted says otherwise', () => {
    const stage = calm()
    order(stage, PAUSE)
    stage.jump(7_200_000)
    stage.restart()
    expect(stage.times('-pause master g 10.0.0.1 6379 expired')).toHaveLength(1)
    stage.run(3_000)
    expect(Number(stage.show('master')?.['pause-left-ms'])).toBeGreaterThan(500_000)
  })

  test('a jump of the clock of a running Sentinel changes nothing', () => {
    const stage = calm()
    order(stage, 'SENTINEL PAUSE g 60')
    const fromMs = stage.ms
    stage.jump(3_600_000)
    const endMs = stage.until('-pause master g 10.0.0.1 6379 expired', 70_000)
    expect(endMs - fromMs).toBeGreaterThan(59_000)
    expect(endMs - fromMs).toBeLessThan(91_000)
  })

  test('a switch of the master by hand does not end it', () => {
    const stage = calm()
    order(stage, PAUSE)
    order(stage, 'SENTINEL FAILOVER g')
    stage.until('+switch-master')
    expect(stage.show('master')).toHaveProperty('pause-left-ms')
    stage.run(600_000)
    expect(stage.times('-pause master g')).toHaveLength(1)
  })
})
