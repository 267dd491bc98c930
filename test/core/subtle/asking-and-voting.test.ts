/**
 * Facts about Sentinel, section 15: asking peers, votes, epochs, and who may start. Where we differ on
 * purpose the test says what we do, and a line above it what C Sentinel does.
 */
import { describe, expect, test } from 'vitest'
import type { SavedGroup } from '../../../src/core/persistence/saved.ts'
import { array, bulk, integer, type Reply } from '../../../src/resp/reply.ts'
import { GROUP, ME, SentinelStage, type StageSetup } from '../../support/sentinel-stage.ts'

const FOO = 'f00'.repeat(13).concat('0')

/** Our opinion, whom we voted for, and in which epoch. */
function answer(down: number, leader: string, epoch: number): Reply {
  return array([integer(down), bulk(leader), integer(epoch)])
}

function seeingDown(setup: StageSetup = {}): SentinelStage {
  const stage = new SentinelStage(setup)
  for (const part of stage.cast.values()) part.seesDown = true
  return stage
}

function questionsTo(stage: SentinelStage, name: string) {
  return stage.sentTo(name, 'SENTINEL').filter(({ argv }) => argv[1] === 'is-master-down-by-addr')
}

function asksForVote([, sub, , , , candidate]: readonly string[]): boolean {
  return sub === 'is-master-down-by-addr' && candidate === ME
}

function savedGroup(stage: SentinelStage, name: string): SavedGroup | undefined {
  return stage.saved.groups.find(({ current }) => current.name === name)
}

describe('15.7', () => {
  // C asks every tick until an answer comes, without any limit.
  test('15.7 a slow peer is asked one question at a time, not one a tick', () => {
    const stage = new SentinelStage({ group: { quorum: 3, downAfterMs: 5_000 } })
    stage.run(2_000)
    stage.part('peer1').delayMs = 3_000
    stage.kill('master')
    stage.until('+sdown master')
    stage.forget()
    stage.run(14_500)
    const times = questionsTo(stage, 'peer1').map(({ atMs }) => atMs)
    const gapsMs = times.slice(1).map((atMs, at) => atMs - (times[at] ?? 0))
    expect(times.length).toBeGreaterThanOrEqual(3)
    expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(3_000)
  })

  test('15.7 a peer that hangs is asked once on each connection', () => {
    const stage = new SentinelStage({ group: { quorum: 3, downAfterMs: 600_000 } })
    stage.part('peer1').mood = 'hangs'
    stage.ask('SENTINEL', 'set', 'g', 'down-after-milliseconds', '60000')
    stage.kill('master')
    stage.run(89_000)
    expect(stage.times('+sdown master')).toHaveLength(1)
    const links = questionsTo(stage, 'peer1').map(({ link }) => link)
    expect(links.length).toBeGreaterThanOrEqual(1)
    expect(new Set(links).size).toBe(links.length)
  })
})

describe('a word that is old', () => {
  test('a peer is not shown as master_down for ever when the master is well again', () => {
    const stage = seeingDown({ group: { quorum: 9 } })
    stage.run(2_000)
    stage.kill('master')
    stage.until('+sdown master')
    stage.run(100)
    const flags = () => stage.show('sentinels', 'peer1')?.flags
    expect(flags()).toMatch(/master_down/)
    stage.revive('master')
    stage.until('-sdown master')
    stage.run(7_000)
    expect(flags()).not.toMatch(/master_down/)
  })
})

describe('15.8', () => {
  test('15.8 a peer hears "down" as soon as we see it, whatever the quorum sees', () => {
    const stage = new SentinelStage()
    stage.kill('master')
    expect(stage.askedBy('peer1')).toEqual(answer(0, '*', 0))
    stage.until('+sdown master')
    expect(stage.show('master')?.flags).toMatch(/^s_down,master/)
    expect(stage.askedBy('peer1')).toEqual(answer(1, '*', 0))
  })

  test('15.8 a forced failover asks nobody and needs no votes', () => {
    const stage = new SentinelStage()
    for (const name of ['peer1', 'peer2']) stage.part(name).votesFor = 'nobody'
    stage.forget()
    expect(stage.wire(['SENTINEL', 'failover', 'g'])).toBe('+OK\r\n')
    stage.run(5_000)
    expect(stage.times('+switch-master')).toHaveLength(1)
    for (const name of ['peer1', 'peer2']) expect(questionsTo(stage, name)).toEqual([])
  })
})

