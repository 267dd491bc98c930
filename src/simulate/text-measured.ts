/** One history in a few lines: what the table of all histories is made of. */
import type { SimulatedCluster } from './cluster.ts'
import {
  type GroupMeasured,
  type IncidentOutcome,
  lostTotal,
  type MeasuredHistory,
} from './measure.ts'
import { durationText, entry } from './text-table.ts'

export function measuredLines({ groups }: MeasuredHistory, cluster: SimulatedCluster): string[] {
  return groups.flatMap((group, index) =>
    entry(cluster.groups[index]?.title ?? '', partsOf(group).join(', ')),
  )
}

const OUTCOMES: Readonly<Record<IncidentOutcome, string>> = {
  unneeded: 'no failover needed',
  came: 'failed over',
  missing: 'a failover should have come and did not',
  impossible: 'no replica, or no majority, was left to fail over',
}

function partsOf(group: GroupMeasured): string[] {
  const { sdownMs, odownMs, outageMs, twoMastersMs, lost, failovers, needless, refused } = group
  const times = failovers > 1 ? ` ${failovers} times` : ''
  return [
    `${OUTCOMES[group.outcome]}${times}${needless > 0 ? ', needlessly' : ''}`,
    ...(sdownMs === undefined ? [] : [`noticed after ${durationText(sdownMs)}`]),
    ...(odownMs === undefined ? [] : [`agreed after ${durationText(odownMs)}`]),
    outageMs === undefined ? 'all clients cut off' : `outage ${durationText(outageMs)}`,
    ...(twoMastersMs > 0 ? [`two masters for ${durationText(twoMastersMs)}`] : []),
    ...(refused > 0 ? [`${refused} writes refused for lack of replicas`] : []),
    lost === undefined ? 'lost writes unknown' : `${lostTotal(lost)} writes lost`,
  ]
}
