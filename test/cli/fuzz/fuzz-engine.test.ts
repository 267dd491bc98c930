import { expect, test } from 'vitest'
import { drawForEngine, engineProblem } from '../../../src/cli/fuzz/fuzz-engine.ts'
import { refusalOf } from '../../../src/engine/process/engine.ts'
import { createTcpEngine } from '../../../src/engine/tcp/engine.ts'
import { drawRun } from '../../../src/fuzz/draw/draw.ts'
import { scenarioOf } from '../../../src/fuzz/run.ts'
import { SIM_ENGINE } from '../../../src/scenario/sim-engine.ts'
import type { Engine } from '../../../src/scenario/world.ts'
import { sized } from '../../support/sized.ts'

const ORIGIN = { seed: '17', profile: 'faults', detection: undefined } as const

test('rules that reckon with virtual time are refused in real time', () => {
  expect(engineProblem({ engine: 'sim', profile: 'noise', jobs: 8 })).toBeUndefined()
  expect(engineProblem({ engine: 'tcp', profile: 'faults', jobs: 8 })).toBeUndefined()
  expect(engineProblem({ engine: 'process', profile: 'strict' })).toBeUndefined()
  expect(engineProblem({ engine: 'tcp', profile: 'noise' })).toMatch(/--profile noise needs/)
  expect(engineProblem({ engine: 'tcp', profile: 'faults', guided: true })).toMatch(/measured/)
  expect(engineProblem({ engine: 'process', profile: 'faults', jobs: 2 })).toMatch(/one run at/)
})

test('on virtual time the run is as it was drawn, on real sockets it is brief', () => {
  const plan = drawRun(ORIGIN)
  expect(drawForEngine(ORIGIN, SIM_ENGINE)).toEqual(plan)
  const brief = drawForEngine(ORIGIN, createTcpEngine())
  expect(brief.calmMs).toBeLessThan(plan.calmMs)
  expect(brief.topology).toEqual(plan.topology)
})

test('real processes are not asked for a password, nor to be far from each other', () => {
  const processes = { ...SIM_ENGINE, name: 'process' } as const
  const origins = Array.from({ length: 30 }, (_, seed) => ({ ...ORIGIN, seed: `${seed}` }))
  expect(origins.some((origin) => drawRun(origin).topology.password !== undefined)).toBe(true)
  for (const origin of origins) {
    const { topology } = drawForEngine(origin, processes)
    expect(topology).toMatchObject({ password: undefined, latencyMs: 0, jitterMs: 0, zones: [] })
  }
})

test('nor are their Sentinels given programs that do not exist: they would not start', () => {
  const processes = { ...SIM_ENGINE, name: 'process' } as const
  const origins = Array.from({ length: 30 }, (_, seed) => ({ ...ORIGIN, seed: `${seed}` }))
  const programs = origins.flatMap((origin) =>
    drawForEngine(origin, processes).topology.groups.flatMap((group) => [
      ...[group.notificationScript, group.clientReconfigScript, group.preFailoverHook],
    ]),
  )
  expect(new Set(programs.filter(Boolean))).toEqual(new Set(['/bin/true']))
})

test.each(['faults', 'shared', 'strict'] as const)(
  'what is drawn for %s can be played on real processes',
  (profile) => {
    const machine = {
      missing: [],
      canDelay: false,
      canThrottle: false,
      canReset: false,
      hasRedis: true,
    }
    const ours = { against: 'vedette', missingBuild: undefined } as const
    const refusal: Engine['refusal'] = (file) => refusalOf(file, machine, ours)
    const processes: Engine = { ...SIM_ENGINE, name: 'process', refusal }
    for (let seed = 1; seed <= sized(20, 60); seed++) {
      const plan = drawForEngine({ ...ORIGIN, profile, seed: `${seed}` }, processes)
      expect(refusal(scenarioOf(plan, `${seed}`)), `seed ${seed}`).toBeUndefined()
    }
  },
)