describe('15.9', () => {
  const one = { ...GROUP, name: 'one', downAfterMs: 30_000 }
  const other = { ...GROUP, name: 'other', downAfterMs: 1_000 }

  test('15.9 of two groups with one master, one gives the vote and both remember it', () => {
    const stage = new SentinelStage({ groups: [one, other] })
    expect(stage.askedBy('peer1', 5, 'b'.repeat(40))).toEqual(answer(0, 'b'.repeat(40), 5))
    expect(stage.askedBy('peer2', 5, 'c'.repeat(40))).toEqual(answer(0, 'b'.repeat(40), 5))
    expect(savedGroup(stage, 'one')?.leaderEpoch).toBe(5)
    expect(savedGroup(stage, 'other')?.leaderEpoch).toBe(5)
  })

  test('15.9 of two groups with one master, the first to be watched says whether it is down', () => {
    const stage = new SentinelStage({ groups: [one, other] })
    stage.kill('master')
    stage.until('+sdown master other')
    expect(stage.askedBy('peer1')).toEqual(answer(0, '*', 0))
    stage.until('+sdown master one')
    expect(stage.askedBy('peer1')).toEqual(answer(1, '*', 0))
  })
})

describe('15.10', () => {
  // C compares the peers' votes with the current epoch, which has moved on: the election is lost.
  test('15.10 an epoch from elsewhere does not spoil an election that is under way', () => {
    const stage = seeingDown()
    for (const name of ['peer1', 'peer2']) stage.part(name).delayMs = 50
    stage.kill('master')
    stage.until('+try-failover')
    stage.hello('peer1', { currentEpoch: 40 })
    expect(stage.times('+new-epoch 40')).toHaveLength(1)
    stage.run(5_000)
    expect(stage.times('+try-failover')).toHaveLength(1)
    expect(stage.times('+elected-leader')).toHaveLength(1)
    expect(savedGroup(stage, 'g')?.configEpoch).toBe(1)
  })

  // The epoch sent is the current one: askPeer in src/core/detection/ask.ts should send that of the election.
  test('15.10 a vote is only ever asked for in the epoch of our own election', () => {
    const stage = seeingDown()
    for (const name of ['peer1', 'peer2']) stage.part(name).votesFor = 'nobody'
    stage.kill('master')
    stage.until('+try-failover')
    stage.hello('peer1', { currentEpoch: 40 })
    stage.forget()
    stage.run(3_000)
    const votes = questionsTo(stage, 'peer2').filter(({ argv }) => argv[5] === ME)
    expect(votes.length).toBeGreaterThanOrEqual(2)
    expect(new Set(votes.map(({ argv }) => argv[4]))).toEqual(new Set(['1']))
  })
})

describe('15.11', () => {
  /** Of five Sentinels three die, and ten minutes later the master. Were they forgotten before that? */
  function mostlyDead(forgets: boolean): SentinelStage {
    const stage = seeingDown({ peers: 4 })
    for (const name of ['peer2', 'peer3', 'peer4']) stage.kill(name)
    stage.run(600_000)
    if (forgets) stage.ask('SENTINEL', 'reset', 'g')
    stage.run(5_000)
    stage.kill('master')
    stage.run(60_000)
    return stage
  }

  test('15.11 the dead count among the voters, and a quorum alone authorises nothing', () => {
    const stage = mostlyDead(false)
    expect(stage.times('+odown master')).toHaveLength(1)
    expect(stage.show('master')?.['num-other-sentinels']).toBe('4')
    expect(stage.times('+switch-master')).toEqual([])
  })

  test('15.11 RESET forgets them, and the two that are left are a majority', () => {
    const stage = mostlyDead(true)
    expect(stage.times('+reset-master')).toHaveLength(1)
    expect(stage.show('master')?.['num-other-sentinels']).toBe('1')
    expect(stage.times('+switch-master')).toHaveLength(1)
  })
})

