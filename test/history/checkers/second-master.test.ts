import { describe, expect, test } from 'vitest'
import type { GroupSpec } from '../../../src/history/topology.ts'
import { GROUP, Stage } from './support.ts'

const NAME = 'an old master is turned at once'

/** n2 has replaced n1, which is back, and nobody makes it a replica. */
function unturned(rules: Partial<GroupSpec> = {}): Stage {
  const stage = new Stage(rules, true).until(10_000).role('n2', { kind: 'master' })
  for (const name of ['s1', 's2', 's3'] as const) {
    stage.event(name, '+switch-master', `${GROUP} n1 6379 n2 6379`).names(name, 'n2')
  }
  return stage
}

/** Checkers look when something happens. */
function seenAt(nowMs: number, stage: Stage): Stage {
  return stage.until(nowMs).linked('n3', false)
}

describe('an old master that nobody turns', () => {
  test('is caught', () => {
    expect(seenAt(30_000, unturned()).violations).toContain(NAME)
  })

  test('is left to a Sentinel until its TILT has been over for the time it takes to ask (seed 20372)', () => {
    const tilted = () => {
      const stage = unturned().until(12_000)
      for (const name of ['s1', 's2', 's3'] as const) stage.event(name, '+tilt', '#tilt')
      for (const name of ['s1', 's2', 's3'] as const)
        stage.until(40_000).event(name, '-tilt', '#tilt')
      return stage
    }
    expect(seenAt(50_000, tilted()).violations).not.toContain(NAME)
    expect(seenAt(53_000, tilted()).violations).toContain(NAME)
  })

  test('is not turned before it answers again (strict, seed 721244)', () => {
    const hanging = () => {
      const stage = unturned().until(11_000)
      for (const name of ['s1', 's2', 's3'] as const) stage.about(name, '+sdown', 'n1')
      stage.until(40_000)
      for (const name of ['s1', 's2', 's3'] as const) stage.about(name, '-sdown', 'n1')
      return stage
    }
    expect(seenAt(44_000, hanging()).violations).not.toContain(NAME)
    expect(seenAt(46_000, hanging()).violations).toContain(NAME)
  })

  test('is left alone where the strict master was restarted, and has no term (strict, seed 712576)', () => {
    const restarted = () => {
      const stage = unturned({ replication: 'strict' }).until(11_000).status('n2', 'down')
      return stage.until(11_500).status('n2', 'running').role('n2', { kind: 'master' })
    }
    expect(seenAt(40_000, restarted()).violations).not.toContain(NAME)
    expect(seenAt(40_000, unturned({ replication: 'strict' })).violations).toContain(NAME)
  })
})
