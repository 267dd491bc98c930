/** Judges of what Sentinels keep, tell and order; each must speak, and be silent where there is an excuse. */

import { describe, expect, test } from 'vitest'
import type { AbortReason } from '../../../src/core/event-table.ts'
import { at, GROUP, ID, Stage } from './support.ts'

const switched = `${GROUP} n1 6379 n2 6379`

describe('what a Sentinel remembers', () => {
  test('a file that does not fit is caught', () => {
    const stage = new Stage().tell('s1', { kind: 'misremembered', text: 'has not kept: the vote' })
    expect(stage.violations).toEqual(['a Sentinel remembers'])
  })
})

describe('TILT', () => {
  const tilted = () => new Stage().until(20_000).event('s1', '+tilt', '#tilt mode entered')

  test.each(['down', 'refused'] as const)('telling others %s is caught', (says) => {
    expect(tilted().tell('s1', { kind: 'opinion', says }).violations).toContain(
      'no decision in TILT',
    )
    expect(new Stage().tell('s1', { kind: 'opinion', says }).violations).toEqual([])
  })

  test('turning a node is caught', () => {
    expect(tilted().orders('s1', 'n2', 'n1').violations).toContain('no decision in TILT')
  })
})

describe('votes below the config epoch', () => {
  const NAME = 'no vote below the config epoch'
  const vote = (stage: Stage) =>
    stage.event('s1', '+vote-for-leader', `${ID.s2} 3`).votes('s1', 3, 's2')

  test('one in the epoch of the configuration is caught', () => {
    expect(vote(new Stage().hello('s1', 3, 'n2')).violations).toContain(NAME)
  })

  test('one in a later epoch is none, nor an old one that is told again', () => {
    expect(vote(new Stage().hello('s1', 2, 'n2')).violations).not.toContain(NAME)
    expect(vote(new Stage()).hello('s1', 3, 'n2').votes('s1', 3, 's2').violations).toEqual([])
  })

  test('one that nobody was told of before the epoch was over is none', () => {
    const stage = new Stage().event('s1', '+vote-for-leader', `${ID.s1} 3`).hello('s1', 3, 'n2')
    expect(stage.votes('s1', 3, 's1').violations).not.toContain(NAME)
  })
})

describe('parallel-syncs', () => {
  const NAME = 'parallel-syncs holds'
  const moving = (limit: number) =>
    new Stage({ parallelSyncs: limit })
      .stands('s1', 1, true)
      .event('s1', '+failover-state-reconf-slaves')

  test('one replica more than that at once is caught', () => {
    expect(moving(1).orders('s1', 'n3', 'n2').orders('s1', 'n4', 'n2').violations).toEqual([NAME])
    expect(moving(2).orders('s1', 'n3', 'n2').orders('s1', 'n4', 'n2').violations).toEqual([])
  })

  test('a replica that follows, or is down, has given its place up', () => {
    const first = moving(1).orders('s1', 'n3', 'n2')
    const follows = { kind: 'replica', master: at('n2'), isLinkUp: true } as const
    expect(first.role('n3', follows).orders('s1', 'n4', 'n2').violations).toEqual([])
    const second = moving(1).orders('s1', 'n3', 'n2').about('s1', '+sdown', 'n3')
    expect(second.orders('s1', 'n4', 'n2').violations).toEqual([])
  })

  test('a switch that another Sentinel brought ends it', () => {
    const stage = moving(1).orders('s1', 'n3', 'n2').event('s1', '+switch-master', switched)
    expect(stage.orders('s1', 'n4', 'n2').violations).not.toContain(NAME)
  })
})

