/** The same histories in two clusters, side by side: pairs of the same seed, not two samples. */
import { type Distribution, distributionOf } from './distribution.ts'
import type { IncidentKind } from './incident.ts'
import { type GroupMeasured, lostTotal, type MeasuredHistory } from './measure.ts'
import { lostIn, outageOf, sum, summarize, twoMastersOf } from './summary.ts'

/** The measures of one seed in both clusters. */
export type Pair = readonly [MeasuredHistory, MeasuredHistory]

export interface Comparison {
  readonly histories: number
  readonly rows: readonly ComparedRow[]
  readonly kinds: readonly ComparedKind[]
  readonly outages: Changes
  readonly losses: Changes
}

/** One measure of both clusters. For all measures, less is better. */
export interface ComparedRow {
  readonly measure: string
  readonly of: string
  readonly unit: 'ms' | 'count'
  /** Undefined if there was nothing to measure. */
  readonly values: readonly [number | undefined, number | undefined]
}

export interface ComparedKind {
  readonly kind: IncidentKind
  readonly histories: number
  readonly failedOver: readonly [number, number]
  /** Undefined if no history had an outage. */
  readonly outageMedianMs: readonly [number | undefined, number | undefined]
  readonly lost: readonly [number, number]
}

/** History by history: how often the second was better or worse, and where most. */
export interface Changes {
  readonly better: number
  readonly worse: number
  readonly same: number
  readonly best: SeedChange | undefined
  readonly worst: SeedChange | undefined
}

export interface SeedChange {
  readonly seed: string
  readonly from: number
  readonly to: number
}

/** A smaller difference is chance: a client that asks again a little earlier or later. */
const SAME_MS = 250

export function compare(pairs: readonly Pair[]): Comparison {
  return {
    histories: pairs.length,
    rows: [...detectionRows(pairs), ...outageRows(pairs), ...countRows(pairs)],
    kinds: comparedKinds(pairs),
    outages: changes(pairs, outageOf, SAME_MS),
    losses: changes(pairs, lostIn, 0),
  }
}

/** Over the losses of a master that both agreed on. */
function detectionRows(pairs: readonly Pair[]): ComparedRow[] {
  const odown = ({ groups }: MeasuredHistory): number | undefined => {
    const found = groups.flatMap(({ odownMs }) => odownMs ?? [])
    return found.length === 0 ? undefined : Math.max(...found)
  }
  const both = pairs.filter((pair) => pair.every((one) => odown(one) !== undefined))
  const values = spread(both, (one) => odown(one) ?? 0)
  return [
    { measure: 'agreed (+odown)', of: 'median', unit: 'ms', values: each(values, 'median') },
    { measure: '', of: 'p99', unit: 'ms', values: each(values, 'p99') },
  ]
}

/** Over the histories in which either of them had an outage. */
function outageRows(pairs: readonly Pair[]): ComparedRow[] {
  const either = pairs.filter((pair) => pair.some((one) => outageOf(one) > 0))
  const values = spread(either, outageOf)
  const of = ['median', 'p90', 'p99', 'max'] as const
  return of.map((part, index) => ({
    measure: index === 0 ? 'outage' : '',
    of: part,
    unit: 'ms',
    values: each(values, part),
  }))
}

function countRows(pairs: readonly Pair[]): ComparedRow[] {
  const total = (
    measure: string,
    of: string,
    measureOf: (one: MeasuredHistory) => number,
  ): ComparedRow => ({
    measure,
    of,
    unit: 'count',
    values: both((place) => sum(pairs, (pair) => measureOf(pair[place]))),
  })
  const outcomes = (wanted: GroupMeasured['outcome']) => (one: MeasuredHistory) =>
    one.groups.some(({ outcome }) => outcome === wanted) ? 1 : 0
  const lost = (cause: 'splitBrain' | 'asynchronous') => (one: MeasuredHistory) =>
    sum(one.groups, (group) => group.lost?.[cause] ?? 0)
  return [
    total('lost writes', 'all', (one) =>
      sum(one.groups, (group) => (group.lost === undefined ? 0 : lostTotal(group.lost))),
    ),
    total('', 'split brain', lost('splitBrain')),
    total('', 'not replicated', lost('asynchronous')),
    total('', 'unknown', ({ groups }) =>
      groups.some((group) => group.lost === undefined) ? 1 : 0,
    ),
    { ...total('two masters', 'all time', twoMastersOf), unit: 'ms' },
    total('failovers', 'all', (one) => sum(one.groups, ({ failovers }) => failovers)),
    total('', 'needless', (one) => sum(one.groups, ({ needless }) => needless)),
    total('', 'did not come', outcomes('missing')),
    total('', 'impossible', outcomes('impossible')),
    total('refused writes', 'no replicas', (one) => sum(one.groups, ({ refused }) => refused)),
  ]
}

function comparedKinds(pairs: readonly Pair[]): ComparedKind[] {
  const kinds = both((place) => summarize(pairs.map((pair) => pair[place])).kinds)
  return kinds[0].flatMap((a) => {
    const b = kinds[1].find(({ kind }) => kind === a.kind)
    if (b === undefined) return []
    return [
      {
        kind: a.kind,
        histories: a.histories,
        failedOver: [a.failedOver, b.failedOver],
        outageMedianMs: [a.outageMs?.median, b.outageMs?.median],
        lost: [a.lost, b.lost],
      },
    ]
  })
}

function spread(
  pairs: readonly Pair[],
  measureOf: (one: MeasuredHistory) => number,
): readonly [Distribution | undefined, Distribution | undefined] {
  return both((place) =>
    distributionOf(
      pairs.map((pair) => ({ value: measureOf(pair[place]), seed: pair[place].seed })),
    ),
  )
}

function each(
  [a, b]: readonly [Distribution | undefined, Distribution | undefined],
  part: 'median' | 'p90' | 'p99' | 'max',
): ComparedRow['values'] {
  return [a?.[part], b?.[part]]
}

function both<T>(of: (place: 0 | 1) => T): readonly [T, T] {
  return [of(0), of(1)]
}

function changes(
  pairs: readonly Pair[],
  measureOf: (one: MeasuredHistory) => number,
  sameBelow: number,
): Changes {
  const all = pairs.map(([a, b]) => ({ seed: a.seed, from: measureOf(a), to: measureOf(b) }))
  const differ = all.filter(({ from, to }) => Math.abs(to - from) > sameBelow)
  const better = differ.filter(({ from, to }) => to < from)
  const worse = differ.filter(({ from, to }) => to > from)
  return {
    better: better.length,
    worse: worse.length,
    same: all.length - differ.length,
    best: greatest(better, ({ from, to }) => from - to),
    worst: greatest(worse, ({ from, to }) => to - from),
  }
}

function greatest(
  all: readonly SeedChange[],
  by: (change: SeedChange) => number,
): SeedChange | undefined {
  return all.reduce<SeedChange | undefined>(
    (most, change) => (most === undefined || by(change) > by(most) ? change : most),
    undefined,
  )
}
