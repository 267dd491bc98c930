import { describe, expect, test } from 'vitest'
import { Stage, standing } from './support.ts'

const JUMP = { kind: 'clockJump', process: 's1', byMs: -60_000 } as const

function tilted(): Stage {
  const stage = new Stage().until(20_000).does(JUMP)
  return stage.until(20_100).event('s1', '+tilt', '#tilt mode entered')
}

describe('no decision in TILT', () => {
  const NAME = 'no decision in TILT'

  test.each(['+sdown', '-sdown', '+odown', '-odown'] as const)('%s is one', (name) => {
    const stage = tilted().status('n1', 'down').until(30_000).event('s1', name)
    expect(stage.violations).toEqual([NAME])
  })

  test('choosing a replica is one', () => {
    const stage = tilted().chooses('s1', 'n2', standing('n2'), standing('n3'))
    expect(stage.violations).toEqual([NAME])
  })

  test('what others decide meanwhile is none', () => {
    const stage = tilted().status('n1', 'down').until(30_000).event('s2', '+sdown')
    expect(stage.violations).toEqual([])
  })

  test('after TILT decisions are made again', () => {
    const stage = tilted().status('n1', 'down').until(50_100).event('s1', '-tilt')
    expect(stage.event('s1', '+sdown').violations).toEqual([])
  })

  test('a Sentinel that was started again is not in TILT any more', () => {
    const stage = tilted().status('n1', 'down').status('s1', 'down').until(22_000)
    stage.status('s1', 'running').until(30_000).event('s1', '+sdown')
    expect(stage.violations).toEqual([])
  })
})

describe('TILT begins and ends in time', () => {
  const NAME = 'TILT begins and ends in time'

  test('a jump of the clock that is not noticed is caught', () => {
    expect(new Stage().until(20_000).does(JUMP).until(22_000).violations).toEqual([NAME])
  })

  test('a small jump need not be noticed', () => {
    const stage = new Stage().until(20_000).does({ ...JUMP, byMs: 1_500 })
    expect(stage.until(25_000).violations).toEqual([])
  })

  test('a Sentinel that waits for a slow disk notices a jump later (strict, seed 711872)', () => {
    const slow = () =>
      new Stage().until(12_000).does({ kind: 'diskDelay', process: 's1', byMs: 1_300 }).does(JUMP)
    expect(slow().until(13_500).event('s1', '+tilt', '#tilt mode entered').violations).toEqual([])
    expect(slow().until(19_000).violations).toEqual([NAME])
  })

  test('a write that a slow disk still delays after its repair is a cause (strict, seed 400714)', () => {
    const slow = new Stage().until(12_000).does({ kind: 'diskDelay', process: 's1', byMs: 8_000 })
    const mended = slow.until(13_300).does({ kind: 'diskRepair', process: 's1' })
    const stage = mended.until(21_050).event('s1', '+tilt', '#tilt mode entered')
    expect(stage.violations).toEqual([])
    const later = new Stage().until(12_000).does({ kind: 'diskDelay', process: 's1', byMs: 8_000 })
    const calm = later.until(13_300).does({ kind: 'diskRepair', process: 's1' }).until(40_000)
    expect(calm.event('s1', '+tilt', '#tilt mode entered').violations).toContain(NAME)
  })

  test('two jumps that cancel each other at once need not be noticed', () => {
    const stage = new Stage()
      .until(20_000)
      .does(JUMP)
      .until(20_050)
      .does({ ...JUMP, byMs: 60_000 })
    expect(stage.until(25_000).violations).toEqual([])
  })

  test('a long stop that is not noticed is caught', () => {
    const stage = new Stage().until(20_000).status('s1', 'paused').until(24_000)
    expect(stage.status('s1', 'running').until(26_000).violations).toEqual([NAME])
  })

  test('while it is stopped it need not notice anything', () => {
    const stage = new Stage().until(20_000).does(JUMP).status('s1', 'paused')
    expect(stage.until(40_000).violations).toEqual([])
  })

  test('a jump while the Sentinel does not run need not be noticed', () => {
    const stage = new Stage().until(20_000).status('s1', 'down').does(JUMP)
    expect(stage.until(21_000).status('s1', 'running').until(25_000).violations).toEqual([])
  })

  test('TILT that lasts too long is caught', () => {
    expect(tilted().until(60_000).violations).toEqual([NAME])
  })

  test('TILT of thirty seconds is right', () => {
    const stage = tilted().until(50_100).event('s1', '-tilt', '#tilt mode exited')
    expect(stage.until(90_000).violations).toEqual([])
  })

  test('TILT out of the blue is caught', () => {
    expect(new Stage().until(20_000).event('s1', '+tilt').violations).toEqual([NAME])
  })
})