describe('promotions of others', () => {
  const NAME = 'no Sentinel undoes a newer promotion'
  const promoted = () => {
    const stage = new Stage().stands('s1', 4, true).orders('s1', 'n2', undefined)
    return sees('master', stage.role('n2', { kind: 'master' }).until(1_000))
  }
  const sees = (role: string, stage: Stage) => {
    const payload = `slave n2:6379 n2 6379 @ ${GROUP} n1 6379 new reported role is ${role}`
    return stage.event('s2', role === 'master' ? '-role-change' : '+role-change', payload)
  }

  test('turning the promoted node back at once is caught', () => {
    expect(promoted().orders('s2', 'n2', 'n1', 3).violations).toContain(NAME)
  })

  test('not by one that has only its answer from before, as long as that may be on its way (seed 33177)', () => {
    const unseen = () => sees('slave', promoted())
    expect(unseen().orders('s2', 'n2', 'n1', 3).violations).not.toContain(NAME)
    expect(unseen().until(2_000).orders('s2', 'n2', 'n1', 3).violations).toContain(NAME)
    const other = promoted().event('s1', '+switch-master', switched)
    expect(other.orders('s2', 'n2', 'n1', 3).violations).toContain(NAME)
  })

  test('not where it was a false master already, and the news is on its way (seed 23770)', () => {
    const before = new Stage().role('n2', { kind: 'master' }).until(9_000)
    const again = () => before.stands('s1', 4, true).orders('s1', 'n2', undefined)
    expect(again().orders('s2', 'n2', 'n1', 3).violations).not.toContain(NAME)
    expect(again().until(11_000).orders('s2', 'n2', 'n1', 3).violations).toContain(NAME)
  })

  test('not by a leader in its own failover, which cannot have heard of it (seed 20170)', () => {
    const leading = () => promoted().event('s2', '+failover-state-reconf-slaves')
    expect(leading().orders('s2', 'n2', 'n3', 3).violations).not.toContain(NAME)
    expect(leading().until(2_000).orders('s2', 'n2', 'n3', 3).violations).toContain(NAME)
    const over = sees('master', leading().event('s2', '+switch-master', switched))
    expect(over.orders('s2', 'n2', 'n3', 3).violations).toContain(NAME)
  })

  test('not by a Sentinel of a newer epoch, nor once the failover was given up', () => {
    expect(promoted().orders('s2', 'n2', 'n1', 5).violations).not.toContain(NAME)
    const ended = promoted().event('s1', '-failover-abort-slave-timeout')
    expect(ended.orders('s2', 'n2', 'n1', 3).violations).not.toContain(NAME)
  })

  test('not once an operator made the leader forget the group (operators, seed 423)', () => {
    const forgot = promoted().event('s1', '-monitor')
    expect(forgot.orders('s2', 'n2', 'n1', 3).violations).not.toContain(NAME)
    const other = promoted().event('s2', '-monitor')
    expect(other.orders('s2', 'n2', 'n1', 3).violations).toContain(NAME)
  })

  test('not once the leader took a configuration of another Sentinel instead of its own (liar, seed 274)', () => {
    const ended = promoted().aboutPeer('s1', '+config-update-from', 's3')
    expect(ended.orders('s2', 'n2', 'n1', 3).violations).not.toContain(NAME)
    const other = promoted().aboutPeer('s2', '+config-update-from', 's3')
    expect(other.orders('s2', 'n2', 'n1', 3).violations).toContain(NAME)
  })
})

