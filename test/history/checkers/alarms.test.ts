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

describe('a quorum agrees on no evidence that is wrong', () => {
  const NAME = 'a quorum agrees on no evidence that is wrong'

  /** Those of the checker: others have their own opinion of what stands here. */
  function found(stage: Stage): string[] {
    return stage.violations.filter((name) => name === NAME)
  }

  function agreed(stage: Stage): Stage {
    return stage.holdsDown('s1', 260).holdsDown('s2', 260).event('s1', '+odown')
  }

  test('a process that has been dead for refused-after is dead', () => {
    const stage = new Stage().until(20_000).status('n1', 'down').until(20_260)
    expect(found(agreed(stage))).toEqual([])
  })

  test('one that refuses writes since its limit was changed is as good as dead where that was said', () => {
    const argv = ['CONFIG', 'SET', 'maxmemory', '1']
    const full = new Stage().until(20_000).does({ kind: 'command', process: 'n1', argv })
    expect(found(agreed(full))).toEqual([NAME])
    for (const sentinel of ['s1', 's2'] as const) full.event(sentinel, '+gray-master')
    expect(found(agreed(full.until(22_000)))).toEqual([NAME])
    const well = new Stage().until(20_000)
    for (const sentinel of ['s1', 's2'] as const) well.event(sentinel, '+gray-master')
    expect(found(agreed(well))).toEqual([NAME])
  })

  test('one that came back before was not', () => {
    const stage = new Stage().until(20_000).status('n1', 'down').until(20_220)
    expect(found(agreed(stage.status('n1', 'running').until(20_260)))).toEqual([NAME])
  })

  test('two short deaths do not make a long one', () => {
    const stage = new Stage().until(20_000).status('n1', 'down').until(20_200)
    stage.status('n1', 'running').until(20_210).status('n1', 'down').until(20_400)
    expect(found(agreed(stage.status('n1', 'running')))).toEqual([NAME])
  })

  test('a death of long ago is no reason', () => {
    const stage = new Stage().until(20_000).status('n1', 'down').until(21_000)
    expect(found(agreed(stage.status('n1', 'running').until(40_000)))).toEqual([NAME])
  })

  test('whoever waited for a whole down-after needs no evidence', () => {
    const stage = new Stage().until(20_000).holdsDown('s1', 1_001).holdsDown('s2', 1_001)
    expect(found(stage.event('s1', '+odown'))).toEqual([])
  })

  test('one of two who waited, and one who was wrong, are no quorum', () => {
    const stage = new Stage().until(20_000).holdsDown('s1', 1_001).holdsDown('s2', 260)
    expect(found(stage.event('s1', '+odown'))).toEqual([NAME])
  })

  test('a single Sentinel that is wrong does no harm', () => {
    expect(found(new Stage().until(20_000).holdsDown('s1', 260))).toEqual([])
  })

  test('refusals of a firewall are wrong as long as one replica is let through', () => {
    const closed = (hosts: readonly string[]): Stage => {
      const stage = new Stage().until(20_000)
      for (const from of hosts) stage.does({ kind: 'refuse', from, to: 'a' })
      return stage.until(20_260).holdsDown('s2', 260).holdsDown('s3', 260).event('s2', '+odown')
    }
    expect(found(closed(['b']))).toEqual([NAME])
    expect(found(closed(['b', 'c']))).toEqual([])
  })

  test('a failover is asked the same', () => {
    const stage = new Stage().until(20_000).holdsDown('s1', 260).holdsDown('s2', 260)
    expect(found(stage.stands('s1', 1))).toEqual([NAME])
    expect(found(new Stage().until(20_000).stands('s1', 1, true))).toEqual([])
  })
})
