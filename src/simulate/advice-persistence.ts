/** Advice about redis.conf: what a node still has when it comes back. */
import { type ClusterNode, keepsAppendOnly, masterOf } from './cluster.ts'
import type { Case, Evidence, Finding } from './evidence.ts'
import { isRestart } from './incident.ts'
import { lostTotal } from './measure.ts'
import { sum } from './summary.ts'

export function advisePersistence(evidence: Evidence): Finding[] {
  const master = masterOf(evidence.group)
  return keepsAppendOnly(master) ? adviseSyncing(master, evidence) : adviseKeeping(evidence)
}

/** Without it there is only the last save, and often none. */
function adviseKeeping(evidence: Evidence): Finding[] {
  return finding(evidence, 'in which nodes came back', ({ kind }) => isRestart(kind), {
    setting: 'appendonly no',
    effect: 'a node that is started again has its last save, or nothing',
    tryThis: 'appendonly yes on every node, and --compare-server to see what it costs',
  })
}

/** Only when all nodes lose power together: else one of them has what the disk had not. */
function adviseSyncing({ settings }: ClusterNode, evidence: Evidence): Finding[] {
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
  isAbout: (one: Case) => boolean,
  words: Pick<Finding, 'setting' | 'effect' | 'tryThis'>,
): Finding[] {
  const met = cases.filter((one) => isAbout(one) && lostOf(one) > 0)
  if (met.length === 0) return []
  const about = cases.filter(isAbout).length
  const seen = `In ${met.length} of ${about} histories ${which} that cost ${sum(met, lostOf)} acknowledged writes.`
  return [{ ...words, seen, histories: met.length, seed: met[0]?.seed }]
}

function lostOf({ lost }: Case): number {
  return lost === undefined ? 0 : lostTotal(lost)
}
