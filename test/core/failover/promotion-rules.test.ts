/** Which replica may be promoted: rules by address, zones, and what an operator names. */
import { describe, expect, test } from 'vitest'
import { changeRule, ruleFault } from '../../../src/core/failover/host-rules.ts'
import { GROUP_OPTIONS } from '../../../src/core/group-options.ts'
import { DEATH, settled } from './settled.ts'

/** Whom the Sentinel promotes when the master dies. */
function promotedWith(...settings: string[]): string | undefined {
  return selected(settled(...settings).play(...DEATH))
}

function selected(lines: readonly string[]): string | undefined {
  const line = lines.find((one) => one.includes('+selected-slave'))
  return line && /\+selected-slave slave (\S+)/.exec(line)?.[1]
}

function has(lines: readonly string[], text: string): boolean {
  return lines.some((line) => line.includes(text))
}

describe('a replica that could not carry out all of its stream', () => {
  const gap = (name: string) => `replica ${name} priority=1 offset=900 unapplied=2`

  test('is promoted only if there is no other, and a dry run says why', () => {
    const trace = settled()
    trace.play(gap('replica1'), 'run 11000')
    const plan = trace.play('client SENTINEL FAILOVER g DRYRUN').join('\n')
    expect(plan).toContain('it could not carry out some commands of the stream')
    expect(selected(trace.play(...DEATH))).toBe('replica2')
  })

  test('is promoted if all have such gaps, or the others must not be', () => {
    const trace = settled('promotion 10.0.0.4 must-not')
    trace.play(gap('replica1'), gap('replica2'), 'run 11000')
    expect(selected(trace.play(...DEATH))).toBe('replica1')
  })
})

describe('rules', () => {
  test('without rules the smallest run id decides among equals', () => {
    expect(promotedWith()).toBe('replica1')
  })

  test('a preferred replica comes before all others', () => {
    expect(promotedWith('promotion 10.0.0.4 prefer')).toBe('replica3')
  })

  test('one that is not preferred comes last', () => {
    expect(promotedWith('promotion 10.0.0.2 prefer-not')).toBe('replica2')
  })

  test('a rule counts more than priority and offset', () => {
    const trace = settled('promotion 10.0.0.3 prefer')
    const lines = trace.play('replica replica1 priority=1 offset=900', 'run 11000', ...DEATH)
    expect(selected(lines)).toBe('replica2')
  })

  test('one that is not preferred is promoted if it is the only one', () => {
    const barred = ['promotion 10.0.0.2 must-not', 'promotion 10.0.0.3 must-not']
    expect(promotedWith(...barred, 'promotion 10.0.0.4 prefer-not')).toBe('replica3')
  })

  test('one that must not be promoted is not, even if it is the only one; the log and an event say so', () => {
    const lines = settled('promotion 10.0.0.* must-not').play(...DEATH, 'run 10000')
    expect(selected(lines)).toBeUndefined()
    expect(has(lines, '+try-failover')).toBe(false)
    expect(lines.filter((line) => line.includes('-failover-abort-no-good-slave'))).toHaveLength(1)
    expect(has(lines, 'no replica may be promoted: ')).toBe(true)
    expect(has(lines, 'the rule 10.0.0.* says must-not')).toBe(true)
  })

  test('once the rule is gone the failover begins', () => {
    const trace = settled('promotion 10.0.0.* must-not')
    trace.play(...DEATH)
    const lines = trace.play('client SENTINEL SET g promotion 10.0.0.* ', 'run 2000')
    expect(selected(lines)).toBe('replica1')
  })

  test('a replica whose own priority is 0 stays barred, whatever the rules prefer', () => {
    const trace = settled('promotion 10.0.0.2 prefer')
    const lines = trace.play('replica replica1 priority=0', 'run 11000', ...DEATH)
    expect(selected(lines)).toBe('replica2')
  })
})

describe('the most specific pattern decides', () => {
  test('an address before a pattern, in either order', () => {
    const rules = ['promotion 10.0.0.* must-not', 'promotion 10.0.0.4 neutral']
    expect(promotedWith(...rules)).toBe('replica3')
    expect(promotedWith(...rules.reverse())).toBe('replica3')
  })

  test('an address with its port before one without', () => {
    const rules = ['promotion 10.0.0.3 must-not', 'promotion 10.0.0.3:6379 prefer']
    expect(promotedWith(...rules)).toBe('replica2')
  })

  test('a longer pattern before a shorter one', () => {
    const rules = ['promotion 10.* must-not', 'promotion 10.0.0.[34] neutral']
    expect(promotedWith(...rules, 'promotion 10.0.0.3* must-not')).toBe('replica3')
  })

  test('of two that are equally specific the stricter one', () => {
    expect(promotedWith('promotion 10.*.0.2 must-not', 'promotion 10.0.*.2 prefer')).toBe(
      'replica2',
    )
  })
})

