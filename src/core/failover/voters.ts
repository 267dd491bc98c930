/**
 * [replication: strict] The voters of a group: which instances they are, how many must be fenced, and
 * what they say of themselves. The list is the operator's; see docs/strict.md for what it promises.
 */
import { type Address, hostAndPort, parseHostAndPort } from '../../base/ip.ts'
import type { GroupConfig } from '../config.ts'
import type { SyncReport } from '../discovery/info-parser.ts'
import { majority } from '../election/quorum.ts'
import { sameAddress } from '../names/names.ts'
import type { DataInstance, Group, Master, State, Turn } from '../state.ts'
import { commandLink, dataInstancesOf, isSdown } from '../state.ts'

/** A fence of another Sentinel takes less; a master that was fenced in vain is missed for so long. */
const IDLE_PATIENCE_MS = 1_000

export function isStrict({ config }: Pick<Group, 'config'>): boolean {
  return config.replication === 'strict'
}

/** The addresses of the voters; invalid ones are left out, `check` has named them. */
export function votersIn({
  replication,
  voters,
}: Pick<GroupConfig, 'replication' | 'voters'>): Address[] {
  if (replication !== 'strict') return []
  return voters.flatMap((voter) => parseHostAndPort(voter) ?? [])
}

/** How many voters must have a write, the master included. */
export function writeQuorum({
  voters,
  writeQuorum: said,
}: Pick<GroupConfig, 'voters' | 'writeQuorum'>): number {
  return said === 0 ? majority(voters.length) : said
}

/** How many must be fenced before one is promoted: any so many share one with any write quorum. */
export function fencesNeeded(config: GroupConfig): number {
  return Math.max(1, config.voters.length - writeQuorum(config) + 1)
}

/** The words behind a FENCE that say what the group is. */
export function layoutWords(config: GroupConfig): string[] {
  const voters = votersIn(config).map(({ host, port }) => hostAndPort(host, port))
  return [String(writeQuorum(config) - 1), config.reads, ...voters]
}

/** The instances that are voters, as far as they are known. Each once: two names can lead to one node. */
export function voterInstances(state: State, group: Group): DataInstance[] {
  const known = dataInstancesOf(group)
  const voters = votersIn(group.config).flatMap((voter) => {
    return known.find((one) => sameAddress(state, one, voter)) ?? []
  })
  return [...new Set(voters)]
}

/** Notes what a node says of its term, and since when it has been the master of none. */
export function noteSync(turn: Turn, instance: DataInstance, sync: SyncReport | undefined): void {
  instance.sync = sync
  if (sync === undefined || sync.state === 'master') instance.idleSinceMs = undefined
  else instance.idleSinceMs ??= turn.now.monoMs
}

/** When a master that has no term counts as down; undefined: it has one, or needs none. */
export function idleDownAtMs({ idleSinceMs, group }: Master): number | undefined {
  if (idleSinceMs === undefined || !isStrict(group)) return undefined
  return idleSinceMs + Math.min(IDLE_PATIENCE_MS, group.config.downAfterMs) + 1
}

/** It answers, even if it is a master without a term, which counts as down. */
export function isInReach(node: DataInstance): boolean {
  if (commandLink(node) === undefined) return false
  return !isSdown(node) || (node.kind === 'master' && node.link.pingPendingSinceMs === undefined)
}

/** Why no voter could be promoted now; undefined: one might be. */
export function fenceObstacle(turn: Turn, group: Group): string | undefined {
  const needed = fencesNeeded(group.config)
  const inReach = voterInstances(turn.state, group).filter(isInReach)
  if (inReach.length >= needed) return undefined
  return `only ${inReach.length} of the ${needed} voters that must be fenced are in reach`
}
