/** By which doors epochs of others come in, and how far: see src/core/election/epoch.ts. */
import { describe, expect, test } from 'vitest'
import { EPOCH_MAX, isUsedUp, reachOf, spend } from '../../src/core/election/epoch.ts'
import { array, bulk, error, integer } from '../../src/resp/reply.ts'
import { SentinelStage } from '../support/sentinel-stage.ts'

const B = 'b'.repeat(40)
const ABSURD = [2 ** 48 - 1, 2 ** 48, 2 ** 53 - 1, 2 ** 53, 2 ** 63, 2 ** 64] as const
const FAR = 2 ** 33

function epochOf(stage: SentinelStage): number {
  return stage.saved.currentEpoch
}

/** The doors, each as a message that says a number, and comes from a Sentinel we know. */
const DOORS: readonly (readonly [name: string, say: (to: SentinelStage, epoch: number) => void])[] =
  [
    ['a hello', (stage, currentEpoch) => stage.hello('peer1', { currentEpoch })],
    ['the config epoch of a hello', (stage, configEpoch) => stage.hello('peer1', { configEpoch })],
    ['a hello on the channel', hearHello],
    ['a vote request', (stage, epoch) => void stage.askedBy('peer1', epoch, B)],
    ['an answer to CONFER', counsel],
  ]

function hearHello(stage: SentinelStage, epoch: number): void {
  const hello = `10.1.0.1,26379,${B},${epoch},g,10.0.0.1,6379,0`
  stage.hear('replica1', '__sentinel__:hello', hello)
}

function counsel(stage: SentinelStage, epoch: number): void {
  stage.part('peer1').counsel = { refused: false, granted: false, epoch }
  stage.kill('master')
  stage.run(10)
}

describe.each(DOORS)('%s', (name, say) => {
  test.each(ABSURD)('with epoch %d changes nothing', (epoch) => {
    const stage = new SentinelStage()
    const before = stage.saved
    say(stage, epoch)
    stage.run(100)
    expect(stage.saved).toEqual(before)
  })

  test('with an epoch that years of failed elections can have reached is believed', () => {
    const stage = new SentinelStage()
    say(stage, 1_000_000)
    stage.run(100)
    expect(epochOf(stage)).toBeGreaterThanOrEqual(1_000_000)
  })

  // Ten thousand messages, each as far ahead as is believed.
  test('walking gets no farther than one long step', () => {
    const stage = new SentinelStage()
    const steps = name === 'an answer to CONFER' ? 0 : 10_000
    for (let step = 0; step < steps; step++) say(stage, epochOf(stage) + 1 + (step % 3) * 2 ** 31)
    expect(epochOf(stage)).toBeLessThan(2 ** 32 + 1_000_000)
  })
})

test('a negative epoch is no epoch, at every door', () => {
  const stage = new SentinelStage()
  for (const [, say] of DOORS) say(stage, -1)
  stage.run(100)
  expect(epochOf(stage)).toBe(0)
})

test('a hello whose epoch is refused moves no Sentinel and no master, and counts as nothing heard', () => {
  const stage = new SentinelStage()
  stage.run(1_000)
  const before = stage.show('sentinels', 'peer1')?.['last-hello-message']
  stage.hello('peer1', {
    currentEpoch: FAR,
    configEpoch: FAR,
    host: '10.1.0.9',
    masterHost: '10.6.6.6',
  })
  expect(stage.show('master')).toMatchObject({ ip: '10.0.0.1', 'config-epoch': '0' })
  expect(stage.show('sentinels', 'peer1')?.['last-hello-message']).toBe(before)
})

test('a far vote request gets our opinion, and no vote', () => {
  const stage = new SentinelStage()
  expect(stage.askedBy('peer1', FAR, B)).toEqual(array([integer(0), bulk('*'), integer(0)]))
  expect(stage.saved.groups[0]).toMatchObject({ leaderEpoch: 0, leader: '' })
})

