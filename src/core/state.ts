/**
 * The state of a Sentinel: groups, the instances in them, links and clients. Only `step` and what it
 * calls may change it. All `…AtMs` and `…SinceMs` fields are monotonic milliseconds.
 */
import type { Moment } from '../base/clock.ts'
import type { Rng } from '../base/rng.ts'
import type { Smoothed } from '../base/smoothed.ts'
import type { Access } from './access/access.ts'
import type { Client } from './client.ts'
import type { GlobalSettings, GroupConfig, SentinelConfig } from './config.ts'
import type { Effect } from './effect.ts'
import type { FailoverKind, FailoverState } from './failover-kinds.ts'
import type { ClientId, InquiryId, LinkId } from './ids.ts'
import type { FailoverReport, GuardClaim } from './info-text.ts'
import type { InquiryPurpose } from './inquiry.ts'
import type { Address, SavedPeer } from './memory/saved.ts'
import type { Names } from './names/known-names.ts'
import type { ProcessFacts } from './report/process-facts.ts'
import type { ScriptQueue } from './scripts/script-job.ts'
import type { TimerOwner, Timers } from './timers.ts'
import type { WriteFacts } from './write-faults.ts'

export interface State {
  config: SentinelConfig
  /** The settings as the user's file has them, whatever SENTINEL CONFIG SET has made of them since. */
  fileSettings: GlobalSettings
  readonly myid: string
  /** Where our periods begin on the grid: Sentinels that were started together should not PING together. */
  readonly slot: number
  readonly rng: Rng
  readonly timers: Timers<Instance | Link | Group | Tilt>
  /** By name, in the order they were added. */
  readonly groups: Map<string, Group>
  /** Groups of the user's file that were removed at run time. */
  readonly removed: GroupConfig[]
  /** By id. Entries go when the connection does. */
  readonly connections: Map<LinkId, Connection>
  readonly clients: Map<ClientId, Client>
  /** Who may use our own port, and for what. */
  readonly access: Access
  /** Questions to the world outside that have no answer yet. */
  readonly inquiries: { nextId: InquiryId; readonly open: Map<InquiryId, InquiryPurpose> }
  /** What host names mean. Empty where all hosts are addresses. */
  readonly names: Names
  readonly scripts: ScriptQueue
  /** Highest epoch seen anywhere. Only grows. */
  currentEpoch: number
  nextLinkId: number
  readonly tilt: Tilt
  /** False after a failed save, until one succeeds: no vote leaves while it could be forgotten. */
  canSave: boolean
  /** When the save that is under way was asked for, and how long they take. */
  readonly saves: { sinceMs: number | undefined; lasting: Smoothed | undefined }
  /** Set once a stop was asked for; nothing is started any more. */
  stopping: boolean
  /** [SENTINEL SIMULATE-FAILURE] The moments at which this process is to die. */
  crashesAfter: { election: boolean; promotion: boolean }
  /** What is known of the process we run in; undefined where there is none, as in the simulator. */
  readonly process: ProcessFacts | undefined
  readonly startedAt: Moment
  readonly stats: Stats
}

/** What has been counted since the start, for INFO. */
export interface Stats {
  connectionsReceived: number
  commandsProcessed: number
  rejected: number
  /** Bytes that came from clients. */
  bytesReceived: number
  /** Pieces in which those bytes came. */
  reads: number
  errorReplies: number
}

/** One turn of the machine: the state, the moment it happens at, and the effects so far. */
export interface Turn {
  readonly state: State
  readonly now: Moment
  readonly effects: Effect[]
}

export interface Tilt extends TimerOwner {
  readonly kind: 'tilt'
  /** When TILT began, or undefined. */
  sinceMs: number | undefined
  /** Both clocks at the previous step: what the next moment is compared with. */
  last: Moment
  /** How often TILT was entered. */
  total: number
}

export interface Group extends TimerOwner {
  readonly kind: 'group'
  /** The rules and the configured address; replaced as a whole by SET and by a switch. */
  config: GroupConfig
  /** The group as the user's file had it, undefined when it was added at run time. */
  file: GroupConfig | undefined
  /** Replaced as a whole by a switch. */
  master: Master
  /** By instance name. */
  readonly replicas: Map<string, Replica>
  /** By run id. */
  readonly peers: Map<string, Peer>
  configEpoch: number
  /** Our vote: at most one per epoch, durable before it is told. */
  leaderEpoch: number
  leader: string
  odownSinceMs: number | undefined
  failover: Failover | undefined
  /** A leader other than us, by our vote or by the majority's: it is given time to do its work. */
  yieldedTo: { readonly leader: string; readonly atMs: number } | undefined
  /** No automatic failover before this moment: the back-off after one that came to nothing. */
  notBeforeMs: number
  /** Why no failover is begun although the master is O_DOWN, as it was last logged. */
  obstacle: string | undefined
  /** Too few Sentinels for an election were in reach: due once they are, then under way until this moment. */
  secondLook: { untilMs: number | undefined } | undefined
  /** Failovers given up since the last switch; lengthens the back-off. */
  failedAttempts: number
  /** The last time clients were sent to another master; undefined: not since this process started. */
  lastSwitch: LastSwitch | undefined
}

