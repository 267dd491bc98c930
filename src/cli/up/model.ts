/** Everything known about the cluster at one moment, for the views to draw. */
import type { HeardEvent } from '../../core/event-table.ts'
import type { NodeFacts, SentinelFacts } from './facts.ts'
import type { MasterIncident } from './incident.ts'
import type { DemoLayout, Place } from './layout.ts'
import type { MemberState } from './member.ts'

/** A process that has been started and has not answered yet is neither dead nor silent. */
export type ShownState = MemberState | 'starting'

export interface NodeModel {
  readonly port: number
  state: ShownState
  /** What the node last said; undefined while it cannot be asked. */
  facts: NodeFacts | undefined
  /** How long the last PING took, in milliseconds; undefined while there is no answer. */
  pingMs: number | undefined
}

export interface SentinelModel {
  readonly port: number
  state: ShownState
  facts: SentinelFacts | undefined
  pingMs: number | undefined
  /** Its identity in votes; empty until the Sentinel has been asked. */
  runId: string
  /** The highest epoch that the Sentinel has spoken of. */
  epoch: number
}

/** One line of the log. */
export interface ShownHappening {
  readonly wallMs: number
  /** Port of the Sentinel or node that the line is about; undefined: the whole cluster. */
  readonly source: number | undefined
  /** Empty for what we did or saw ourselves. */
  readonly event: HeardEvent | ''
  readonly text: string
}

export interface ClusterModel {
  readonly nodes: readonly NodeModel[]
  readonly sentinels: readonly SentinelModel[]
  /** The Sentinel that led the last failover, and the epoch in which it was elected. */
  leader: { readonly port: number; readonly epoch: number } | undefined
  /** Oldest first; only the latest are kept. */
  readonly happenings: ShownHappening[]
  /** Oldest first. */
  readonly incidents: MasterIncident[]
}

export function createModel(layout: DemoLayout): ClusterModel {
  const unknown = { state: 'starting' as const, facts: undefined, pingMs: undefined }
  const member = ({ port }: Place) => ({ port, ...unknown })
  return {
    nodes: layout.nodes.map(member),
    sentinels: layout.sentinels.map((place) => ({ ...member(place), runId: '', epoch: 0 })),
    leader: undefined,
    happenings: [],
    incidents: [],
  }
}

const KEPT_HAPPENINGS = 500

export function note(model: ClusterModel, happening: ShownHappening): void {
  model.happenings.push(happening)
  if (model.happenings.length > KEPT_HAPPENINGS) model.happenings.shift()
}

/** What becomes of a member's state on the screen when its process changes. */
export function shownState(before: ShownState, now: MemberState): ShownState {
  return now === 'running' && (before === 'dead' || before === 'starting') ? 'starting' : now
}

/** It has answered. */
export function noteAnswer(entry: NodeModel | SentinelModel): void {
  if (entry.state === 'starting') entry.state = 'running'
}

/** The master in the view of the Sentinels; while they disagree, in the newest view. */
export function masterPort(model: ClusterModel): number | undefined {
  const views = model.sentinels.flatMap(({ state, facts }) =>
    state === 'running' && facts !== undefined ? [facts] : [],
  )
  const newest = views.sort((a, b) => b.configEpoch - a.configEpoch)[0]
  return newest?.master ?? model.nodes.find(({ facts }) => facts?.role === 'master')?.port
}

/** What a member last said may be older than the harm that was done to it. */
const HARMED: ReadonlySet<ShownState> = new Set(['dead', 'paused', 'cut off'])

/**
 * What is still missing until every member runs, every replica has a complete copy and every Sentinel
 * knows all members. Undefined: nothing.
 */
export function missing({ nodes, sentinels }: ClusterModel): string | undefined {
  const replicas = nodes.length - 1
  const harmed = [...nodes, ...sentinels].find(({ state }) => HARMED.has(state))
  if (harmed !== undefined) return `${harmed.port} is ${harmed.state}`
  const silent = [...nodes, ...sentinels].find(({ facts }) => facts === undefined)
  if (silent !== undefined) return `${silent.port} does not answer`
  const late = nodes.find(({ facts }) => !facts?.isInSync)
  if (late !== undefined) return `${late.port} is not in sync with its master`
  const master = nodes.find(({ facts }) => facts?.role === 'master')
  if ((master?.facts?.replicas ?? 0) < replicas) return 'the master lacks replicas'
  const blind = sentinels.find(({ facts }) => (facts?.replicas ?? 0) < replicas)
  if (blind !== undefined) return `Sentinel ${blind.port} does not know every replica`
  return missingPeers(sentinels)
}

/** A replica from elsewhere does no harm, but a Sentinel from elsewhere votes. */
function missingPeers(sentinels: readonly SentinelModel[]): string | undefined {
  const others = sentinels.length - 1
  const lonely = sentinels.find(({ facts }) => (facts?.peers ?? 0) < others)
  if (lonely !== undefined) return `Sentinel ${lonely.port} does not know every other`
  const crowded = sentinels.find(({ facts }) => (facts?.peers ?? 0) > others)
  if (crowded === undefined) return undefined
  const { port, facts } = crowded
  return `Sentinel ${port} knows ${facts?.peers} others and this cluster has ${others}: one from elsewhere watches it, too`
}
