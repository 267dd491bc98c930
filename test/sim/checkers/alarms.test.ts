import { describe, expect, test } from 'vitest'
import { GROUP, Stage } from './support.ts'

describe('a master that answers is not down', () => {
  const NAME = 'a master that answers is not down'

  test('S_DOWN without any reason is caught', () => {
    expect(new Stage().until(20_000).event('s1', '+sdown').violations).toEqual([NAME])
  })

  test('a master that died is down', () => {
    const stage = new Stage().until(20_000).status('n1', 'down').until(21_100)
    expect(stage.event('s1', '+sdown').violations).toEqual([])
  })

  test('one behind a partition is down for those on the other side, and for them only', () => {
    const stage = new Stage().until(20_000).does({ kind: 'partition', groups: [['a'], ['b', 'c']] })
    stage.until(21_100).event('s2', '+sdown')
    expect(stage.violations).toEqual([])
    expect(stage.event('s1', '+sdown').violations).toEqual([NAME])
  })

  test('the silence after a heal may be as long as the partition was', () => {
    const stage = new Stage().until(20_000).does({ kind: 'partition', groups: [['a'], ['b', 'c']] })
    stage.until(30_000).does({ kind: 'heal' }).until(38_000).event('s2', '+sdown')
    expect(stage.violations).toEqual([])
    expect(stage.until(60_000).event('s2', '+sdown').violations).toEqual([NAME])
  })

  test('a master that says it is a replica may be held down', () => {
    const stage = new Stage().until(20_000).role('n1', {
      ...{ kind: 'replica', isLinkUp: false, master: { host: 'n2', port: 6379 } },
    })
    expect(stage.until(45_000).event('s1', '+sdown').violations).toEqual([])
  })

  test('a Sentinel that hung may believe that the others did', () => {
    const stage = new Stage().until(20_000).does({ kind: 'stall', processes: ['s1'], forMs: 1_500 })
    stage.status('s1', 'paused').until(21_500).status('s1', 'running').event('s1', '+sdown')
    expect(stage.violations).toEqual([])
  })

  test('S_DOWN of a replica is not its business', () => {
    const payload = `slave n2:6379 n2 6379 @ ${GROUP} n1 6379`
    expect(new Stage().until(20_000).event('s1', '+sdown', payload).violations).toEqual([])
  })
})

describe('a quorum agrees before a failover', () => {
  const NAME = 'a quorum agrees before a failover'

  function masterDied(): Stage {
    return new Stage().until(20_000).status('n1', 'down').until(21_100).event('s1', '+sdown')
  }

  test('two that see the master down are a quorum of two', () => {
    expect(masterDied().event('s2', '+sdown').stands('s1', 1).violations).toEqual([])
  })

  test('one is none', () => {
    expect(masterDied().stands('s1', 1).violations).toEqual([NAME])
  })

  test('an operator needs no quorum', () => {
    expect(masterDied().stands('s1', 1, true).violations).toEqual([])
  })

  test('a verdict that was just taken back may still be believed', () => {
    const stage = masterDied().event('s2', '+sdown').until(25_000).event('s2', '-sdown')
    expect(stage.until(30_000).stands('s1', 1).violations).toEqual([])
  })

  test('a verdict of long ago does not count', () => {
    const stage = masterDied().event('s2', '+sdown').until(22_000).event('s2', '-sdown')
    expect(stage.until(32_500).stands('s1', 1).violations).toEqual([NAME])
  })

  test('an answer may have been on its way all the time of a partition', () => {
    const stage = masterDied().event('s2', '+sdown').until(22_000).event('s2', '-sdown')
    stage.does({ kind: 'hold', from: 'b', to: 'a' }).until(50_000).does({ kind: 'release' })
    expect(stage.stands('s1', 1).violations).toEqual([])
  })

  test('a verdict on another master does not count', () => {
    const stage = masterDied().event('s2', '+sdown', `master ${GROUP} n2 6379`)
    expect(stage.stands('s1', 1).violations.filter((name) => name === NAME)).toEqual([NAME])
  })

  test('a verdict ends with the switch to another master', () => {
    const stage = masterDied().event('s2', '+sdown').until(22_000)
    stage.event('s2', '+switch-master', `${GROUP} n1 6379 n2 6379`)
    expect(stage.until(40_000).stands('s1', 1).violations).toEqual([NAME])
  })
})