/** A change of master, as `+switch-master` told it. */
export interface LastSwitch {
  readonly from: Address
  readonly to: Address
  readonly configEpoch: number
  readonly atMs: number
}

export interface Failover {
  state: FailoverState
  readonly epoch: number
  readonly startedAtMs: number
  stateChangedAtMs: number
  /** A coordinated one goes on as an automatic one when its master dies. */
  kind: FailoverKind
  promoted: Replica | undefined
  /** Coordinated: the master was told to hand over. */
  hasOrdered: boolean
  /** Coordinated: when the master said that it will; undefined: it has not. */
  acceptedAtMs: number | undefined
  /** Coordinated: what the master objected to in the order, in its words. */
  refusal: string | undefined
  /** Coordinated: the clients that wait at the old master: `sent` away, which it has `done` when it says so. */
  release: 'due' | 'sent' | 'done'
  /** Whom a master that died meanwhile was to hand over to: it may have done so. */
  heir: Replica | undefined
}

export type Instance = Master | Replica | Peer
export type DataInstance = Master | Replica

export interface InstanceBase extends TimerOwner {
  readonly group: Group
  /** Group name for a master, `host:port` for a replica, run id for a sentinel. */
  name: string
  host: string
  port: number
  /** 40 hex characters, or empty while unknown. */
  runId: string
  /** Its own, or one it shares with the same peer in other groups. */
  link: Link
  /** Start of the current S_DOWN, or undefined. */
  sdownSinceMs: number | undefined
  /** Start of the last S_DOWN, kept after it ended: "no down for T" asks for it. */
  lastSdownAtMs: number | undefined
  /** It was told to end the script that keeps it busy, once per S_DOWN. */
  scriptKillSent: boolean
  /** A hello is on its way, so that a slow instance is not flooded. */
  helloPending: boolean
  /** Its place on the grid of periodic work. */
  readonly slot: number
}

interface DataInstanceBase extends InstanceBase {
  /** When the last INFO was parsed, or undefined. */
  infoAtMs: number | undefined
  /** INFOs on their way. */
  infosPending: number
  /** The text of the last INFO, for INFO-CACHE. */
  infoText: string
  /** `none`: its INFO has no role line. Shown as `slave`, but no reason to act. */
  roleReported: 'master' | 'slave' | 'none'
  roleReportedAtMs: number
  /** The history it writes or follows [master_replid], and the one before it; empty: not said. */
  replid: string
  replid2: string
  /** Whether it hands its role over by itself, as it says, and since when it says so. */
  failoverReported: FailoverReport
  failoverReportedAtMs: number
  /** What keeps it from taking writes, as far as it says. */
  writes: WriteFacts
}

export interface Master extends DataInstanceBase {
  readonly kind: 'master'
  /** When its run id was last seen to have changed; undefined: never. */
  newLifeAtMs: number | undefined
  /** When it was seen to have restarted, until it says PONG again; only where that is watched for. */
  rebootedAtMs: number | undefined
  /** It answers and refuses writes, see gray.ts; undefined: it does not. */
  gray: { readonly sinceMs: number; isOverdueSaid: boolean } | undefined
  /** Since when its replicas say that it has lost its data; undefined: none does. */
  emptiedAtMs: number | undefined
  /** Connections to it are refused at present; undefined: they are not, or it was never well. */
  refusal: Refused | undefined
}

/** What a master has answered to all attempts to connect since the first of them. */
export interface Refused {
  /** When the first one came, and when the last attempt that was refused had begun. */
  readonly sinceMs: number
  askedAtMs: number
  /** It was taken for proof of death, and counts until the master is well again. */
  isProof: boolean
}

export interface Replica extends DataInstanceBase {
  readonly kind: 'replica'
  /** [replica-priority] 0 is never promoted, lower is better. */
  priority: number
  /** Bytes of the replication stream it has applied. */
  offset: number
  /** Whom it follows, as it says; `?` and 0 until it does. */
  masterHost: string
  masterPort: number
  masterLinkUp: boolean
  /** How long its link to the master has been down, as it says; 0 when it is up. */
  masterLinkDownMs: number
  /** When the master it follows last changed. */
  masterChangedAtMs: number
  announced: boolean
  /** It refuses to be emptied by its master, see empty-master.ts. */
  guard: GuardClaim | undefined
  reconf: 'none' | 'sent' | 'inprog' | 'done'
  reconfSentAtMs: number
  promoted: boolean
  /** When it was last told to follow our master because it did not; undefined: never. */
  toldAtMs: number | undefined
  /**
   * It was the master until a switch took that away, or was to become it in a failover we gave up, and
   * has not been seen as a replica since. Holds the history it wrote as such, by which that claim is told
   * from a newer one; empty: we do not know it. Undefined: no claim is held against it.
   */
  deposed: string | undefined
}

