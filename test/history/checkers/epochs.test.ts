import { describe, expect, test } from 'vitest'
import { Stage } from './support.ts'

const FAIL = { kind: 'diskFailure', process: 's1', operation: 'write', reason: 'full' } as const

describe('current epochs', () => {
  test('one that falls is caught, after a restart too', () => {
    const stage = new Stage().hello('s1', 0, 'n1', 5)
    stage.status('s1', 'down').status('s1', 'running').hello('s1', 0, 'n1', 4)
    expect(stage.violations).toEqual(['current epochs never fall'])
  })

  test('one below a vote that was given is caught', () => {
    const stage = new Stage().votes('s1', 3, 's2').hello('s1', 0, 'n1', 2)
    expect(stage.violations).toEqual(['current epochs never fall'])
  })

  test('an old vote that is told again is none', () => {
    const stage = new Stage().votes('s1', 3, 's2').hello('s1', 0, 'n1', 5).votes('s1', 3, 's2')
    expect(stage.violations).toEqual([])
  })

  test('what a Sentinel told that could not save may be forgotten with its life', () => {
    const stage = new Stage().does(FAIL).hello('s1', 2, 'n1', 5)
    stage.status('s1', 'down').status('s1', 'running').hello('s1', 1, 'n1', 4)
    expect(stage.violations).toEqual([])
  })

  test('but not within that life', () => {
    const stage = new Stage().does(FAIL).hello('s1', 1, 'n1', 5).hello('s1', 1, 'n1', 4)
    expect(stage.violations).toEqual(['current epochs never fall'])
  })
})

describe('config epochs', () => {
  const NAME = 'config epochs never fall'

  test('one that falls is caught, after RESET too', () => {
    const stage = new Stage().hello('s1', 2, 'n2').event('s1', '+reset-master')
    expect(stage.hello('s1', 1, 'n1', 2).violations).toEqual([NAME])
  })

  test('a group that is removed and added again begins anew, at that Sentinel', () => {
    const stage = new Stage().hello('s1', 2, 'n1').hello('s2', 2, 'n1').event('s1', '-monitor')
    expect(stage.hello('s1', 0, 'n1', 2).violations).toEqual([])
    expect(stage.hello('s2', 0, 'n1', 2).violations).toEqual([NAME])
  })
})

describe('masters of a config epoch', () => {
  const NAME = 'a config epoch names one master'

  test('a node that has moved is the master that it was', () => {
    const stage = new Stage().hello('s1', 1, 'n2').hello('s2', 1, 'n2@2')
    expect(stage.violations).toEqual([])
    expect(stage.hello('s3', 1, 'n3@2').violations).toEqual([NAME])
  })

  test('an operator who adds a group names a master without an epoch, and no other', () => {
    const argv = ['SENTINEL', 'MONITOR', 'mymaster', 'n3', '6379', '2']
    const stage = new Stage().hello('s1', 0, 'n1').hello('s1', 1, 'n2')
    stage.does({ kind: 'command', process: 's2', argv }).hello('s2', 0, 'n3', 1)
    expect(stage.violations).toEqual([])
    expect(stage.hello('s2', 1, 'n3').violations).toEqual([NAME])
  })

  test('two that were elected are caught', () => {
    const stage = new Stage().hello('s1', 1, 'n2').hello('s2', 1, 'n3')
    expect(stage.violations).toEqual([NAME])
  })

  test('two operators that force failovers at once can take the same epoch', () => {
    const stage = new Stage().stands('s1', 1, true).stands('s2', 1, true)
    expect(stage.hello('s1', 1, 'n2').hello('s2', 1, 'n3').violations).toEqual([])
  })

  test('a forced failover of one Sentinel excuses nothing', () => {
    const stage = new Stage().stands('s1', 1, true).hello('s1', 1, 'n2').hello('s2', 1, 'n3')
    expect(stage.violations).toEqual([NAME])
  })

  test('a forced failover in another epoch excuses nothing', () => {
    const stage = new Stage().stands('s1', 1, true).stands('s2', 1, true)
    expect(stage.hello('s1', 2, 'n2').hello('s2', 2, 'n3').violations).toEqual([NAME])
  })
})