describe('15.12', () => {
  test('15.12 a vote for another bars our own failover for twice the failover-timeout', () => {
    const stage = seeingDown({ group: { failoverTimeoutMs: 10_000 } })
    const votedAtMs = stage.ms
    stage.askedBy('peer1', 7, 'b'.repeat(40))
    stage.kill('master')
    stage.run(60_000)
    // C adds a random part of up to a second.
    expect(stage.times('+try-failover')[0]).toBe(votedAtMs + 20_000)
  })

  test('15.12 a candidate that lost to another gives it as much time as its own choice', () => {
    const stage = seeingDown({ group: { failoverTimeoutMs: 10_000 } })
    for (const name of ['peer1', 'peer2']) stage.part(name).votesFor = 'b'.repeat(40)
    stage.kill('master')
    const lostAtMs = stage.until('-failover-abort-not-elected')
    stage.run(60_000)
    expect(stage.times('+try-failover')[1]).toBeGreaterThanOrEqual(lostAtMs + 20_000)
  })

  // C waits for the dead all the same.
  test('15.12 a leader that dies bars nobody', () => {
    const stage = seeingDown({ peers: 3 })
    stage.askedBy('peer1', 7, 'b'.repeat(40))
    stage.kill('master')
    stage.run(500)
    stage.kill('peer1')
    stage.run(2_000)
    expect(stage.times('+try-failover')).toEqual(stage.times('+sdown sentinel bbb'))
    expect(stage.times('+try-failover')).toHaveLength(1)
  })

  // C waits whoever it voted for.
  test('15.12 a vote for somebody we have never met bars nothing', () => {
    const stage = seeingDown()
    expect(stage.askedBy('peer1', 7, FOO)).toEqual(answer(0, FOO, 7))
    stage.kill('master')
    stage.run(2_000)
    expect(stage.times('+try-failover')).toEqual(stage.times('+odown master'))
  })
})

describe('15.13', () => {
  // C starts in the tick of +odown; its random part only moves the deadline and the next attempt.
  test.each(['one', 'two', 'three'])('15.13 chance (%s) does not delay the start', (seed) => {
    const stage = seeingDown({ seed })
    stage.kill('master')
    stage.run(5_000)
    expect(stage.times('+odown master')).toHaveLength(1)
    expect(stage.times('+try-failover')).toEqual(stage.times('+odown master'))
  })

  // C leaves it to the random frequency of its ticks that not all stand at once.
  test.each([
    ['first', 'a', 0],
    ['second', 'bc', 10],
    ['third', 'd', 20],
  ] as const)('15.13 the %s of three Sentinels stands so much later', (_, letters, delayMs) => {
    const stage = seeingDown({ me: letters.repeat(40).slice(0, 40) })
    stage.kill('master')
    const odownAtMs = stage.until('+odown master')
    stage.run(1_000)
    expect(stage.times('+try-failover')).toEqual([odownAtMs + delayMs])
  })

  // C tries again after 2 × failover-timeout and up to a second.
  test('15.13 after a split vote chance adds less than the stagger to the wait of four rounds', () => {
    const gapsMs = ['one', 'two', 'three'].map((seed) => {
      const stage = seeingDown({ seed })
      for (const name of ['peer1', 'peer2']) stage.part(name).votesFor = stage.part(name).runId
      stage.kill('master')
      const lostAtMs = stage.until('-failover-abort-not-elected')
      return stage.until('+try-failover') - lostAtMs
    })
    expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(20)
    expect(Math.max(...gapsMs)).toBeLessThan(25)
    expect(new Set(gapsMs).size).toBeGreaterThan(1)
  })
})

