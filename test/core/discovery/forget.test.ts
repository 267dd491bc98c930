import { describe, expect, test } from 'vitest'
import { canPause, order } from '../../support/pausing-peers.ts'
import { SentinelStage, type StageSetup } from '../../support/sentinel-stage.ts'

const LONG_MS = 300_000

function calm(setup: StageSetup = {}): SentinelStage {
  const stage = new SentinelStage(setup)
  stage.run(5_000)
  for (const { name } of stage.cast.values()) if (name.startsWith('peer')) canPause(stage, name)
  stage.forget()
  return stage
}

/** Its process ends, and the master does not list it any more. */
function leaves(stage: SentinelStage, name: string): void {
  stage.part(name).master = '10.9.9.9:6379'
  stage.kill(name)
  stage.run(12_000)
}

const REPLICA2 = '10.0.0.3 6379'
const PEER2 = '10.1.0.2 26379'

describe('SENTINEL FORGET', () => {
  test('a replica that is gone is forgotten by all, and nothing else is', () => {
    const stage = calm()
    leaves(stage, 'replica2')
    expect(order(stage, `SENTINEL FORGET g ${REPLICA2}`)).toBe(
      'OK 3 of 3 Sentinels have forgotten 10.0.0.3:6379',
    )
    expect(stage.times('-slave slave 10.0.0.3:6379')).toHaveLength(1)
    expect(stage.saved.groups[0]?.replicas).toEqual([{ host: '10.0.0.2', port: 6379 }])
    const words = stage.sentTo('peer1', 'SENTINEL').map(({ argv }) => argv.slice(1).join(' '))
    expect(words).toEqual([`FORGET g ${REPLICA2} CHECK`, `FORGET g ${REPLICA2} LOCAL`])
  })

  test('a Sentinel that is gone does not count any more', () => {
    const stage = calm()
    leaves(stage, 'peer2')
    expect(order(stage, `SENTINEL FORGET g ${PEER2}`)).toMatch(/^OK 2 of 2 /)
    expect(stage.saved.groups[0]?.peers).toHaveLength(1)
    stage.restart()
    stage.run(2_000)
    expect(stage.show('master')).toMatchObject({ 'num-other-sentinels': '1' })
  })

  test('what is not down stays', () => {
    const stage = calm()
    expect(order(stage, `SENTINEL FORGET g ${PEER2}`)).toMatch(
      /^ALIVE sentinel .* is not seen down/,
    )
    expect(order(stage, `SENTINEL FORGET g ${REPLICA2}`)).toMatch(/^ALIVE slave /)
    expect(order(stage, 'SENTINEL FORGET g 10.0.0.1 6379')).toMatch(/ is the master/)
  })

  test('what another Sentinel reaches stays', () => {
    const stage = calm()
    leaves(stage, 'replica2')
    const { says } = stage.part('peer1')
    stage.part('peer1').says = (argv) =>
      argv[1] === 'FORGET' ? { kind: 'error', text: 'ALIVE it answers' } : says(argv)
    expect(order(stage, `SENTINEL FORGET g ${REPLICA2}`)).toMatch(
      /^ALIVE another Sentinel .*Sentinel 10\.1\.0\.1:26379: ALIVE it answers/,
    )
    expect(stage.times('-slave')).toEqual([])
  })

  test('what the master still lists would be found again: it stays', () => {
    const stage = calm()
    stage.kill('replica2')
    stage.run(3_000)
    expect(order(stage, `SENTINEL FORGET g ${REPLICA2}`)).toMatch(/^LISTED /)
  })

  test('no Sentinel is forgotten without a majority of all, the dead included', () => {
    const stage = calm({ peers: 4 })
    for (const name of ['peer2', 'peer3', 'peer4']) stage.kill(name)
    stage.run(3_000)
    expect(order(stage, `SENTINEL FORGET g ${PEER2}`)).toMatch(
      /^NOMAJORITY only 2 of 5 Sentinels are usable, and it takes 3/,
    )
  })

  test('the quorum stays within reach of those that are left', () => {
    const stage = calm({ group: { quorum: 3 } })
    leaves(stage, 'peer2')
    expect(order(stage, `SENTINEL FORGET g ${PEER2}`)).toMatch(
      /^NOQUORUM 2 Sentinels would be left, fewer than the quorum of 3/,
    )
  })

  test('peers that do not answer do not agree', () => {
    const stage = calm({ group: { downAfterMs: 5_000 } })
    leaves(stage, 'replica2')
    for (const name of ['peer1', 'peer2']) stage.part(name).mood = 'hangs'
    expect(order(stage, `SENTINEL FORGET g ${REPLICA2}`)).toMatch(/^NOMAJORITY 1 of 3 .*LOCAL/)
    expect(stage.times('-slave')).toEqual([])
  })

  test('LOCAL asks nobody', () => {
    const stage = calm()
    leaves(stage, 'replica2')
    stage.forget()
    expect(order(stage, `SENTINEL FORGET g ${REPLICA2} LOCAL`)).toBe('OK')
    expect(stage.sentTo('peer1', 'SENTINEL')).toEqual([])
  })

  test('what is not known cannot be forgotten; a peer that asks is content', () => {
    const stage = calm()
    expect(order(stage, 'SENTINEL FORGET g 10.0.0.99 6379')).toMatch(/^ERR No replica and no/)
    expect(order(stage, 'SENTINEL FORGET g 10.0.0.99 6379 CHECK')).toBe('OK')
    expect(order(stage, 'SENTINEL FORGET g 10.0.0.99 0')).toBe('ERR Invalid port')
  })
})

