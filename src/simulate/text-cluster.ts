/** What is simulated: the processes, their rules, and what was assumed. */
import {
  type ClusterGroup,
  type ClusterMember,
  type ClusterNode,
  isStrictGroup,
  type SimulatedCluster,
  votersOf,
  writeQuorumOf,
} from './cluster.ts'
import type { NetworkProfile } from './profiles.ts'
import { durationText, entry } from './text-table.ts'

export function clusterLines(cluster: SimulatedCluster, profile: NetworkProfile): string[] {
  const { groups, sentinels, clients, writesPerSecond, assumptions } = cluster
  return [
    ...groups.flatMap((group) => groupLines(group, sentinels.length)),
    ...entry('Sentinels', placesText(sentinels)),
    ...entry('clients', `${placesText(clients)}; each ${writesPerSecond} writes a second`),
    ...entry('network', `${profile.name}: ${profile.text}`),
    ...(assumptions.length === 0 ? [] : entry('assumed', assumptions.join('; '))),
  ]
}

function groupLines(group: ClusterGroup, sentinels: number): string[] {
  const { quorum, downAfterMs, failoverTimeoutMs } = group
  const rules = [
    `quorum ${quorum} of ${sentinels}`,
    `down-after ${durationText(downAfterMs)}`,
    `failover-timeout ${durationText(failoverTimeoutMs)}`,
  ]
  const nodes = group.nodes.map(nodeText).join(', ')
  return [
    ...entry(group.title, rules.join(', ')),
    ...(isStrictGroup(group) ? entry('', strictText(group)) : []),
    ...entry('', nodes),
    ...settingLines(group),
  ]
}

function strictText(group: ClusterGroup): string {
  const words = [`${votersOf(group).length} voters`, `write-quorum ${writeQuorumOf(group)}`]
  return ['replication strict', ...words, `reads ${group.reads ?? 'normal'}`].join(', ')
}

function nodeText({ name, host, address }: ClusterNode, index: number): string {
  const known = [...(index === 0 ? ['master'] : []), ...(address === undefined ? [] : [address])]
  return `${name} on ${host}${known.length === 0 ? '' : ` (${known.join(', ')})`}`
}

/** What redis.conf adds; printed once if all nodes have the same. */
function settingLines({ nodes }: ClusterGroup): string[] {
  const texts = nodes.map(({ settings }) =>
    Object.entries(settings)
      .map(([name, value]) => `${name} ${value === '' ? '""' : value}`)
      .join(', '),
  )
  const [first = ''] = texts
  if (texts.every((text) => text === first)) return first === '' ? [] : entry('', first)
  return nodes.flatMap(({ name }, index) => {
    const text = texts[index] ?? ''
    return text === '' ? [] : entry('', `${name}: ${text}`)
  })
}

function placesText(members: readonly ClusterMember[]): string {
  return members.map(({ name, host }) => `${name} on ${host}`).join(', ')
}