describe('15.14', () => {
  // C forgets whom it voted for, and answers `*` with that epoch.
  test('15.14 after a restart the same vote is told', () => {
    const stage = new SentinelStage()
    stage.askedBy('peer1', 7, 'b'.repeat(40))
    stage.restart()
    expect(stage.askedBy('peer2', 7, 'c'.repeat(40))).toEqual(answer(0, 'b'.repeat(40), 7))
  })

  // The question names a master and no group. C looks a group up each time, and can vote for each in turn.
  test('15.14 two groups of one master have one vote in an epoch, also when one has gone to another master', () => {
    const stage = new SentinelStage()
    const [first, second] = ['b'.repeat(40), 'c'.repeat(40)]
    stage.ask('SENTINEL', 'MONITOR', 'alias', '10.0.0.1', '6379', '2')
    expect(stage.askedBy('peer1', 7, first)).toEqual(answer(0, first, 7))
    // A later epoch of its own: it does not go along.
    stage.hello('peer1', { group: 'alias', configEpoch: 6 })
    stage.hello('peer1', { configEpoch: 6, masterHost: '10.0.0.2', masterPort: 6379 })
    expect(stage.show('master')?.ip).toBe('10.0.0.2')
    expect(stage.askedBy('peer2', 7, second)).toEqual(answer(0, first, 7))
  })

  test('15.14 of two groups that come to have one master, the one that has voted answers', () => {
    const stage = new SentinelStage()
    const [first, second] = ['b'.repeat(40), 'c'.repeat(40)]
    stage.ask('SENTINEL', 'MONITOR', 'other', '10.0.0.9', '6379', '2')
    const vote = ['SENTINEL', 'is-master-down-by-addr', '10.0.0.9', '6379', '7', first]
    expect(stage.ask(...vote)).toEqual(answer(0, first, 7))
    const hello = { group: 'other', configEpoch: 6, masterHost: '10.0.0.1', masterPort: 6379 }
    stage.hello('peer1', hello)
    expect(stage.askedBy('peer2', 7, second)).toEqual(answer(0, first, 7))
  })

  // C tells it, and so elects a Sentinel that was restored from a backup for a second time in one epoch.
  test('15.14 a vote of an epoch that has given the group its configuration is told no more', () => {
    const stage = new SentinelStage()
    const candidate = 'b'.repeat(40)
    expect(stage.askedBy('peer1', 7, candidate)).toEqual(answer(0, candidate, 7))
    stage.hello('peer1', { configEpoch: 7 })
    expect(stage.askedBy('peer1', 7, candidate)).toEqual(answer(0, '*', 7))
    expect(stage.askedBy('peer1', 8, candidate)).toEqual(answer(0, candidate, 8))
  })

  test('15.14 a vote whose leader is forgotten is `*` with its epoch, and not given again', () => {
    const forgotten = { file: GROUP, current: GROUP, configEpoch: 0, leaderEpoch: 7, leader: '' }
    const groups = [{ ...forgotten, replicas: [], peers: [] }]
    const stage = new SentinelStage({ saved: { currentEpoch: 7, groups } })
    expect(stage.askedBy('peer1', 7, 'b'.repeat(40))).toEqual(answer(0, '*', 7))
    expect(stage.askedBy('peer1', 8, 'b'.repeat(40))).toEqual(answer(0, 'b'.repeat(40), 8))
  })

  test('15.14 `*` with an epoch is no vote', () => {
    const stage = new SentinelStage()
    for (const name of ['peer1', 'peer2']) {
      stage.part(name).says = ([verb]) => (verb === 'SENTINEL' ? answer(1, '*', 1) : undefined)
    }
    stage.kill('master')
    stage.until('+try-failover')
    stage.run(9_000)
    expect(stage.show('sentinels', 'peer1')).toMatchObject({
      'voted-leader': '?',
      'voted-leader-epoch': '0',
    })
    expect(stage.times('+elected-leader')).toEqual([])
    expect(stage.until('-failover-abort-not-elected')).toBeGreaterThan(10_000)
  })
})

describe('15.15', () => {
  test('15.15 epoch and vote are on disk before the reply leaves', () => {
    const stage = new SentinelStage()
    stage.forget()
    stage.askedBy('peer1', 7, 'b'.repeat(40))
    const told = stage.done.findIndex(
      (one) => one.kind === 'respond' && one.reply.kind === 'array' && one.reply.items.length === 3,
    )
    const saves = stage.done.slice(0, told).flatMap((one) => (one.kind === 'save' ? [one] : []))
    const saved = saves.at(-1)?.state()
    expect(saved?.currentEpoch).toBe(7)
    expect(saved?.groups[0]).toMatchObject({ leader: 'b'.repeat(40), leaderEpoch: 7 })
  })

  test('15.15 our own vote is on disk before we ask for others', () => {
    const stage = seeingDown()
    stage.kill('master')
    stage.until('+elected-leader')
    const asked = stage.done.findIndex((one) => one.kind === 'send' && asksForVote(one.argv))
    const saves = stage.done.slice(0, asked).flatMap((one) => (one.kind === 'save' ? [one] : []))
    expect(asked).toBeGreaterThan(0)
    expect(saves.at(-1)?.state().groups[0]).toMatchObject({ leader: ME, leaderEpoch: 1 })
  })

  test('15.15 an election whose vote of our own could not be saved is not won', () => {
    const stage = seeingDown()
    stage.kill('master')
    stage.savesWork = false
    stage.run(5_000)
    expect(stage.times('+try-failover')).toHaveLength(1)
    expect(stage.times('+elected-leader')).toEqual([])
  })

  // C tells the vote although it could not save it.
  test('15.15 a vote that could not be saved is not told, nor any other until a save succeeds', () => {
    const stage = new SentinelStage()
    stage.savesWork = false
    expect(stage.askedBy('peer1', 7, 'b'.repeat(40)).kind).toBe('error')
    expect(stage.askedBy('peer1', 8, 'b'.repeat(40))).toEqual(answer(0, '*', 0))
  })
})
