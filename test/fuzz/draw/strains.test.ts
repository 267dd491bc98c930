import { describe, expect, test } from 'vitest'
import { createRng } from '../../../src/base/rng.ts'
import { drawPlan } from '../../../src/fuzz/draw/draw.ts'
import { drawStrains } from '../../../src/fuzz/draw/draw-strains.ts'
import { type Fault, narrowed, STRAIN_KINDS } from '../../../src/fuzz/faults/faults.ts'
import { numbers } from '../../../src/fuzz/odds.ts'
import { createPlan } from '../support.ts'

const KINDS = new Set<string>(STRAIN_KINDS.map(({ kind }) => kind))
const PLANS = numbers(150).map((seed) => drawPlan(String(seed)))
const strainsIn = (faults: readonly Fault[]): Fault[] =>
  faults.filter(({ kind }) => KINDS.has(kind))

describe('what wears a cluster down', () => {
  test('is drawn in one run of six or so, at most three at a time', () => {
    const counts = PLANS.map(({ faults }) => strainsIn(faults).length)
    const strained = counts.filter((count) => count > 0)
    expect(strained.length).toBeGreaterThan(10)
    expect(strained.length).toBeLessThan(50)
    expect(Math.max(...counts)).toBeLessThanOrEqual(3)
  })

  test('comes in every kind', () => {
    const drawn = PLANS.flatMap(({ faults }) => strainsIn(faults).map(({ kind }) => kind))
    expect(new Set<string>(drawn)).toEqual(KINDS)
  })

  test('starts nobody again whom another fault holds down', () => {
    const pause = { kind: 'pause', fromMs: 12_000, untilMs: 60_000 } as const
    const all = ['n1', 'n2', 'n3', 's1', 's2', 's3']
    const setting = { ...createPlan({ faults: [] }), calmMs: 60_000 }
    const drawn = numbers(60).flatMap((seed) =>
      drawStrains(createRng(String(seed)), setting, [{ ...pause, processes: all }]),
    )
    expect(new Set(drawn.map(({ kind }) => kind))).toEqual(new Set(['latePackets']))
  })

  test('shrinks to less of the same', () => {
    const slow = {
      kind: 'slowDisk',
      fromMs: 12_000,
      untilMs: 20_000,
      process: 's1',
      byMs: 4_000,
    } as const
    expect(narrowed(slow)).toEqual([{ ...slow, byMs: 2_000 }])
    const span = { fromMs: 12_000, untilMs: 20_000, process: 'n1' }
    const full = { kind: 'fullHeap', ...span, share: 0.97, ends: 'killed' } as const
    expect(narrowed(full)).toContainEqual({ ...full, share: 0.8, ends: 'relieved' })
  })
})
