/**
 * The document of GET /cluster: everything a Sentinel sees of its groups, at one moment. A pure function of
 * the machine's state; it changes nothing. Durations and ages are milliseconds, and what is not known is
 * null.
 */
import type { Moment } from '../base/clock.ts'
import { hostAndPort } from '../base/ip.ts'
import { electorCount, majority, usableSentinels, votesNeeded } from '../core/election/quorum.ts'
import { reasonsAgainst } from '../core/failover/selection.ts'
import { whyOutOfReach } from '../core/links/links.ts'
import { shownHost } from '../core/names/names.ts'
import { isPaused } from '../core/pause/pause.ts'
import { pauseLeftMs } from '../core/pause/pause-record.ts'
import { flagsOf } from '../core/report/instance-map.ts'
import {
  currentMaster,
  type DataInstance,
  type Group,
  isOdown,
  isSdown,
  isTilted,
  type Peer,
  type Replica,
  type State,
  type Turn,
} from '../core/state.ts'
import { type Confirmation, confirmationOf } from './confirmed.ts'
import { type IfMasterDied, ifMasterDied, type NodePlace } from './if-master-died.ts'
import { KnownFacts, type ReplicationFacts } from './replication-facts.ts'
import { SlicedList } from './sliced-list.ts'

export interface ClusterDocument {
  readonly program: 'vedette-sentinel'
  readonly version: string
  readonly runId: string
  /** Where peers and clients reach this Sentinel, as it announces itself; host null: by its connections. */
  readonly address: { readonly host: string | null; readonly port: number }
  /** The wall clock, in ms since 1970. */
  readonly nowMs: number
  readonly uptimeMs: number
  readonly epoch: number
  readonly tilt: boolean
  readonly groups: readonly GroupDocument[]
}

export interface GroupDocument {
  readonly name: string
  /** The address that clients are told: of a promoted replica from its promotion on. */
  readonly master: NodePlace
  readonly configEpoch: number
  readonly quorum: number
  readonly downAfterMs: number
  readonly status: GroupStatus
  readonly paused: GroupPause | null
  readonly reachability: QuorumReach
  readonly confirmed: Confirmation
  readonly nodes: readonly WatchedNode[]
  readonly sentinels: readonly WatchingSentinel[]
  readonly failover: FailoverDocument | null
  /** Why no failover begins although the master is down, as the log says; null: nothing is in its way. */
  readonly obstacle: string | null
  readonly ifMasterDied: IfMasterDied
}

/** The worst that is true: a failover under way, objectively down, down for this Sentinel, or well. */
export type GroupStatus = 'ok' | 'sdown' | 'odown' | 'failover'

export interface GroupPause {
  /** The wall clock, in ms since 1970. */
  readonly untilMs: number
  readonly reason: string
  /** `user@address` of the client that ordered it. */
  readonly by: string
}

export interface QuorumReach {
  readonly usable: number
  readonly known: number
  readonly quorum: number
  readonly majority: number
  /** As many Sentinels are in reach as the quorum and an election need. */
  readonly isQuorumReachable: boolean
  readonly text: string
}

export interface WatchedNode extends NodePlace {
  readonly role: 'master' | 'replica'
  readonly runId: string
  readonly flags: readonly string[]
  readonly isDown: boolean
  /** Ago; null: it has never answered. */
  readonly lastReplyMs: number | null
  readonly roundTripMs: number | null
  readonly offset: number | null
  readonly lagBytes: number | null
  readonly priority: number | null
  readonly linkStatus: 'up' | 'down' | null
  /** Why it may not be promoted; null for a replica that may, and for the master. */
  readonly notPromotable: string | null
  /** What it refuses us at present, in words; null: nothing. */
  readonly refusal: string | null
  /** Why there is no connection to it; null unless it is down and cannot be reached. */
  readonly outOfReach: string | null
}

export interface WatchingSentinel extends NodePlace {
  readonly runId: string
  readonly isSelf: boolean
  readonly isDown: boolean
  /** Ago; null for this Sentinel. */
  readonly lastHelloMs: number | null
  readonly seesMasterDown: boolean
}

