/**
 * Sentinels that lie and take part all the same: they answer PING and say who they are, so they count. What
 * one of three and two of five (the quorum less one) can cause, and what they cannot. The others here are
 * honest. Nothing here is better or worse than with C Sentinel unless it says so.
 */
import { describe, expect, test } from 'vitest'
import { SentinelStage } from '../support/sentinel-stage.ts'

const B = 'b'.repeat(40)

/** The last `rogues` of so many peers say that the master is down, whatever it does. */
function among(peers: number, quorum: number, rogues: number): SentinelStage {
  const stage = new SentinelStage({ peers, group: { quorum } })
  for (let at = peers; at > peers - rogues; at--) stage.part(`peer${at}`).seesDown = true
  return stage
}

describe.each([
  ['one of three', 2, 2, 1],
  ['two of five', 4, 3, 2],
])('%s', (_, peers, quorum, rogues) => {
  test('that say the master is down do not make it O_DOWN while an honest quorum sees it well', () => {
    const stage = among(peers, quorum, rogues)
    stage.run(30_000)
    for (let at = 0; at < 100; at++) stage.askedBy(`peer${peers}`, at, 'd'.repeat(40))
    stage.run(30_000)
    expect(stage.times('+odown')).toHaveLength(0)
    expect(stage.times('+try-failover')).toHaveLength(0)
  })

  test('that ask for our vote all the time do not stop a failover', () => {
    const stage = among(peers, quorum, rogues)
    for (let at = 1; at <= peers - rogues; at++) stage.part(`peer${at}`).seesDown = true
    stage.kill('master')
    for (let ms = 0; ms < 5_000; ms++) {
      const { currentEpoch } = stage.saved
      if (ms % 100 === 0) stage.askedBy(`peer${peers}`, currentEpoch + 1, `${ms}`.padStart(40, 'e'))
      stage.run(1)
    }
    expect(stage.times('+switch-master')).toHaveLength(1)
  })

  test('that vote for somebody else, or nobody, do not stop a failover', () => {
    const stage = among(peers, quorum, rogues)
    for (let at = 1; at <= peers - rogues; at++) stage.part(`peer${at}`).seesDown = true
    for (let at = peers; at > peers - rogues; at--) stage.part(`peer${at}`).votesFor = 'nobody'
    stage.kill('master')
    stage.until('+switch-master', 10_000)
  })

  test('that tell of absurd epochs on our own connections do not use up the numbers', () => {
    const stage = among(peers, quorum, rogues)
    for (let at = peers; at > peers - rogues; at--) {
      stage.part(`peer${at}`).counsel = { refused: true, granted: true, epoch: 2 ** 53 - 2 }
    }
    for (let at = 0; at < 100; at++) {
      for (let one = peers; one > peers - rogues; one--) {
        stage.hello(`peer${one}`, { currentEpoch: 2 ** 53 - 2 })
      }
      stage.run(10)
    }
    expect(stage.saved.currentEpoch).toBe(0)
  })
})

// Nobody but the voter knows whom else it has promised its vote: two may lead in one epoch then. Where they
// promote two replicas, the lower address wins everywhere as soon as they hear of each other (hello.ts).
test('one of three that votes twice makes two leaders in one epoch', () => {
  const stage = among(2, 2, 1)
  const honest = stage.part('peer1')
  honest.seesDown = true
  honest.votesFor = B
  stage.kill('master')
  stage.until('+elected-leader', 10_000)
})

// As with C Sentinel: hellos are not signed. A page for operators says how to keep others from publishing.
test('one that tells of a newer failover moves the master', () => {
  const stage = new SentinelStage()
  stage.hello('peer2', { currentEpoch: 1, configEpoch: 1, masterHost: '10.0.0.3' })
  expect(stage.times('+switch-master g 10.0.0.1 6379 10.0.0.3 6379')).toHaveLength(1)
})

// As many as the quorum decide that the master is down, and the rest is a vote of honest Sentinels.
test('as many as the quorum less one, and one honest Sentinel that is cut off, bring a needless failover', () => {
  const stage = among(2, 2, 1)
  stage.kill('master')
  stage.until('+odown', 10_000)
})

test('rogues whom the honest majority is missing for cannot elect anybody, nor keep us from voting', () => {
  const stage = among(4, 3, 2)
  stage.kill('peer1')
  stage.kill('peer2')
  stage.kill('master')
  stage.part('peer3').votesFor = 'nobody'
  stage.part('peer4').votesFor = 'nobody'
  stage.run(20_000)
  expect(stage.times('+elected-leader')).toHaveLength(0)
})
