/** The processes of a run that was drawn from a seed. */
import type {
  Manner,
  MoreOptions,
  OperationKind,
  PromotionWord,
  SpecOptions,
} from '../history/topology.ts'
import { numbers } from './odds.ts'

export interface PlannedMembers {
  readonly topology: PlannedTopology
  readonly clients: readonly PlannedClient[]
}

/** What is drawn before the faults, and what they depend on. */
export interface Setting extends PlannedMembers {
  /** When everything is healed: from then on the cluster has to come to rest. */
  readonly calmMs: number
}

export interface PlannedTopology {
  readonly latencyMs: number
  readonly jitterMs: number
  readonly zones: readonly Zone[]
  /** Directives of redis.conf for all nodes. */
  readonly settings: Readonly<Record<string, number | string>>
  readonly groups: readonly PlannedGroup[]
  readonly nodes: readonly PlannedNode[]
  readonly sentinels: readonly PlannedSentinel[]
  readonly liars: readonly PlannedLiar[]
  /** The password of nodes and Sentinels; undefined: they require none. */
  readonly password: string | undefined
}

/** Hosts that are near each other and `farMs` from all others. */
export interface Zone {
  readonly name: string
  readonly hosts: readonly string[]
  readonly farMs: number
}

export interface PlannedGroup extends SpecOptions, MoreOptions {
  readonly name: string
  readonly master: string
}

export interface PlannedNode {
  readonly name: string
  readonly host: string
  readonly group: string
  readonly replicaOf: string | undefined
  /** What the Sentinels are told about promoting it; undefined: nothing. */
  readonly promotion?: PromotionWord | undefined
  readonly settings: Readonly<Record<string, number | string>>
  readonly joinsLater: boolean
}

export interface PlannedSentinel {
  readonly name: string
  readonly host: string
  readonly joinsLater: boolean
}

/** A liar lives on a host of its own, and falls silent when calm begins. */
export interface PlannedLiar {
  readonly name: string
  readonly knowsPassword: boolean
}

export interface PlannedClient {
  readonly name: string
  readonly host: string
  readonly group: string
  readonly operation: OperationKind
  readonly pace: { readonly rate: number } | { readonly thinkMs: number }
  readonly manner: Manner
  /** A proxy in its own process stands between it and the cluster. */
  readonly hasProxy?: boolean
  /** Now and then it closes its half of another connection. */
  readonly halfCloses?: boolean
  /** With a rate: so many requests leave together. */
  readonly pipeline?: number | undefined
}

/** `n1`, the master, with its replicas, and the Sentinels. `isShared`: one of each kind on a host, as far as that goes. */
export function plainMembers(
  counts: { readonly nodes: number; readonly sentinels: number },
  isShared: boolean,
): Pick<PlannedTopology, 'nodes' | 'sentinels'> {
  const place = (kind: 'node' | 'sentinel', number: number): string =>
    isShared ? `box${number}` : `${kind}${number}`
  return {
    nodes: numbers(counts.nodes).map((number) => ({
      ...{ name: `n${number}`, host: place('node', number), group: 'mymaster' },
      ...{ replicaOf: number === 1 ? undefined : 'n1', settings: {}, joinsLater: false },
    })),
    sentinels: numbers(counts.sentinels).map((number) => ({
      ...{ name: `s${number}`, host: place('sentinel', number), joinsLater: false },
    })),
  }
}

export function isWriteOnly({ operation }: PlannedClient): boolean {
  return ['keys', 'set', 'counter'].includes(operation)
}

/** Every host on which a process lives, in the order of the file. */
export function hostsOf(members: PlannedMembers): readonly string[] {
  const { nodes, sentinels } = members.topology
  const homes = [...nodes, ...sentinels, ...members.clients].map(({ host }) => host)
  return [...new Set([...homes, ...members.topology.liars.map(({ name }) => name)])]
}

/** The processes on these hosts: a power loss ends them. */
export function residentsOf(members: PlannedMembers, hosts: readonly string[]): string[] {
  return [...members.topology.nodes, ...members.topology.sentinels, ...members.clients]
    .filter(({ host }) => hosts.includes(host))
    .map(({ name }) => name)
}
