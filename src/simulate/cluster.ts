/**
 * The user's cluster as it is simulated: who is there, on which boxes, by which rules. Plain data, for
 * it is handed to workers. What the configuration does not say was assumed, and the assumptions are told.
 */
import { assert } from '../base/assert.ts'
import type { Problem } from '../config/problem.ts'
import type { Detection } from '../core/config.ts'

export interface Cluster {
  /** The configuration file, as the user named it. */
  readonly file: string
  readonly groups: readonly ClusterGroup[]
  readonly sentinels: readonly Member[]
  readonly clients: readonly ClusterClient[]
  /** Of each client. */
  readonly writesPerSecond: number
  /** One plain sentence each. */
  readonly assumptions: readonly string[]
}

export interface ClusterGroup {
  /** As the configuration has it. */
  readonly title: string
  /** The same where scenario files can say it, or a number. */
  readonly name: string
  readonly quorum: number
  readonly downAfterMs: number
  readonly failoverTimeoutMs: number
  readonly parallelSyncs: number
  readonly detection: Detection
  readonly refusedAfterMs: number
  /** The first one is the master at first. */
  readonly nodes: readonly ClusterNode[]
  /** What is unwise about its rules, whatever happens. */
  readonly doubts: readonly Pick<Problem, 'code' | 'message' | 'hint'>[]
}

export interface Member {
  readonly name: string
  readonly host: string
}

export interface ClusterNode extends Member {
  /** Where the configuration says it is. */
  readonly address: string | undefined
  /** Directives of redis.conf that differ from the defaults. */
  readonly settings: Readonly<Record<string, string>>
}

export interface ClusterClient extends Member {
  readonly group: string
}

/** Every box somebody lives on: nodes first, then Sentinels, then clients. */
export function boxesOf({ groups, sentinels, clients }: Cluster): readonly string[] {
  const nodes = groups.flatMap((group) => group.nodes)
  return [...new Set([...nodes, ...sentinels, ...clients].map(({ host }) => host))]
}

/** Who dies with this box. */
export function residentsOf(cluster: Cluster, box: string): readonly string[] {
  const nodes = cluster.groups.flatMap((group) => group.nodes)
  const all = [...nodes, ...cluster.sentinels, ...cluster.clients]
  return all.filter(({ host }) => host === box).map(({ name }) => name)
}

export function masterOf({ nodes }: ClusterGroup): ClusterNode {
  const [master] = nodes
  assert(master !== undefined, 'a group has a master')
  return master
}

export function majorityOf({ sentinels }: Pick<Cluster, 'sentinels'>): number {
  return Math.floor(sentinels.length / 2) + 1
}

/** A setting of a node as a number; `usual` where redis.conf does not say. */
export function settingOf(node: ClusterNode, name: string, usual: number): number {
  const value = Number(node.settings[name] ?? usual)
  return Number.isFinite(value) ? value : usual
}

/** What it has acknowledged is on its disk, but for what was not synced. */
export function keepsAppendOnly({ settings }: ClusterNode): boolean {
  return settings.appendonly === 'yes'
}
