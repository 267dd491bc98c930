/** Noise is what nobody should fail over for: here is what is drawn, and what would be more than noise. */
import { describe, expect, test } from 'vitest'
import { assemble } from '../../src/fuzz/assemble.ts'
import { drawRun, isStill } from '../../src/fuzz/draw/draw.ts'
import { type Fault, partsOf } from '../../src/fuzz/faults/faults.ts'
import { renderScenario } from '../../src/fuzz/file.ts'
import { isNoise } from '../../src/fuzz/noise-rules.ts'
import { numbers } from '../../src/fuzz/odds.ts'
import type { FuzzPlan } from '../../src/fuzz/plan.ts'
import { REDUCTIONS } from '../../src/fuzz/reductions.ts'
import { runSeed, titleOf } from '../../src/fuzz/run.ts'
import { parseScenario } from '../../src/scenario/parse.ts'
import { sized } from '../support/sized.ts'

function drawn(seed: string, detection: 'ping' | 'evidence' = 'evidence'): FuzzPlan {
  return drawRun({ seed, profile: 'noise', detection })
}

const SEEDS = numbers(100).map(String)
const PLANS = SEEDS.map((seed) => drawn(seed))

type Lull = Fault & { readonly kind: 'lull' }

/** The first drawn plan with such a trouble, and that trouble made worse. */
function worse(
  isMeant: (part: Fault) => boolean,
  change: (lull: Lull, plan: FuzzPlan) => Fault,
): FuzzPlan {
  for (const plan of PLANS) {
    const at = plan.faults.findIndex((one) => one.kind === 'lull' && one.inside.some(isMeant))
    const lull = plan.faults[at]
    if (lull?.kind === 'lull') return { ...plan, faults: plan.faults.with(at, change(lull, plan)) }
  }
  throw new Error('nobody draws it')
}

/** What happens in the lull lasts a millisecond longer than the longest that is borne. */
function tooLong(lull: Lull, plan: FuzzPlan): Fault {
  const { downAfterMs, refusedAfterMs } = plan.topology
    .groups[0] as FuzzPlan['topology']['groups'][0]
  const inside = lull.inside.map((part): Fault => {
    const share = part.kind === 'death' ? refusedAfterMs : downAfterMs
    const forMs = Math.floor(share * 0.9) + 1
    if (part.kind === 'stall') return { ...part, forMs }
    return 'untilMs' in part ? { ...part, untilMs: part.fromMs + forMs } : part
  })
  return { ...lull, inside, untilMs: lull.untilMs + downAfterMs }
}

describe('drawn noise', () => {
  test('is within its own rules, for every seed from 1 to 100', () => {
    expect(PLANS.filter((plan) => !isNoise(plan))).toEqual([])
  })

  test('is a scenario that the parser takes', () => {
    const problems = SEEDS.slice(0, sized(30, 100)).flatMap((seed) => {
      const text = renderScenario(assemble(drawn(seed), titleOf(seed)))
      const parsed = parseScenario(text, seed)
      return parsed.ok ? [] : parsed.problems
    })
    expect(problems).toEqual([])
  })

  test('is the same for both modes of detection, so that they can be compared', () => {
    for (const seed of SEEDS.slice(0, 20)) {
      const [group, ...others] = drawn(seed, 'ping').topology.groups
      expect(others).toEqual([])
      const plan = drawn(seed, 'evidence')
      const groups = [{ ...group, detection: 'evidence' }]
      expect({ ...drawn(seed, 'ping'), topology: { ...plan.topology, groups } }).toEqual(plan)
    }
  })

  test('has everything the network and the processes of a healthy cluster do', () => {
    const kinds = PLANS.flatMap(({ faults }) => faults.flatMap(partsOf).map(({ kind }) => kind))
    const wanted = ['shape', 'stall', 'pause', 'hold', 'deaf', 'reset', 'death']
    expect(new Set(kinds)).toEqual(new Set(wanted))
    expect(PLANS.every(({ faults }) => faults[0]?.kind === 'shape')).toBe(true)
  })

  test('has masters that hang for all but a tenth of down-after', () => {
    const longest = PLANS.flatMap(({ faults, topology }) =>
      faults.flatMap(partsOf).flatMap((part) => {
        const downAfterMs = topology.groups[0]?.downAfterMs ?? 0
        return part.kind === 'stall' && part.processes.includes('n1')
          ? [part.forMs / downAfterMs]
          : []
      }),
    )
    expect(Math.max(...longest)).toBe(0.9)
  })
})

describe('more than noise', () => {
  const isHang = ({ kind }: Fault): boolean => kind === 'stall'
  const isHold = ({ kind }: Fault): boolean => kind === 'hold'
  const isDeath = ({ kind }: Fault): boolean => kind === 'death'

  test.each([
    ['a hang', isHang],
    ['a link that hangs', isHold],
    ['a death', isDeath],
  ])('%s that lasts too long', (_name, isMeant) => {
    expect(isNoise(worse(isMeant, (lull) => lull))).toBe(true)
    expect(isNoise(worse(isMeant, tooLong))).toBe(false)
  })

  test('weather on the ways where something hangs', () => {
    expect(isNoise(worse(isHang, (lull) => ({ ...lull, ways: [] })))).toBe(false)
    const rough = { latency: '1ms', jitter: '500ms', loss: 0.05 }
    expect(isNoise(worse(isHang, (lull) => ({ ...lull, calm: rough })))).toBe(false)
  })

  test('loss between the master and a quorum, where a second is all there is', () => {
    const fast = PLANS.find(({ topology }) => topology.groups[0]?.downAfterMs === 1_000)
    if (fast === undefined) throw new Error('somebody draws it')
    const [everywhere, ...others] = fast.faults
    expect(everywhere).toMatchObject({ kind: 'shape', between: undefined, shape: { loss: 0.05 } })
    const wet = others.filter(({ kind }) => kind !== 'shape')
    expect(
      isNoise({ ...fast, faults: everywhere === undefined ? wet : [everywhere, ...wet] }),
    ).toBe(false)
  })

  test('a lull that ends with the trouble', () => {
    const short = (lull: Lull): Fault => ({ ...lull, untilMs: lull.untilMs - 1 })
    expect(isNoise(worse(isHang, short))).toBe(false)
  })

  test('a Sentinel that decides alone', () => {
    const [plan] = PLANS
    if (plan === undefined) throw new Error('there is one')
    const groups = plan.topology.groups.map((group) => ({ ...group, quorum: 1 }))
    expect(isNoise({ ...plan, topology: { ...plan.topology, groups } })).toBe(false)
  })

  test('a shorter down-after, which a smaller plan would have', () => {
    const slow = PLANS.find(({ topology }) => topology.groups[0]?.downAfterMs === 5_000)
    if (slow === undefined) throw new Error('somebody draws it')
    const smaller = REDUCTIONS.flatMap((reduction) => [...reduction(slow)])
    const fast = smaller.filter(({ topology }) => topology.groups[0]?.downAfterMs === 1_000)
    expect(fast.length).toBeGreaterThan(0)
    expect(fast.filter((plan) => isStill('noise', plan))).toEqual([])
    expect(fast.every((plan) => isStill('faults', plan))).toBe(true)
  })
})

describe('a noisy run', () => {
  test.each(['ping', 'evidence'] as const)('is no reason to fail over (%s)', async (detection) => {
    const run = await runSeed('1', { profile: 'noise', detection })
    expect(run.failure).toBeUndefined()
    expect(run.alarms).toMatchObject({ odown: 0, candidacies: 0 })
    expect(run.endMs).toBeGreaterThan(55_000)
  })
})