describe('forget-after', () => {
  const group = { forgetAfterMs: LONG_MS }

  test('is off by default', () => {
    const stage = calm()
    leaves(stage, 'replica2')
    leaves(stage, 'peer2')
    stage.run(2 * LONG_MS)
    expect([stage.times('-slave'), stage.times('-sentinel')]).toEqual([[], []])
  })

  test('what has been down for so long is forgotten, and not before', () => {
    const stage = calm({ group })
    leaves(stage, 'replica2')
    leaves(stage, 'peer2')
    stage.run(LONG_MS - 60_000)
    expect([stage.times('-slave'), stage.times('-sentinel')]).toEqual([[], []])
    stage.run(60_000)
    expect([stage.times('-slave'), stage.times('-sentinel')]).toMatchObject([[{}], [{}]])
  })

  test('what came back in between is not', () => {
    const stage = calm({ group })
    leaves(stage, 'peer2')
    stage.run(LONG_MS / 2)
    stage.revive('peer2')
    stage.run(10_000)
    stage.kill('peer2')
    stage.run(LONG_MS / 2 + 60_000)
    expect(stage.times('-sentinel')).toEqual([])
  })

  test('a Sentinel that is cut off forgets nothing, and nothing at once when the others return', () => {
    const stage = calm({ group })
    for (const name of ['peer1', 'peer2', 'replica2']) stage.kill(name)
    stage.run(2 * LONG_MS)
    stage.part('replica2').master = '10.9.9.9:6379'
    stage.revive('peer1')
    stage.run(60_000)
    expect([stage.times('-slave'), stage.times('-sentinel')]).toEqual([[], []])
    stage.run(LONG_MS)
    expect([stage.times('-slave'), stage.times('-sentinel')]).toMatchObject([[{}], [{}]])
  })

  test('a replica that died in its promotion is kept, as a former master is: it may have taken writes', () => {
    const stage = calm({ group })
    for (const part of stage.cast.values()) part.seesDown = true
    stage.part('replica1').offset = 200
    stage.kill('master')
    stage.until('+failover-state-wait-promotion')
    stage.part('replica1').master = '10.9.9.9:6379'
    stage.kill('replica1')
    stage.until('+switch-master')
    stage.run(2 * LONG_MS)
    expect(stage.show('replicas', '10.0.0.2:6379')).toBeDefined()
    expect(stage.times('-slave')).toEqual([])
  })
})