describe('what a rule may say', () => {
  const { promotionRules, zones } = GROUP_OPTIONS

  test.each([
    ['10.0.0.3', 'never', '"never" is none of prefer, neutral, prefer-not, must-not'],
    ['10.0.0.0/24', 'prefer', 'networks are written as in 10.1.*'],
    ['10.0.0.3,10.0.0.4', 'prefer', 'no blanks, commas or ='],
    ['', 'prefer', 'is no pattern of addresses'],
  ])('%s: %s is refused', (pattern, word, reason) => {
    expect(ruleFault(promotionRules, [pattern, word])).toContain(reason)
  })

  test('the name of a zone has no blanks', () => {
    expect(ruleFault(zones, ['10.1.*', 'a b'])).toContain('no name of a zone')
    expect(ruleFault(zones, ['10.1.*', 'eu-west-1a'])).toBeUndefined()
  })

  test('a rule for a pattern that has one takes its place', () => {
    const rules = changeRule(
      [
        ['a', 'prefer'],
        ['b', 'neutral'],
      ],
      ['a', 'must-not'],
    )
    expect(rules).toEqual([
      ['b', 'neutral'],
      ['a', 'must-not'],
    ])
    expect(changeRule(rules, ['b', ''])).toEqual([['a', 'must-not']])
  })

  test('SENTINEL SET refuses what the file would refuse', () => {
    const lines = settled().play('client SENTINEL SET g promotion 10.0.0.3 never')
    expect(lines.join()).toContain("Invalid argument '10.0.0.3 never' for SENTINEL SET 'promotion'")
  })
})

describe('zones', () => {
  const ZONES = ['zone 10.0.0.[12] north', 'zone 10.0.0.[34] south']

  test('a replica outside of the zone of the master is not promoted', () => {
    const better = ['promotion 10.0.0.4 prefer']
    expect(promotedWith(...ZONES, ...better)).toBe('replica1')
  })

  test('neither if it is the only one: the log says which zones', () => {
    const lines = settled(...ZONES, 'promotion 10.0.0.2 must-not').play(...DEATH)
    expect(selected(lines)).toBeUndefined()
    expect(has(lines, 'it is in zone south, the master in zone north')).toBe(true)
  })

  test('with cross-zone-promotion it may be', () => {
    const better = ['promotion 10.0.0.4 prefer', 'cross-zone-promotion yes']
    expect(promotedWith(...ZONES, ...better)).toBe('replica3')
  })

  test('a replica of no zone is outside of the zone of the master', () => {
    expect(promotedWith('zone 10.0.0.1 north', 'zone 10.0.0.4 north')).toBe('replica3')
  })

  test('a master of no zone can be replaced by any', () => {
    expect(promotedWith('zone 10.0.0.2 north', 'zone 10.0.0.3 south')).toBe('replica1')
  })
})

