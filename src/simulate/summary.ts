/** All histories together: distributions, counts, and the results of each kind of incident. */
import { type Distribution, distributionOf, type Sample } from './distribution.ts'
import { INCIDENT_KINDS, type IncidentKind } from './incident.ts'
import { type GroupMeasured, lostTotal, type MeasuredHistory } from './measure.ts'

export interface Summary {
  readonly histories: number
  readonly sdownMs: Distribution | undefined
  readonly odownMs: Distribution | undefined
  /** Over the histories that had an outage. */
  readonly outageMs: Distribution | undefined
  /** Over the histories that lost a write. */
  readonly lost: Distribution | undefined
  /** Over the histories in which two nodes acknowledged writes. */
  readonly twoMastersMs: Distribution | undefined
  readonly lostByCause: LostByCause
  /** Histories without a master at the end that could be asked for its data. */
  readonly lostUnknown: number
  readonly failedOver: Tally
  readonly needless: Tally
  readonly missing: Tally
  readonly impossible: Tally
  /** Longest outage of each history, 0 for none. */
  readonly outages: readonly number[]
  readonly kinds: readonly KindSummary[]
  /** Seeds in which a rule of the protocol was broken. */
  readonly violated: readonly string[]
}

export interface LostByCause {
  readonly asynchronous: number
  readonly splitBrain: number
  readonly emptyRestart: number
}

/** In how many histories something happened, and the first of those in which it happened most. */
export interface Tally {
  readonly histories: number
  readonly worstSeed: string | undefined
}

export interface KindSummary {
  readonly kind: IncidentKind
  readonly histories: number
  readonly failedOver: number
  readonly needless: number
  /** Missing or impossible. */
  readonly stuck: number
  readonly outageMs: Distribution | undefined
  readonly lost: number
}

export function summarize(all: readonly MeasuredHistory[]): Summary {
  return {
    histories: all.length,
    sdownMs: distributionOf(eachGroup(all, ({ sdownMs }) => sdownMs)),
    odownMs: distributionOf(eachGroup(all, ({ odownMs }) => odownMs)),
    outageMs: positive(all, outageOf),
    lost: positive(all, lostIn),
    twoMastersMs: positive(all, twoMastersOf),
    lostByCause: lostByCause(all),
    lostUnknown: all.filter(({ groups }) => groups.some(({ lost }) => lost === undefined)).length,
    failedOver: tally(all, ({ failovers }) => failovers),
    needless: tally(all, ({ needless }) => needless),
    missing: tally(all, ({ outcome }) => (outcome === 'missing' ? 1 : 0)),
    impossible: tally(all, ({ outcome }) => (outcome === 'impossible' ? 1 : 0)),
    outages: all.map(outageOf),
    kinds: kindsOf(all),
    violated: all.filter(({ violations }) => violations.length > 0).map(({ seed }) => seed),
  }
}

/** What happened to one group of the cluster, as if there were no other. */
export function onlyGroup(
  all: readonly MeasuredHistory[],
  index: number,
): readonly MeasuredHistory[] {
  return all.map((one) => ({ ...one, groups: one.groups.slice(index, index + 1) }))
}

/** The longest of all groups. */
export function outageOf({ groups }: MeasuredHistory): number {
  return Math.max(0, ...groups.map(({ outageMs }) => outageMs ?? 0))
}

export function lostIn({ groups }: MeasuredHistory): number {
  return sum(groups, ({ lost }) => (lost === undefined ? 0 : lostTotal(lost)))
}

export function twoMastersOf({ groups }: MeasuredHistory): number {
  return sum(groups, ({ twoMastersMs }) => twoMastersMs)
}

function eachGroup(
  all: readonly MeasuredHistory[],
  measureOf: (group: GroupMeasured) => number | undefined,
): Sample[] {
  return all.flatMap(({ seed, groups }) =>
    groups.flatMap((group) => {
      const value = measureOf(group)
      return value === undefined ? [] : [{ value, seed }]
    }),
  )
}

function positive(all: readonly MeasuredHistory[], measureOf: (one: MeasuredHistory) => number) {
  const samples = all.map((one) => ({ value: measureOf(one), seed: one.seed }))
  return distributionOf(samples.filter(({ value }) => value > 0))
}

function tally(
  all: readonly MeasuredHistory[],
  measureOf: (group: GroupMeasured) => number,
): Tally {
  const counted = all.map(({ seed, groups }) => ({ seed, value: sum(groups, measureOf) }))
  const met = counted.filter(({ value }) => value > 0)
  return { histories: met.length, worstSeed: distributionOf(met)?.worstSeed }
}

function lostByCause(all: readonly MeasuredHistory[]): LostByCause {
  const lost = all.flatMap(({ groups }) => groups.flatMap((group) => group.lost ?? []))
  return {
    asynchronous: sum(lost, ({ asynchronous }) => asynchronous),
    splitBrain: sum(lost, ({ splitBrain }) => splitBrain),
    emptyRestart: sum(lost, ({ emptyRestart }) => emptyRestart),
  }
}

function kindsOf(all: readonly MeasuredHistory[]): readonly KindSummary[] {
  return INCIDENT_KINDS.flatMap((kind) => {
    const own = all.filter((one) => one.kind === kind)
    return own.length === 0 ? [] : [kindSummary(kind, own)]
  })
}

function kindSummary(kind: IncidentKind, own: readonly MeasuredHistory[]): KindSummary {
  const isStuck = ({ outcome }: GroupMeasured): boolean =>
    outcome === 'missing' || outcome === 'impossible'
  return {
    kind,
    histories: own.length,
    failedOver: tally(own, ({ failovers }) => failovers).histories,
    needless: tally(own, ({ needless }) => needless).histories,
    stuck: tally(own, (group) => (isStuck(group) ? 1 : 0)).histories,
    outageMs: positive(own, outageOf),
    lost: sum(own, lostIn),
  }
}

export function sum<T>(items: readonly T[], measureOf: (item: T) => number): number {
  return items.reduce((total, item) => total + measureOf(item), 0)
}
