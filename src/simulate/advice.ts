/** Plain advice where a setting is the cause of what happened: what, how often in these histories, what to try. */
import { advisePersistence } from './advice-persistence.ts'
import { adviseReplication } from './advice-replication.ts'
import { adviseSentinels } from './advice-sentinels.ts'
import { adviseTimes } from './advice-times.ts'
import type { Cluster } from './cluster.ts'
import type { Advice } from './evidence.ts'
import type { Measured } from './measure.ts'

/** In the order in which it matters: what blocks failovers first. */
export function adviceFor(cluster: Cluster, all: readonly Measured[]): readonly Advice[] {
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
