/**
 * One configuration under three promises: what an acknowledged write means, what that costs in
 * latency and outages, and what is lost all the same. The clusters differ in nothing else.
 */
import { type ClusterGroup, type ClusterNode, type SimulatedCluster, settingOf } from './cluster.ts'
import { distributionOf } from './distribution.ts'
import type { GroupMeasured, MeasuredHistory, WriteLatency } from './measure.ts'
import { lostIn, type Summary, sum, summarize, twoMastersOf } from './summary.ts'

export const REPLICATION_MODES = ['async', 'min-replicas', 'strict'] as const
export type ReplicationMode = (typeof REPLICATION_MODES)[number]

/** Seconds; Redis' default: a master that has heard of no replica for longer refuses writes. */
const USUAL_LAG_S = '10'

/** The same cluster with another promise. Of its own promise the details are kept. */
export function withReplication(
  cluster: SimulatedCluster,
  mode: ReplicationMode,
): SimulatedCluster {
  const groups = cluster.groups.map((group) => groupWith(group, mode))
  return { ...cluster, file: `${cluster.file}, ${mode}`, groups }
}

function groupWith(group: ClusterGroup, mode: ReplicationMode): ClusterGroup {
  const nodes = group.nodes.map((node) => ({ ...node, settings: settingsWith(node, mode) }))
  const { replication: _, writeQuorum, reads, ...rest } = group
  if (mode !== 'strict') return { ...rest, nodes }
  const said = { ...(writeQuorum === undefined ? {} : { writeQuorum }), reads: reads ?? 'normal' }
  return { ...rest, ...said, replication: 'strict', nodes }
}

function settingsWith(node: ClusterNode, mode: ReplicationMode): ClusterNode['settings'] {
  const kept = Object.entries(node.settings).filter(([name]) => !isAboutPromises(name, mode))
  const settings = Object.fromEntries(kept)
  if (mode !== 'min-replicas') return settings
  const needed = settingOf(node, 'min-replicas-to-write', 0) || 1
  const lagS = settingOf(node, 'min-replicas-max-lag', 0) || USUAL_LAG_S
  const minimum = { 'min-replicas-to-write': `${needed}`, 'min-replicas-max-lag': `${lagS}` }
  return { ...settings, ...minimum }
}

/** A directive of another promise than this one. */
function isAboutPromises(name: string, mode: ReplicationMode): boolean {
  if (name.startsWith('min-replicas-')) return true
  const isStrict = name.includes('sync-repl')
  return isStrict && mode !== 'strict'
}

/** One measure under each promise, in the order of the modes. */
export interface ModeRow {
  readonly measure: string
  readonly of: string
  readonly unit: 'ms' | 'count'
  /** Undefined if there was nothing to measure. */
  readonly values: readonly (number | undefined)[]
}

/** `measured`: for each seed its history under each promise. */
export function compareModes(
  measured: readonly (readonly MeasuredHistory[])[],
): readonly ModeRow[] {
  const histories = REPLICATION_MODES.map((_, place) =>
    measured.flatMap((each) => each[place] ?? []),
  )
  const summaries = histories.map(summarize)
  const times = (measure: string, of: string, take: (all: Summary) => number | undefined) =>
    ({ measure, of, unit: 'ms', values: summaries.map(take) }) as const
  const counts = (measure: string, of: string, take: (one: MeasuredHistory) => number) =>
    ({ measure, of, unit: 'count', values: histories.map((all) => sum(all, take)) }) as const
  const latency = (of: keyof WriteLatency) => histories.map((all) => latencyOf(all, of))
  const inGroups = (take: (one: GroupMeasured) => number) => (one: MeasuredHistory) =>
    sum(one.groups, take)
  return [
    { measure: 'latency', of: 'median', unit: 'ms', values: latency('median') },
    { measure: '', of: 'p99', unit: 'ms', values: latency('p99') },
    times('outage', 'median', ({ outageMs }) => outageMs?.median),
    times('', 'p90', ({ outageMs }) => outageMs?.p90),
    times('', 'max', ({ outageMs }) => outageMs?.max),
    counts('histories', 'with outage', ({ groups }) => (groups.some(hasOutage) ? 1 : 0)),
    counts('lost writes', 'all', lostIn),
    counts(
      '',
      'split brain',
      inGroups(({ lost }) => lost?.splitBrain ?? 0),
    ),
    counts(
      '',
      'not replicated',
      inGroups(({ lost }) => lost?.asynchronous ?? 0),
    ),
    counts(
      '',
      'empty restart',
      inGroups(({ lost }) => lost?.emptyRestart ?? 0),
    ),
    counts('', 'unknown', ({ groups }) => (groups.some(({ lost }) => lost === undefined) ? 1 : 0)),
    { ...counts('two masters', 'all time', twoMastersOf), unit: 'ms' },
    counts(
      'failovers',
      'all',
      inGroups(({ failovers }) => failovers),
    ),
    counts(
      '',
      'needless',
      inGroups(({ needless }) => needless),
    ),
    counts(
      '',
      'did not come',
      inGroups(({ outcome }) => (outcome === 'missing' ? 1 : 0)),
    ),
    counts(
      '',
      'impossible',
      inGroups(({ outcome }) => (outcome === 'impossible' ? 1 : 0)),
    ),
    counts(
      'refused writes',
      'no replicas',
      inGroups(({ refused }) => refused),
    ),
  ]
}

function hasOutage({ outageMs }: GroupMeasured): boolean {
  return (outageMs ?? 0) > 0
}

/** The median over the histories: in each of them most writes meet no fault. */
function latencyOf(all: readonly MeasuredHistory[], of: keyof WriteLatency): number | undefined {
  const samples = all.flatMap(({ seed, groups }) =>
    groups.flatMap(({ latencyMs }) => (latencyMs ? [{ value: latencyMs[of], seed }] : [])),
  )
  return distributionOf(samples)?.median
}
