import { expect, test } from 'vitest'
import { masterOf } from '../../src/simulate/cluster.ts'
import { GroundTruth } from '../../src/simulate/ground-truth.ts'
import type { IncidentEffect } from '../../src/simulate/incident-effects.ts'
import { clusterOf } from './support.ts'

const CLUSTER = clusterOf()
const [GROUP] = CLUSTER.groups
if (GROUP === undefined) throw new Error('it has a group')
const MASTER = masterOf(GROUP)
const END_MS = 60_000

function down(
  processes: string[],
  fromMs: number,
  untilMs = Number.POSITIVE_INFINITY,
): IncidentEffect {
  return { kind: 'down', processes, fromMs, untilMs, isSteady: true }
}

function split(boxes: string[], fromMs: number, untilMs: number, isSteady = true): IncidentEffect {
  return { kind: 'split', boxes, fromMs, untilMs, isSteady }
}

test('a master that is cut off from the majority cannot be used, and can be replaced', () => {
  const truth = new GroundTruth(CLUSTER, [split(['box1'], 10_000, 20_000)], END_MS)
  expect(truth.isUsable(MASTER, 9_999)).toBe(true)
  expect(truth.isUsable(MASTER, 10_000)).toBe(false)
  expect(truth.replaceableSpans(GROUP, MASTER)).toEqual([{ fromMs: 10_000, untilMs: 20_000 }])
})

test('with a Sentinel dead and another cut off with the master nobody can replace it', () => {
  const effects = [down(['s2'], 5_000), split(['box1'], 10_000, 20_000)]
  const truth = new GroundTruth(CLUSTER, effects, END_MS)
  expect(truth.replaceableSpans(GROUP, MASTER)).toEqual([])
  expect(truth.hopelessSpans(GROUP, MASTER)).toEqual([{ fromMs: 10_000, untilMs: 20_000 }])
  expect(truth.hasMajority(10_000)).toBe(false)
})

test('two Sentinels cut off from the master and from all replicas can do nothing', () => {
  const apart = clusterOf({ options: { layout: 'apart' } })
  const truth = new GroundTruth(apart, [split(['apps1', 'apps2'], 10_000, 20_000)], END_MS)
  const [group] = apart.groups
  if (group === undefined) throw new Error('it has a group')
  expect(truth.isUsable(masterOf(group), 15_000)).toBe(false)
  expect(truth.replaceableSpans(group, masterOf(group))).toEqual([])
  // Its clients are on its side: it is lost to nobody but the Sentinels.
  expect(truth.hopelessSpans(group, masterOf(group))).toEqual([])
})

test('a master without replicas left is hopeless although there is a majority', () => {
  const truth = new GroundTruth(CLUSTER, [down(['n1', 'n2', 'n3'], 10_000)], END_MS)
  expect(truth.hopelessSpans(GROUP, MASTER)).toEqual([{ fromMs: 10_000, untilMs: END_MS }])
  expect(truth.hasMajority(10_000)).toBe(true)
})

test('a link that flaps demands no failover, and excuses one', () => {
  const flaps = [1, 2, 3].map((at) => split(['box1'], at * 10_000, at * 10_000 + 500))
  const truth = new GroundTruth(CLUSTER, [...flaps, split(['box1'], 10_000, 30_500, false)], END_MS)
  expect(truth.isUsable(MASTER, 15_000)).toBe(false)
  expect(truth.unusableSpans(MASTER)).toEqual([
    { fromMs: 10_000, untilMs: 10_500 },
    { fromMs: 20_000, untilMs: 20_500 },
    { fromMs: 30_000, untilMs: 30_500 },
  ])
})

test('trouble that ends in a span is seen in it', () => {
  const truth = new GroundTruth(CLUSTER, [down(['n1'], 10_000, 20_000)], END_MS)
  expect(truth.isEverUsable(MASTER, { fromMs: 18_000, untilMs: 19_999 })).toBe(false)
  expect(truth.isEverUsable(MASTER, { fromMs: 19_500, untilMs: 20_500 })).toBe(true)
})