describe('SENTINEL FAILOVER TO', () => {
  test('promotes the replica that is named, not the best one', () => {
    const lines = settled().play('client SENTINEL FAILOVER g TO 10.0.0.4 6379', 'run 500')
    expect(selected(lines)).toBe('replica3')
    expect(has(lines, '+promoted-slave slave replica3')).toBe(true)
  })

  test('may cross zones, because the operator names it', () => {
    const trace = settled('zone 10.0.0.1 north', 'zone 10.0.0.2 north')
    const lines = trace.play('client SENTINEL FAILOVER g TO 10.0.0.4 6379', 'run 500')
    expect(selected(lines)).toBe('replica3')
  })

  test('coordinated, the master is told to hand over to that one', () => {
    const trace = settled()
    const lines = trace.play(
      ...['handover works', 'run 11000'],
      ...['client SENTINEL FAILOVER g COORDINATED TO 10.0.0.4 6379', 'run 500'],
    )
    expect(has(lines, 'to master: FAILOVER TO')).toBe(true)
    expect(selected(lines)).toBe('replica3')
  })

  test.each([
    ['TO 10.0.0.9 6379', [], 'NOGOODSLAVE replica8 cannot be promoted: it is no replica of'],
    ['TO 10.0.0.1 6379', [], 'it is the master already'],
    ['TO 10.0.0.4 6379', ['kill replica3', 'run 3000'], 'it is down'],
    ['TO 10.0.0.4 6379', ['replica replica3 priority=0', 'run 11000'], 'replica-priority is 0'],
    ['TO 10.0.0.4', [], 'ERR TO takes the host and the port of a replica'],
    ['TO 10.0.0.4 x', [], 'ERR TO takes the host and the port of a replica'],
    ['SOON', [], 'ERR Unknown failover option specified'],
    ['DRYRUN DRYRUN', [], 'ERR wrong number of arguments'],
  ])('%s is refused in words', (words, before, reason) => {
    const lines = settled().play(...before, `client SENTINEL FAILOVER g ${words}`)
    expect(lines.join('\n')).toContain(reason)
    expect(has(lines, '+try-failover')).toBe(false)
  })

  test('one that must not be promoted is refused by name, too', () => {
    const trace = settled('promotion 10.0.0.4 must-not')
    const lines = trace.play('client SENTINEL FAILOVER g TO 10.0.0.4 6379')
    expect(lines.join()).toContain('the rule 10.0.0.4 says must-not')
  })

  test('coordinated, one that is not connected to the master is refused', () => {
    const trace = settled()
    const before = ['handover works', 'link replica3 down', 'run 11000']
    const lines = trace.play(...before, 'client SENTINEL FAILOVER g COORDINATED TO 10.0.0.4 6379')
    expect(lines.join()).toContain('it is not connected to the master')
  })

  test('if the named one dies before it is told, no other is promoted in its place', () => {
    const trace = settled()
    const lines = trace.play(
      ...['hang replica3', 'client SENTINEL FAILOVER g TO 10.0.0.4 6379', 'run 30000'],
    )
    expect(has(lines, '+promoted-slave')).toBe(false)
    expect(has(lines, '-failover-abort')).toBe(true)
  })
})

describe('SENTINEL FAILOVER DRYRUN', () => {
  test('tells the choice, the order and the reasons, and changes nothing', () => {
    const trace = settled('promotion 10.0.0.3 must-not', 'promotion 10.0.0.4 prefer')
    const lines = trace.play('client SENTINEL FAILOVER g DRYRUN', 'run 2000')
    const text = lines.join('\n')
    expect(text).toContain('possible $3 yes')
    // The trace has the names of the parts where addresses stand.
    expect(text).toContain('+switch-master g master replica3')
    expect(text).toContain('replica3 comes first by the rules: prefer, not neutral')
    expect(text).toContain('the rule 10.0.0.3 says must-not')
    expect(has(lines, '+try-failover')).toBe(false)
    expect(has(lines, 'save')).toBe(false)
  })

  test('tells what would be refused, and is itself no error', () => {
    const trace = settled('promotion 10.0.0.* must-not')
    const text = trace.play('client SENTINEL FAILOVER g DRYRUN').join('\n')
    expect(text).toContain('NOGOODSLAVE No suitable replica to promote')
    expect(text).toContain('possible $2 no')
  })

  test('begins with the end of TILT, where a Sentinel does nothing before', () => {
    const calm = 'wait until this Sentinel trusts its clocks again: TILT lasts'
    const order = 'client SENTINEL FAILOVER g'
    const tilted = ['jump 3600000', 'run 5000', `${order} DRYRUN`]
    expect(
      settled()
        .play(...tilted)
        .join('\n'),
    ).toMatch(new RegExp(`${calm} 2[45]\\d{3} ms more`))
    expect(settled().play(`${order} DRYRUN`).join('\n')).not.toContain(calm)
    expect(selected(settled().play(...tilted, order, 'run 20000'))).toBeUndefined()
    expect(selected(settled().play(...tilted, order, 'run 30000'))).toBeDefined()
  })

  test('promises what the failover then does', () => {
    for (const words of ['', ' TO 10.0.0.3 6379']) {
      const trace = settled('promotion 10.0.0.4 prefer')
      const told = trace.play(`client SENTINEL FAILOVER g${words} DRYRUN`).join('\n')
      const done = selected(trace.play(`client SENTINEL FAILOVER g${words}`, 'run 500'))
      const promised = / to \$\d+ (\S+)/.exec(told)?.[1]
      expect(promised).toBe(done)
    }
  })
})
