/**
 * The user's cluster as it is simulated: its processes, their boxes, their rules. Plain data, because it
 * is passed to workers. What the configuration does not say is assumed, and the assumptions are listed.
 */
import { assert } from '../base/assert.ts'
import type { Problem } from '../config/problem.ts'
import { majority } from '../core/election/quorum.ts'
import type { MoreOptions, PromotionWord, SpecOptions } from '../history/topology.ts'

export interface SimulatedCluster {
  /** The configuration file, as the user named it. */
  readonly file: string
  readonly groups: readonly ClusterGroup[]
  readonly sentinels: readonly ClusterMember[]
  readonly clients: readonly ClusterClient[]
  /** For each client. */
  readonly writesPerSecond: number
  /** One plain sentence each. */
  readonly assumptions: readonly string[]
}

export interface ClusterGroup extends SpecOptions, MoreOptions {
  /** As the configuration has it. */
  readonly title: string
  /** The same name if scenario files allow it, otherwise a number. */
  readonly name: string
  /** The first one is the master at first. */
  readonly nodes: readonly ClusterNode[]
  /** What is unwise about its rules, whatever happens. */
  readonly doubts: readonly Pick<Problem, 'code' | 'message' | 'hint'>[]
}

export interface ClusterMember {
  readonly name: string
  readonly host: string
}

export interface ClusterNode extends ClusterMember {
  /** Its address in the configuration. */
  readonly address: string | undefined
  /** What the rules of its group say about promoting it, and its zone; undefined: nothing, none. */
  readonly promotion: PromotionWord | undefined
  readonly zone: string | undefined
  /** Directives of redis.conf that differ from the defaults. */
  readonly settings: Readonly<Record<string, string>>
}

export interface ClusterClient extends ClusterMember {
  readonly group: string
}

/** All boxes with a process on them: nodes first, then Sentinels, then clients. */
export function boxesOf({ groups, sentinels, clients }: SimulatedCluster): readonly string[] {
  const nodes = groups.flatMap((group) => group.nodes)
  return [...new Set([...nodes, ...sentinels, ...clients].map(({ host }) => host))]
}

/** The zone of a box, by the zones that the files give the nodes on it; undefined: none. */
export function zoneOf({ groups }: SimulatedCluster, box: string): string | undefined {
  const nodes = groups.flatMap((group) => group.nodes)
  return nodes.find(({ host, zone }) => host === box && zone !== undefined)?.zone
}

/** The processes that die with this box. */
export function residentsOf(cluster: SimulatedCluster, box: string): readonly string[] {
  const nodes = cluster.groups.flatMap((group) => group.nodes)
  const all = [...nodes, ...cluster.sentinels, ...cluster.clients]
  return all.filter(({ host }) => host === box).map(({ name }) => name)
}

export function masterOf({ nodes }: ClusterGroup): ClusterNode {
  const [master] = nodes
  assert(master !== undefined, 'a group has a master')
  return master
}

export function majorityOf({ sentinels }: Pick<SimulatedCluster, 'sentinels'>): number {
  return majority(sentinels.length)
}

export function isStrictGroup({ replication }: Pick<MoreOptions, 'replication'>): boolean {
  return replication === 'strict'
}

/** In a strict group: the nodes whose acknowledgements count. */
export function votersOf({ nodes }: ClusterGroup): readonly ClusterNode[] {
  return nodes.filter(({ settings }) => settings['sync-replication'] !== 'no')
}

/** How many voters of a strict group must have a write, the master included. */
export function writeQuorumOf(group: ClusterGroup): number {
  return group.writeQuorum || majority(votersOf(group).length)
}

/** How many nodes beside a lost master must be in reach, so that one of them can be promoted. */
export function heirsNeeded(group: ClusterGroup): number {
  if (!isStrictGroup(group)) return 1
  return Math.max(1, votersOf(group).length - writeQuorumOf(group) + 1)
}

/** A setting of a node as a number; `usual` if redis.conf does not set it. */
export function settingOf(node: ClusterNode, name: string, usual: number): number {
  const value = Number(node.settings[name] ?? usual)
  return Number.isFinite(value) ? value : usual
}

/** Whether the writes it has acknowledged are on its disk, except those not synced. */
export function keepsAppendOnly({ settings }: ClusterNode): boolean {
  return settings.appendonly === 'yes'
}