describe('candidacies', () => {
  const NAME = 'no needless candidacy'
  const late = (group = {}) => new Stage({ quorum: 1, ...group }, true).until(30_000)

  test('one against the leader it voted for is caught, in its time and as long as it lives', () => {
    const voted = () => late().hello('s2', 0, 'n1').votes('s1', 2, 's2').until(32_000)
    expect(voted().stands('s1', 3).violations).toContain(NAME)
    expect(voted().until(50_000).stands('s1', 3).violations).not.toContain(NAME)
    expect(voted().aboutPeer('s1', '+sdown', 's2').stands('s1', 3).violations).not.toContain(NAME)
  })

  test('one right after an attempt that came to nothing is caught', () => {
    const failed = () => late().stands('s1', 1).event('s1', '-failover-abort-no-good-slave')
    expect(failed().until(30_500).stands('s1', 2).violations).toContain(NAME)
    expect(failed().until(31_000).stands('s1', 2).violations).not.toContain(NAME)
    expect(failed().about('s1', '-sdown', 'n2').stands('s1', 2).violations).not.toContain(NAME)
  })

  test('what was to be given up, and waited for a new epoch on the disk, is not counted late (liar, seed 5037)', () => {
    const given = (stage: Stage) => stage.event('s1', '-failover-abort-not-elected').until(30_015)
    const lost = () => late().stands('s1', 1)
    expect(given(lost()).stands('s1', 3).violations).toContain(NAME)
    expect(given(lost().event('s1', '+new-epoch', '2')).stands('s1', 3).violations).not.toContain(
      NAME,
    )
  })

  test('failures in a row double the pause, but for those of replicas that did not obey', () => {
    const twice = (first: AbortReason) => {
      const one = late().stands('s1', 1).event('s1', first).until(45_000).stands('s1', 2)
      return one.event('s1', '-failover-abort-no-good-slave').until(46_100).stands('s1', 3)
    }
    expect(twice('-failover-abort-no-good-slave').violations).toContain(NAME)
    expect(twice('-failover-abort-slave-timeout').violations).not.toContain(NAME)
  })

  test('one without a replica to promote is caught', () => {
    const alone = (stage: Stage) =>
      stage.about('s1', '+sdown', 'n2').about('s1', '+sdown', 'n3').until(30_100)
    expect(alone(late()).stands('s1', 1).violations).toContain(NAME)
    // A liar may have attached itself to the master as a replica.
    const mallory = { name: 'mallory', host: 'evil', port: 26_379, knowsPassword: false }
    const lied = alone(new Stage({ quorum: 1 }, true, [mallory]).until(30_000))
    expect(lied.stands('s1', 1).violations).not.toContain(NAME)
  })

  test('one that can only reinstate the master of a strict group is none, as long as it runs (strict, seed 300635)', () => {
    const alone = () => {
      const stage = new Stage({ quorum: 1, replication: 'strict' }, true).until(30_000)
      return stage.about('s1', '+sdown', 'n2').about('s1', '+sdown', 'n3').until(30_100)
    }
    expect(alone().stands('s1', 1).violations).not.toContain(NAME)
    expect(alone().status('n1', 'down').stands('s1', 1).violations).toContain(NAME)
  })

  test('one without asking the hook, or against its word, is caught', () => {
    const hooked = () => late({ preFailoverHook: '/bin/true' })
    expect(hooked().stands('s1', 1).violations).toContain(NAME)
    const asked = () => hooked().event('s1', '+failover-hook-asked')
    expect(asked().stands('s1', 1).violations).not.toContain(NAME)
    const refused = asked().event('s1', '-failover-refused-by-hook', `master ${GROUP} n1 6379 #no`)
    expect(refused.stands('s1', 1).violations).toContain(NAME)
  })

  test('one in the time of a block is caught, whoever forgot to announce it', () => {
    const blocked = () => {
      const stage = late({ failoverBlockMs: 10_000 }).stands('s1', 1)
      return stage.event('s1', '+switch-master', switched).until(35_000)
    }
    expect(blocked().stands('s1', 2).violations).toContain(NAME)
    expect(blocked().event('s1', '-failover-block').stands('s1', 2).violations).not.toContain(NAME)
    expect(blocked().until(41_000).stands('s1', 2).violations).not.toContain(NAME)
    // Seed 21286: the clock began to run fast after the switch.
    const hasty = blocked().does({ kind: 'clockDrift', process: 's1', rate: 1.3 }).until(39_000)
    expect(hasty.stands('s1', 2).violations).not.toContain(NAME)
  })

  test('an order is none', () => {
    const ordered = late({ failoverBlockMs: 10_000 }).stands('s1', 1)
    ordered.event('s1', '+switch-master', switched).until(31_000).stands('s1', 2, true)
    expect(ordered.violations).not.toContain(NAME)
  })
})

describe('phases of a failover', () => {
  const NAME = 'a phase keeps failover-timeout'

  test('a promotion that is waited for too long is caught', () => {
    const waiting = () => new Stage().until(30_000).event('s1', '+failover-state-wait-promotion')
    expect(waiting().until(41_500).violations).toContain(NAME)
    expect(waiting().until(40_500).violations).not.toContain(NAME)
    const tilted = waiting().event('s1', '+tilt', '#tilt mode entered')
    expect(tilted.until(41_500).violations).not.toContain(NAME)
    const given = waiting().event('s1', '-failover-abort-slave-timeout')
    expect(given.until(60_000).violations).not.toContain(NAME)
  })
})

describe('switches', () => {
  const NAME = 'each switch is told once and in order'
  const named = () => new Stage().names('s1', 'n1')
  const told = (to: string) =>
    ({ kind: 'switchTold', client: 7, group: GROUP, from: at('n1'), to: at(to) }) as const

  test('one from a master to itself, or from one that was never named, is caught', () => {
    const itself = named().event('s1', '+switch-master', `${GROUP} n1 6379 n1 6379`)
    expect(itself.violations).toEqual([NAME])
    const other = named().event('s1', '+switch-master', `${GROUP} n3 6379 n2 6379`)
    expect(other.violations).toEqual([NAME])
  })

  test('the first answer of a real Sentinel may come from after its first switch (process seed 2224)', () => {
    const late = () => new Stage().names('s1', 'n2').event('s1', '+switch-master', switched)
    expect(late().violations).toEqual([])
    expect(late().event('s1', '+switch-master', switched).violations).toEqual([NAME])
  })

  test('a subscriber that is told twice, or something else, is caught', () => {
    const first = () => named().event('s1', '+switch-master', switched).tell('s1', told('n2'))
    expect(first().violations).toEqual([])
    expect(first().tell('s1', told('n2')).violations).toEqual([NAME])
    const wrong = named().event('s1', '+switch-master', switched).tell('s1', told('n3'))
    expect(wrong.violations).toEqual([NAME])
  })
})