export interface FailoverDocument {
  readonly state: string
  readonly kind: string
  readonly epoch: number
  /** The wall clock, in ms since 1970. */
  readonly startedMs: number
  readonly candidate: NodePlace | null
}

/** The whole document at once; a shell that has other things to do takes `clusterInSlices`. */
export function clusterDocument(state: State, now: Moment, version: string): ClusterDocument {
  // The functions that decide take a turn; these only read it.
  const turn: Turn = { state, now, effects: [] }
  const facts = new KnownFacts()
  const groups = [...state.groups.values()].map((group) => clusterGroup(turn, group, facts))
  return { ...withoutGroups(state, now, version), groups }
}

export interface ClusterSlices {
  /** Adds some groups; false once all are there. */
  slice(now: Moment): boolean
  pieces(): readonly string[]
}

/** The document as text. What it says of one group is of one moment. */
export function clusterInSlices(
  state: State,
  begun: Moment,
  version: string,
  facts: KnownFacts,
): ClusterSlices {
  const list = new SlicedList(withoutGroups(state, begun, version), state.groups.values())
  return {
    slice: (now) =>
      list.slice((group) => {
        // It may have been removed since the last slice.
        if (state.groups.get(group.config.name) !== group) return undefined
        return clusterGroup({ state, now, effects: [] }, group, facts)
      }),
    pieces: () => list.pieces(),
  }
}

function withoutGroups(state: State, now: Moment, version: string): ClusterDocument {
  const { config, startedAt } = state
  return {
    program: 'vedette-sentinel',
    version,
    runId: state.myid,
    address: { host: config.announceIp || null, port: ownPort(state) },
    nowMs: now.wallMs,
    uptimeMs: now.monoMs - startedAt.monoMs,
    epoch: state.currentEpoch,
    tilt: isTilted(state),
    groups: [],
  }
}

function clusterGroup(turn: Turn, group: Group, facts: KnownFacts): GroupDocument {
  const { config } = group
  const reasons = reasonsAgainst(turn, group)
  return {
    name: config.name,
    master: shownPlace(turn.state, currentMaster(group)),
    configEpoch: group.configEpoch,
    quorum: config.quorum,
    downAfterMs: config.downAfterMs,
    status: statusOf(group),
    paused: pauseOf(turn, group),
    reachability: reachabilityOf(group),
    confirmed: confirmationOf(turn, group),
    nodes: nodesOf(turn, group, reasons, facts.of(group.master)),
    sentinels: sentinelsOf(turn, group),
    failover: failoverOf(turn, group),
    obstacle: group.obstacle ?? null,
    ifMasterDied: ifMasterDied(turn, group, reasons),
  }
}

function pauseOf({ now }: Turn, group: Group): GroupPause | null {
  if (!isPaused(group)) return null
  const { reason, by } = group.pause
  return { untilMs: now.wallMs + pauseLeftMs(group.pause, now.monoMs), reason, by }
}

function ownPort({ config }: State): number {
  if (config.announcePort !== 0) return config.announcePort
  return config.tlsReplication && config.tlsPort !== 0 ? config.tlsPort : config.port
}

function statusOf(group: Group): GroupStatus {
  if (group.failover !== undefined) return 'failover'
  if (isOdown(group)) return 'odown'
  return isSdown(group.master) ? 'sdown' : 'ok'
}

function reachabilityOf(group: Group): QuorumReach {
  const usable = usableSentinels(group)
  const known = electorCount(group)
  const { quorum } = group.config
  const needed = votesNeeded(group)
  const isQuorumReachable = usable >= needed
  const verdict = isQuorumReachable ? 'a failover can be decided' : 'no failover can be decided'
  const text = `${usable} of ${known} Sentinels in reach, ${needed} needed: ${verdict}`
  return { usable, known, quorum, majority: majority(known), isQuorumReachable, text }
}

function nodesOf(
  turn: Turn,
  group: Group,
  reasons: ReadonlyMap<Replica, string>,
  facts: ReplicationFacts,
): readonly WatchedNode[] {
  const nodes = [nodeOf(turn, group.master, { offset: facts.masterOffset })]
  for (const one of group.replicas.values()) {
    nodes.push(nodeOf(turn, one, replicaFields(turn, one, facts, reasons)))
  }
  return nodes
}

