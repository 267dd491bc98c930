import { describe, expect, test } from 'vitest'
import { at, Stage } from './support.ts'

const NAME = 'the master of another group is left alone'

/** `n3` came up again as a master, and s1 was told that it is the master of another group. */
function reused(): Stage {
  const stage = new Stage().names('s1', 'n1').until(1_000)
  stage.status('n3', 'down').until(2_000).status('n3', 'running').role('n3', { kind: 'master' })
  return namesForeign(stage, 'n3')
}

function namesForeign(stage: Stage, master: string): Stage {
  return stage.tell('s1', { kind: 'view', group: 'other', master: at(master) })
}

describe('the master of another group', () => {
  test('is neither turned nor promoted', () => {
    expect(reused().orders('s1', 'n3', 'n1').violations).toEqual([NAME])
    expect(reused().orders('s1', 'n3', undefined).violations).toEqual([NAME])
  })

  test('is a stranger to a Sentinel that was not told, and to one that is told no more', () => {
    expect(reused().names('s2', 'n1').orders('s2', 'n3', 'n1').violations).toEqual([])
    const removed = reused().event('s1', '-monitor', 'master other n3 6379')
    expect(removed.orders('s1', 'n3', 'n1').violations).toEqual([])
  })

  test('may be ours if another Sentinel has turned it', () => {
    const stage = reused().until(3_000).linked('n3', true).until(4_000)
    stage.role('n3', { kind: 'master' })
    expect(stage.orders('s1', 'n3', 'n1').violations).toEqual([])
  })

  test('may be ours if both groups are names for one deployment', () => {
    const stage = namesForeign(namesForeign(new Stage().names('s1', 'n1'), 'n1'), 'n3')
    stage.status('n3', 'down').status('n3', 'running').role('n3', { kind: 'master' })
    expect(stage.orders('s1', 'n3', 'n1').violations).toEqual([])
  })
})