describe('handovers that are called off', () => {
  const NAME = 'a pause is lifted when a handover is called off'
  const electorate = { known: 3, quorum: 2 }
  const calledOff = (stage = new Stage()) => {
    stage.until(30_000).tell('s1', {
      ...{ kind: 'candidacy', sentinelId: ID.s1, group: GROUP, epoch: 1, forced: false },
      ...{ isPlanned: true, master: at('n1'), electorate },
    })
    stage.tell('n1', { kind: 'writesHeld', isHeld: true }).until(31_000)
    return stage.event('s1', '-failover-abort-slave-timeout')
  }

  test('a pause that stays is caught', () => {
    expect(calledOff().until(32_500).violations).toContain(NAME)
    const lifted = calledOff().tell('n1', { kind: 'writesHeld', isHeld: false })
    expect(lifted.until(32_500).violations).not.toContain(NAME)
  })

  test('not while another Sentinel hands over (seed 24666)', () => {
    const other = () => {
      const stage = new Stage().until(29_000).tell('s2', {
        ...{ kind: 'candidacy', sentinelId: ID.s2, group: GROUP, epoch: 1, forced: false },
        ...{ isPlanned: true, master: at('n1'), electorate },
      })
      return calledOff(stage)
    }
    expect(other().until(32_500).violations).not.toContain(NAME)
    const over = other().event('s2', '-failover-abort-slave-timeout')
    expect(over.until(32_500).violations).toContain(NAME)
  })
})

describe('what must be noticed', () => {
  const well = () => new Stage({}, true).until(12_000).about('s1', '+slave', 'n2')

  test('a death that is not, is caught', () => {
    const dead = () => well().until(30_000).status('n2', 'down')
    expect(dead().until(37_000).status('n3', 'running').violations).toContain('deaths are noticed')
    const noticed = dead().until(31_100).about('s1', '+sdown', 'n2')
    expect(noticed.until(37_000).status('n3', 'running').violations).toEqual([])
  })

  test('a return that is not, is caught', () => {
    const back = () => {
      const dead = well()
        .until(30_000)
        .status('n2', 'down')
        .until(31_100)
        .about('s1', '+sdown', 'n2')
      return dead.until(32_000).status('n2', 'running')
    }
    expect(back().until(42_000).status('app', 'running').violations).toContain(
      'returns are noticed',
    )
    const noticed = back().about('s1', '-sdown', 'n2')
    expect(noticed.until(42_000).status('app', 'running').violations).toEqual([])
    // Seed 20026: a leader holds the old master down until its switch.
    const busy = back().tell('s1', {
      ...{ kind: 'candidacy', sentinelId: ID.s1, group: GROUP, epoch: 1, forced: false },
      ...{ isPlanned: true, master: at('n1'), electorate: { known: 3, quorum: 2 } },
    })
    const { violations } = busy.until(42_000).status('app', 'running')
    expect(violations).not.toContain('returns are noticed')
  })

  test('news of a promotion that comes with the next hello is caught', () => {
    const NAME = 'news of a promotion travels at once'
    const promoted = () => new Stage().until(30_000).about('s1', '+promoted-slave', 'n2')
    expect(promoted().until(31_000).names('s2', 'n2').violations).toContain(NAME)
    expect(promoted().until(30_050).names('s2', 'n2').violations).not.toContain(NAME)
  })
})

describe('a master that came back without its data', () => {
  const NAME = 'an emptied master is demoted at once'
  const reborn = () =>
    new Stage({}, true).until(20_000).event('s1', '+reboot').event('s1', '+empty-master')
  const promoted = (stage: Stage) =>
    stage.stands('s1', 1).about('s1', '+promoted-slave', 'n2').until(25_000).status('n3', 'running')

  test('and is left a master when another is promoted is caught', () => {
    expect(promoted(reborn()).violations).toContain(NAME)
  })

  test('is not judged once its new life is over, of which the leader may not know', () => {
    const again = reborn().status('n1', 'down').until(20_100).status('n1', 'running')
    expect(promoted(again).violations).not.toContain(NAME)
  })
})

describe('forgetting', () => {
  test('an instance that is not down is caught', () => {
    const NAME = 'only the dead are forgotten'
    expect(new Stage().aboutPeer('s1', '-sentinel', 's2').violations).toEqual([NAME])
    const down = new Stage().aboutPeer('s1', '+sdown', 's2')
    expect(down.aboutPeer('s1', '-sentinel', 's2').violations).toEqual([])
  })
})