type OwnFields = Partial<
  Pick<WatchedNode, 'offset' | 'lagBytes' | 'priority' | 'linkStatus' | 'notPromotable'>
>

/** Written out in full: there may be thousands, and the PINGs wait meanwhile. */
function nodeOf({ state, now }: Turn, one: DataInstance, own: OwnFields): WatchedNode {
  const { link } = one
  return {
    role: one.kind,
    host: shownHost(state, one.host),
    port: one.port,
    runId: one.runId,
    flags: flagsOf(one),
    isDown: isSdown(one),
    lastReplyMs: link.wasOk ? now.monoMs - link.lastOkAtMs : null,
    roundTripMs: roundTripMs(one),
    offset: own.offset ?? null,
    lagBytes: own.lagBytes ?? null,
    priority: own.priority ?? null,
    linkStatus: own.linkStatus ?? null,
    notPromotable: own.notPromotable ?? null,
    refusal: link.refusal ?? null,
    outOfReach: whyOutOfReach(one) ?? null,
  }
}

function roundTripMs({ link }: DataInstance): number | null {
  return link.roundTrips === undefined ? null : Math.round(link.roundTrips.averageMs * 10) / 10
}

function replicaFields(
  turn: Turn,
  replica: Replica,
  facts: ReplicationFacts,
  reasons: ReadonlyMap<Replica, string>,
): OwnFields {
  const barred = reasons.get(replica) ?? null
  if (replica.infoAtMs === undefined) return { notPromotable: barred }
  return {
    offset: replica.offset,
    lagBytes: lagBytes(turn, replica, facts),
    priority: replica.priority,
    linkStatus: replica.masterLinkUp ? 'up' : 'down',
    notPromotable: barred,
  }
}

/** By the master's own account; else by the two INFOs, which may be some seconds apart. */
function lagBytes({ state }: Turn, replica: Replica, facts: ReplicationFacts): number | null {
  const { masterOffset, acknowledged } = facts
  if (masterOffset === null) return null
  const host = shownHost(state, replica.host)
  const offset =
    acknowledged.get(`${host}:${replica.port}`) ??
    acknowledged.get(hostAndPort(host, replica.port)) ??
    replica.offset
  return Math.max(0, masterOffset - offset)
}

function sentinelsOf(turn: Turn, group: Group): readonly WatchingSentinel[] {
  const { state } = turn
  const self: WatchingSentinel = {
    runId: state.myid,
    host: state.config.announceIp || ownHost(group),
    port: ownPort(state),
    isSelf: true,
    isDown: false,
    lastHelloMs: null,
    seesMasterDown: isSdown(group.master),
  }
  return [self, ...[...group.peers.values()].map((peer) => peerEntry(turn, peer))]
}

/** Our end of the connection to the master, or to any other that is up; empty: none is. */
function ownHost({ master, replicas }: Group): string {
  const all = [master, ...replicas.values()]
  return all.find(({ link }) => link.command?.up)?.link.command?.localHost ?? ''
}

function peerEntry(turn: Turn, peer: Peer): WatchingSentinel {
  return {
    runId: peer.runId,
    ...shownPlace(turn.state, peer),
    isSelf: false,
    isDown: isSdown(peer),
    lastHelloMs: turn.now.monoMs - peer.helloReceivedAtMs,
    seesMasterDown: peer.masterDown,
  }
}

function failoverOf({ state, now }: Turn, { failover }: Group): FailoverDocument | null {
  if (failover === undefined) return null
  const candidate = failover.promoted ?? failover.heir
  return {
    state: failover.state,
    kind: failover.kind,
    epoch: failover.epoch,
    startedMs: now.wallMs - (now.monoMs - failover.startedAtMs),
    candidate: candidate === undefined ? null : shownPlace(state, candidate),
  }
}

function shownPlace(state: State, { host, port }: NodePlace): NodePlace {
  return { host: shownHost(state, host), port }
}
