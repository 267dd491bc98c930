/** All that is known about the cluster at one moment: what the views draw. */
import type { NodeFacts, SentinelFacts } from './facts.ts'
import type { Layout, Place } from './layout.ts'
import type { MemberState } from './member.ts'

export interface NodeModel {
  readonly port: number
  state: MemberState
  /** Its last word; undefined while it cannot be asked. */
  facts: NodeFacts | undefined
}

export interface SentinelModel {
  readonly port: number
  state: MemberState
  facts: SentinelFacts | undefined
  /** Its identity in votes; empty until it has been asked. */
  runId: string
  /** The highest epoch it has spoken of. */
  epoch: number
}

/** One line of the log. */
export interface Happening {
  readonly wallMs: number
  /** Port of the Sentinel or node it is about; undefined: the whole cluster. */
  readonly source: number | undefined
  /** `+sdown` and the like; empty for what we did or saw ourselves. */
  readonly event: string
  readonly text: string
}

export interface ClusterModel {
  readonly nodes: readonly NodeModel[]
  readonly sentinels: readonly SentinelModel[]
  /** The Sentinel that led the last failover, and the epoch it was elected in. */
  leader: { readonly port: number; readonly epoch: number } | undefined
  /** Oldest first; only the last ones are kept. */
  readonly happenings: Happening[]
}

export function createModel(layout: Layout): ClusterModel {
  const member = ({ port }: Place) => ({ port, state: 'dead' as const, facts: undefined })
  return {
    nodes: layout.nodes.map(member),
    sentinels: layout.sentinels.map((place) => ({ ...member(place), runId: '', epoch: 0 })),
    leader: undefined,
    happenings: [],
  }
}

const KEPT_HAPPENINGS = 500

export function note(model: ClusterModel, happening: Happening): void {
  model.happenings.push(happening)
  if (model.happenings.length > KEPT_HAPPENINGS) model.happenings.shift()
}

/** The master in the eyes of the Sentinels; while they disagree, of the one with the newest view. */
export function masterPort(model: ClusterModel): number | undefined {
  const views = model.sentinels.flatMap(({ state, facts }) =>
    state === 'running' && facts !== undefined ? [facts] : [],
  )
  const newest = views.sort((a, b) => b.configEpoch - a.configEpoch)[0]
  return newest?.master ?? model.nodes.find(({ facts }) => facts?.role === 'master')?.port
}

/**
 * What is still missing until every replica has a complete copy and every Sentinel sees all there is to
 * see. Undefined: nothing.
 */
export function missing({ nodes, sentinels }: ClusterModel): string | undefined {
  const replicas = nodes.length - 1
  const silent = [...nodes, ...sentinels].find(({ facts }) => facts === undefined)
  if (silent !== undefined) return `${silent.port} does not answer`
  const late = nodes.find(({ facts }) => !facts?.isInSync)
  if (late !== undefined) return `${late.port} is not in sync with its master`
  const master = nodes.find(({ facts }) => facts?.role === 'master')
  if (master?.facts?.replicas !== replicas) return 'the master lacks replicas'
  const blind = sentinels.find(({ facts }) => facts?.replicas !== replicas)
  if (blind !== undefined) return `Sentinel ${blind.port} does not know every replica`
  const lonely = sentinels.find(({ facts }) => facts?.peers !== sentinels.length - 1)
  if (lonely !== undefined) return `Sentinel ${lonely.port} does not know every other`
  return undefined
}