test('an epoch out of a stranger’s reach is believed of a peer that says so on our connection', () => {
  const stage = new SentinelStage()
  stage.part('peer1').counsel = { refused: false, granted: false, epoch: FAR }
  stage.askedBy('peer1', FAR, B)
  stage.run(10)
  expect(epochOf(stage)).toBe(FAR)
  expect(stage.askedBy('peer1', FAR, B)).toEqual(array([integer(0), bulk(B), integer(FAR)]))
})

test('one peer alone is not believed beyond its reach, and a majority of the Sentinels is', () => {
  const stage = new SentinelStage()
  const there = 2 ** 48 + 5
  stage.part('peer1').counsel = { refused: false, granted: false, epoch: there }
  stage.hello('peer1', { currentEpoch: there })
  stage.run(10)
  expect(epochOf(stage)).toBe(0)
  stage.part('peer2').counsel = { refused: false, granted: false, epoch: there }
  stage.hello('peer2', { currentEpoch: there })
  stage.run(10)
  expect(epochOf(stage)).toBe(there)
})

test('whoever has not proven to be a Sentinel is not believed more because he answers us', () => {
  const stage = new SentinelStage()
  const rogue = stage.add('peer3')
  rogue.says = (argv) => (argv[0] === 'SENTINEL' && argv[1] !== 'CONFER' ? error('ERR') : undefined)
  rogue.counsel = { refused: false, granted: false, epoch: FAR }
  stage.hello('peer3')
  stage.run(10)
  counsel(stage, 1)
  expect(epochOf(stage)).toBe(1)
})

test('what is refused is said once a minute for each kind of message, with the cure', () => {
  const stage = new SentinelStage()
  for (let at = 0; at < 1_000; at++) stage.hello('peer1', { currentEpoch: FAR + at })
  expect(stage.times('epoch 8589934592 in a hello')).toHaveLength(1)
  expect(stage.times('epoch ')).toHaveLength(1)
  stage.run(61_000)
  stage.hello('peer1', { currentEpoch: FAR })
  expect(stage.times('epoch 8589934592 in a hello')).toHaveLength(2)
  const info = stage.wire(['INFO', 'vedette'])
  expect(info).toContain('epochs:current=0,refused=1001,frozen=0')
  expect(info).toMatch(/remark\d+:group=g,instance=,text=epoch 8589934592 .*vedette epochs/)
})

describe('a Sentinel that restores absurd epochs', () => {
  const group = { quorum: 2 }

  test('at the bound of older programs goes on beyond it', () => {
    const stage = new SentinelStage({ group, saved: { currentEpoch: 2 ** 48 } })
    stage.part('peer1').seesDown = true
    stage.kill('master')
    stage.until('+elected-leader')
    expect(epochOf(stage)).toBe(2 ** 48 + 1)
  })

  test('at the end of all numbers starts, says so, and does not stand', () => {
    const stage = new SentinelStage({ group, saved: { currentEpoch: EPOCH_MAX } })
    stage.part('peer1').seesDown = true
    stage.kill('master')
    stage.run(20_000)
    expect(stage.times('no failover of master g 10.0.0.1 6379 yet: no epoch is left')).toHaveLength(
      1,
    )
    expect(stage.times('+try-failover')).toHaveLength(0)
    expect(stage.wire(['SENTINEL', 'FAILOVER', 'g'])).toMatch(/^-NOEPOCH .*vedette epochs/)
    expect(epochOf(stage)).toBe(EPOCH_MAX)
  })
})

describe('the reach', () => {
  test('never gets to the end, however often it is used to the full', () => {
    let current = 0
    for (let burst = 0; burst < 5_000_000; burst++) {
      current = reachOf('stranger', current, { epochs: 0, atMs: 0 }, 0)
    }
    expect(isUsedUp(current)).toBe(false)
  })

  test('grows back by a thousand a second, and not beyond the whole', () => {
    const spent = spend('stranger', { epochs: 0, atMs: 0 }, reachOf('stranger', 0, NONE, 0), 0)
    expect(reachOf('stranger', 0, spent, 0)).toBe(0)
    expect(reachOf('stranger', 0, spent, 1_000)).toBe(1_024)
    expect(reachOf('stranger', 0, spent, 1e12)).toBe(2 ** 32 - 1)
  })
})

const NONE = { epochs: 0, atMs: 0 }
