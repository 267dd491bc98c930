import { describe, expect, test } from 'vitest'
import type { NodeRole } from '../../../src/history/happening.ts'
import type { GroupSpec } from '../../../src/history/topology.ts'
import { at, GROUP, Stage, standing } from './support.ts'

const NAME = 'the best replica is promoted'

/** n1 has been dead for a while, and both replicas know. */
function masterDied(rules: Partial<GroupSpec> = {}): Stage {
  const stage = new Stage(rules).until(30_000).status('n1', 'down')
  return stage.linked('n2', false).linked('n3', false).until(33_000)
}

describe('the order of replicas', () => {
  test('the one with the most data is right', () => {
    const stage = masterDied().chooses(
      's1',
      'n3',
      standing('n2'),
      standing('n3', { offset: 2_000 }),
    )
    expect(stage.violations).toEqual([])
  })

  test('one with less data than another is caught', () => {
    const stage = masterDied().chooses(
      's1',
      'n2',
      standing('n2'),
      standing('n3', { offset: 2_000 }),
    )
    expect(stage.violations).toEqual([NAME])
  })

  test('one with a worse priority is caught, whatever it has', () => {
    const better = standing('n3', { priority: 10 })
    const stage = masterDied().chooses('s1', 'n2', standing('n2', { offset: 2_000 }), better)
    expect(stage.violations).toEqual([NAME])
  })

  test('in a strict group only if it has as much (strict, seed 714530)', () => {
    const chosen = (offset: number) => {
      const better = standing('n3', { priority: 10 })
      return masterDied({ replication: 'strict' }).chooses(
        ...(['s1', 'n2', standing('n2', { offset }), better] as const),
      )
    }
    expect(chosen(2_000).violations).toEqual([])
    expect(chosen(standing('n3').offset).violations).toEqual([NAME])
  })

  test('with equal data the smaller run id is right, the other is caught', () => {
    const both = [standing('n2'), standing('n3')]
    expect(masterDied().chooses('s1', 'n2', ...both).violations).toEqual([])
    expect(masterDied().chooses('s1', 'n3', ...both).violations).toEqual([NAME])
  })

  test('one with priority 0 is caught even if it is the only one', () => {
    const stage = masterDied().chooses('s1', 'n2', standing('n2', { priority: 0 }))
    expect(stage.violations).toEqual([NAME])
  })

  test('one that has been dead for long is caught', () => {
    const stage = new Stage().until(20_000).status('n2', 'down').until(30_000).status('n1', 'down')
    expect(stage.until(33_000).chooses('s1', 'n2', standing('n2')).violations).toEqual([NAME])
  })
})

describe('a master on record that is a replica itself', () => {
  const better = standing('n3', { priority: 10 })

  /** n1 is back as a master, n3 follows it; n2 is the master on record. */
  function chosenWhile(role: NodeRole): readonly string[] {
    const stage = new Stage().role('n1', { kind: 'master' }).role('n2', role).until(33_000)
    const known = [at('n1'), at('n3')]
    const standings = [standing('n1', { isReplica: false }), standing('n2'), better]
    const selection = {
      kind: 'selection',
      group: GROUP,
      chosen: at('n1'),
      known,
      standings,
    } as const
    return stage.tell('s1', selection).violations
  }

  test('has handed over: whom it follows is right, whatever the others are worth', () => {
    expect(chosenWhile({ kind: 'replica', master: at('n1'), isLinkUp: true })).toEqual([])
  })

  test('but a master it does not follow is no heir', () => {
    expect(chosenWhile({ kind: 'master' })).toEqual([NAME])
  })
})

describe('what a leader cannot know', () => {
  const ahead = standing('n3', { offset: 2_000 })

  test('one that moved a moment ago may be ahead', () => {
    const stage = new Stage().until(30_000).status('n1', 'down').until(32_000)
    stage.linked('n2', false).linked('n3', false).until(32_500)
    expect(stage.chooses('s1', 'n2', standing('n2'), ahead).violations).toEqual([])
  })

  test('one behind a partition may be ahead', () => {
    const stage = masterDied().does({ kind: 'cut', from: 'c', to: 'a' }).until(36_000)
    expect(stage.chooses('s1', 'n2', standing('n2'), ahead).violations).toEqual([])
  })

  test('one that hangs may be ahead', () => {
    const stage = masterDied().status('n3', 'paused')
    expect(stage.chooses('s1', 'n2', standing('n2'), ahead).violations).toEqual([])
  })

  test('one that lost its master long before may be ahead', () => {
    const stage = new Stage().until(20_000).linked('n3', false).until(32_000).status('n1', 'down')
    stage.linked('n2', false).until(35_000)
    expect(stage.chooses('s1', 'n2', standing('n2'), ahead).violations).toEqual([])
  })

  test('one the leader has never heard of may be ahead', () => {
    const standings = [standing('n2'), ahead]
    const known = [standing('n2').address]
    const selection = { kind: 'selection', group: 'mymaster', known, standings } as const
    const stage = masterDied().tell('s1', { ...selection, chosen: standing('n2').address })
    expect(stage.violations).toEqual([])
  })

  test('of nodes nobody can look into nothing is said', () => {
    expect(masterDied().chooses('s1', 'n2').violations).toEqual([])
  })
})