export interface Peer extends InstanceBase {
  readonly kind: 'sentinel'
  /** Its last word about our master, and when it came. */
  masterDown: boolean
  opinionAtMs: number | undefined
  /** It was asked for its opinion and has not answered yet. */
  askPending: boolean
  /** Its vote as it told us; undefined when it gave none or the answer is too old. */
  vote: { readonly leader: string; readonly epoch: number } | undefined
  /** It understands CONFER, as its answers on this connection have shown; undefined: not known yet. */
  confers: boolean | undefined
  /** It was asked to confer and has not answered yet. */
  conferPending: boolean
  /** What it said last when we conferred. */
  counsel: Counsel | undefined
  helloReceivedAtMs: number
  /** The group's config epoch in its last hello. */
  helloConfigEpoch: number
}

/** What a peer says of our master when we confer; it promises nothing. */
export interface Counsel {
  readonly atMs: number
  /** Its connections to the master are refused. */
  readonly refused: boolean
  /** The epoch we would like to be elected in when we asked, and whether it would vote so. */
  readonly epoch: number
  readonly granted: boolean
}

/** The bundle of connections to one instance, with what PING has to say about it. */
export interface Link extends TimerOwner {
  readonly kind: 'link'
  /**
   * Who uses it, in the order they came; replaced as a whole. More than one only for a peer that is
   * known in several groups: the records of one process. Empty once nobody watches it any more.
   */
  owners: readonly Instance[]
  command: Connection | undefined
  /** Masters and replicas only. */
  pubsub: Connection | undefined
  lastOpenedAtMs: number | undefined
  /** When the first PING that is still unanswered was sent, or since when there is nobody to send to. */
  pingPendingSinceMs: number | undefined
  /** A PING is on its way on the present connection. One is enough: TCP does not lose it alone. */
  pingInFlight: boolean
  /** The last connection was given up with a hello of ours unanswered on it, see gray.ts. */
  hasHeldHello: boolean
  /** When the last PING was sent. */
  pingSentAtMs: number
  /** How long its answers to PING take; undefined: none yet. */
  roundTrips: Smoothed | undefined
  /** Last reply that means "available": PONG, LOADING, MASTERDOWN. */
  lastOkAtMs: number
  /** It has meant "available" at least once since we know the instance. */
  wasOk: boolean
  /** Last reply to a PING of any kind. */
  lastPongAtMs: number
  /** Last message on the Pub/Sub connection, our own included. */
  pubsubActiveAtMs: number
  /** What AUTH was last answered with, if that was an error; never with the password in it. */
  authRefusal: string | undefined
  /** By command: the commands it refuses at present. */
  readonly refusals: Map<string, Refusal>
  /** The latest of them in words for an operator; undefined when it refuses nothing. */
  refusal: string | undefined
}

export interface Refusal {
  /** The first word of the error: as long as it stays the same, nothing more is said. */
  readonly code: string
  readonly text: string
}

export interface Connection {
  readonly id: LinkId
  readonly link: Link
  readonly channel: 'command' | 'pubsub'
  /** The IP address it goes to. */
  readonly address: string
  up: boolean
  openedAtMs: number
  /** Commands without a reply so far. */
  pending: number
  /** Our own address on it. */
  localHost: string
}

/** The wire has two words for a role. */
export function roleWord(role: DataInstance['roleReported']): 'master' | 'slave' {
  return role === 'master' ? 'master' : 'slave'
}

export function isSdown(instance: Instance): boolean {
  return instance.sdownSinceMs !== undefined
}

export function isOdown(group: Group): boolean {
  return group.odownSinceMs !== undefined
}

/** The one of a link's owners that belongs to this group; undefined when the group has let go of it. */
export function ownerIn(link: Link, group: string): Instance | undefined {
  return link.owners.find((owner) => owner.group.config.name === group)
}

/** It wants to be shown a password before it answers anything. */
export function isShutOut({ refusals }: Link): boolean {
  return refusals.get('ping')?.code === 'NOAUTH'
}

/** The connection commands can be sent on right now. */
export function commandLink(instance: Instance): Connection | undefined {
  return instance.link.command?.up ? instance.link.command : undefined
}

export function isTilted(state: State): boolean {
  return state.tilt.sinceMs !== undefined
}

/** The address clients and peers are told: the promoted replica's from the moment of promotion. */
export function currentMaster(group: Group): DataInstance {
  const failover = group.failover
  const switched = failover?.state === 'reconf_slaves' || failover?.state === 'update_config'
  return switched && failover?.promoted !== undefined ? failover.promoted : group.master
}

/** All instances of a group, in a fixed order: master, replicas, peers. */
export function* instancesOf(group: Group): Generator<Instance> {
  yield group.master
  yield* group.replicas.values()
  yield* group.peers.values()
}

export function dataInstancesOf(group: Group): DataInstance[] {
  return [group.master, ...group.replicas.values()]
}

export function savedPeer(peer: Peer): SavedPeer {
  return { runId: peer.runId, host: peer.host, port: peer.port }
}
