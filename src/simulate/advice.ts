/** Plain advice if a setting caused what happened: what, how often in these histories, what to try. */
import { adviseReplication } from './advice-replication.ts'
import { adviseSentinels } from './advice-sentinels.ts'
import { adviseTimes } from './advice-times.ts'
import { type ClusterNode, keepsAppendOnly, masterOf, type SimulatedCluster } from './cluster.ts'
import type { Advice, AdviceFinding, Evidence, HistoryCase } from './evidence.ts'
import { isRestart } from './incident.ts'
import { lostTotal, type MeasuredHistory } from './measure.ts'
import { sum } from './summary.ts'

/** In the order of importance: what blocks failovers comes first. */
export function adviceFor(
  cluster: SimulatedCluster,
  all: readonly MeasuredHistory[],
): readonly Advice[] {
  const isOne = cluster.groups.length === 1
  return cluster.groups.flatMap((group, index) => {
    const cases = all.flatMap(({ seed, kind, groups }) => {
      const measured = groups[index]
      return measured === undefined ? [] : [{ ...measured, seed, kind }]
    })
    const evidence = { cluster, group, cases }
    const findings = [
      ...adviseSentinels(evidence),
      ...adviseReplication(evidence),
      ...advisePersistence(evidence),
      ...adviseTimes(evidence),
    ]
    return findings.map((finding) => ({ ...finding, group: isOne ? undefined : group.title }))
  })
}

/** Advice about redis.conf: which data a node still has when it comes back. */
function advisePersistence(evidence: Evidence): AdviceFinding[] {
  const master = masterOf(evidence.group)
  return keepsAppendOnly(master) ? adviseSyncing(master, evidence) : adviseKeeping(evidence)
}

/** Without an append-only file there is only the last save, and often none. */
function adviseKeeping(evidence: Evidence): AdviceFinding[] {
  return finding(evidence, 'in which nodes came back', ({ kind }) => isRestart(kind), {
    setting: 'appendonly no',
    effect: 'a node that is started again has its last save, or nothing',
    tryThis: 'appendonly yes on every node, and --compare-server to see what it costs',
  })
}

/** Matters only if all nodes lose power together: otherwise one of them has what the disk lacked. */
function adviseSyncing({ settings }: ClusterNode, evidence: Evidence): AdviceFinding[] {
  const appendfsync = settings.appendfsync ?? 'everysec'
  if (appendfsync === 'always') return []
  return finding(evidence, 'of such outages', ({ kind }) => kind === 'siteOutage', {
    setting: `appendfsync ${appendfsync}`,
    effect: 'when power fails everywhere the last writes are on no disk',
    tryThis: 'appendfsync always: every answer waits for the disk then',
  })
}

function finding(
  { cases }: Evidence,
  which: string,
  isAbout: (one: HistoryCase) => boolean,
  words: Pick<AdviceFinding, 'setting' | 'effect' | 'tryThis'>,
): AdviceFinding[] {
  const met = cases.filter((one) => isAbout(one) && lostOf(one) > 0)
  if (met.length === 0) return []
  const about = cases.filter(isAbout).length
  const seen = `In ${met.length} of ${about} histories ${which} that cost ${sum(met, lostOf)} acknowledged writes.`
  return [{ ...words, seen, histories: met.length, seed: met[0]?.seed }]
}

function lostOf({ lost }: HistoryCase): number {
  return lost === undefined ? 0 : lostTotal(lost)
}
