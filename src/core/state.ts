/**
 * The state of a Sentinel: groups, the instances in them, links and clients. Only `step` and what
 * it calls may change it. All `…AtMs` and `…SinceMs` fields are monotonic milliseconds.
 */
import type { Moment } from '../base/clock.ts'
import type { Rng } from '../base/rng.ts'
import type { Smoothed } from '../base/smoothed.ts'
import type { Access } from './access/access.ts'
import type { Client } from './clients/client.ts'
import type { GroupConfig, SentinelConfig } from './config.ts'
import type { Counsel } from './detection/counsel.ts'
import type { Lateness } from './detection/lateness.ts'
import type { WriteFacts } from './detection/write-faults.ts'
import type { CloneWatch } from './discovery/clone-watch.ts'
import type { LastHello } from './discovery/hello-format.ts'
import type { FailoverReport, GuardClaim, SyncReport } from './discovery/info-parser.ts'
import type { Effect } from './effect.ts'
import type { EpochRecord } from './election/epoch.ts'
import type { HookVerdict } from './election/hook-verdict.ts'
import type { InquiryPurpose } from './external-query.ts'
import type { FailoverKind, FailoverState, Fencing, LastSwitch } from './failover/failover-kinds.ts'
import type { GlobalSettings } from './global-settings.ts'
import type { ClientId, InquiryId, LinkId } from './ids.ts'
import type { Refused, Rejection } from './links/rejection.ts'
import type { Names } from './names/known-names.ts'
import type { OperatorOrder } from './pause/operator-order.ts'
import type { PauseRecord } from './pause/pause-record.ts'
import type { Renumbering } from './persistence/saved.ts'
import type { ProcessFacts, Stats } from './report/process-facts.ts'
import type { ScriptQueue } from './scripts/script-job.ts'
import type { TimerOwner, Timers } from './timers.ts'

export interface State {
  config: SentinelConfig
  /** The settings as the user's file has them, whatever SENTINEL CONFIG SET has changed since. */
  fileSettings: GlobalSettings
  readonly myid: string
  /** Where our periods begin on the grid: Sentinels that start together must not PING together. */
  readonly slot: number
  readonly rng: Rng
  readonly timers: Timers<Instance | Link | Group | Tilt>
  /** By name, in the order they were added. */
  readonly groups: Map<string, Group>
  /** Groups of the user's file that were removed at run time. */
  readonly removed: GroupConfig[]
  /** By id. An entry goes when its connection does. */
  readonly connections: Map<LinkId, Connection>
  readonly clients: Map<ClientId, Client>
  /** The value of `stats.bytesReceived` when the size of all pending requests was last checked. */
  requestsSeenAtBytes: number
  /** Which users may use our own port, and for what. */
  readonly access: Access
  /** Questions to the outside world that have no answer yet. */
  readonly inquiries: { nextId: InquiryId; readonly open: Map<InquiryId, InquiryPurpose> }
  /** The addresses of host names. Empty if all hosts are addresses. */
  readonly names: Names
  readonly scripts: ScriptQueue
  /** Highest epoch seen anywhere. It only grows, unless an operator lowers it in all Sentinels. */
  currentEpoch: number
  /** What became of the epochs that other processes told us. */
  readonly epochs: EpochRecord
  /** Our epochs are being lowered, with those of all other Sentinels; see renumber.ts. */
  renumbering: Renumbering | undefined
  /** Orders of operators that wait for answers of peers. */
  readonly orders: OperatorOrder[]
  nextLinkId: number
  readonly tilt: Tilt
  /** What we know of processes with our id; undefined: no hello so far, of ours or theirs. */
  clones: CloneWatch | undefined
  /** False from a failed save until one succeeds: no vote leaves while we could forget it. */
  canSave: boolean
  /** When the save that is under way was requested, and how long saves take. */
  readonly saves: { sinceMs: number | undefined; lasting: Smoothed | undefined }
  /** True once a stop was requested; the machine starts nothing new from then on. */
  stopping: boolean
  /** [SENTINEL SIMULATE-FAILURE] The moments at which this process is to die. */
  crashesAfter: { election: boolean; promotion: boolean }
  /** What is known about the process we run in; undefined if there is none, as in the simulator. */
  readonly process: ProcessFacts | undefined
  readonly startedAt: Moment
  readonly stats: Stats
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
  /** Both clocks at the previous step, to compare the next moment with. */
  last: Moment
  /** How often TILT was entered. */
  total: number
  /** When we were late ourselves. */
  readonly late: Lateness
}

export interface Group extends TimerOwner {
  readonly kind: 'group'
  /** The options and the configured address; SET and a switch replace the object as a whole. */
  config: GroupConfig
  /** The group as the user's file had it, undefined if it was added at run time. */
  file: GroupConfig | undefined
  /** A switch replaces it as a whole. */
  master: Master
  /** By instance name. */
  readonly replicas: Map<string, Replica>
  /** By run id. */
  readonly peers: Map<string, Peer>
  configEpoch: number
  /** Our vote: at most one per epoch, and on disk before any other process hears of it. */
  leaderEpoch: number
  leader: string
  /** The host from which the candidate asked for it; undefined: it is our own vote, or from before our start. */
  candidateHost: string | undefined
  odownSinceMs: number | undefined
  failover: Failover | undefined
  /** A leader other than us, by our vote or by the majority's: we give it time to do its work. */
  yieldedTo: { readonly leader: string; readonly atMs: number } | undefined
  /** No automatic failover begins before this: the back-off after one that came to nothing. */
  notBeforeMs: number
  /** Strict: when we last stood to have a vote renewed, see renewal.ts. */
  renewedAtMs: number | undefined
  /** Why we begin no failover although the master is O_DOWN, as last logged. */
  obstacle: string | undefined
  /** Too few Sentinels were in reach: due once enough are, then under way until this moment. */
  masterRecheck: { untilMs: number | undefined } | undefined
  /** [pre-failover-hook] What it says of a failover now; undefined: it has not been asked. */
  hook: HookVerdict | undefined
  /** The password that a data node took last. */
  password: string | undefined
  /** [failover-block] No automatic failover begins before this; undefined: no block. */
  blockedUntilMs: number | undefined
  /** Failovers we gave up since the last switch; each lengthens the back-off. */
  failedAttempts: number
  /** The last time we sent clients to another master; undefined: not since this process started. */
  lastSwitch: LastSwitch | undefined
  /** The pause of automatic failover, as last ordered anywhere. */
  pause: PauseRecord
  /** [forget-after] When we last lacked a majority, or trust in our clocks; undefined: never. */
  isolatedAtMs: number | undefined
  /** A peer was ordered by hand to fail over: a pause does not keep our vote from it. */
  electionByHand: { readonly epoch: number; readonly leader: string } | undefined
  /** By name: slots (grid.ts) that the name does not give; in records under pseudonyms, to keep their rhythm. */
  slots: ReadonlyMap<string, number>
}

export interface Failover {
  state: FailoverState
  readonly epoch: number
  readonly startedAtMs: number
  stateChangedAtMs: number
  /** A coordinated failover continues as an automatic one if its master dies. */
  kind: FailoverKind
  promoted: Replica | undefined
  /** The replica that an operator has named; undefined: the best one is chosen. */
  target: Replica | undefined
  /** Coordinated: we have told the master to hand over. */
  hasOrdered: boolean
  /** Coordinated: when the master said that it will hand over; undefined: it has not. */
  acceptedAtMs: number | undefined
  /** Why the order was refused: by the master to hand over, or by the replica to be the master. */
  refusal: string | undefined
  /** Coordinated: the order to free the old master's clients; `done`: confirmed or unsendable. */
  release: 'due' | 'sent' | 'done'
  /** The replica that a dying master was handing over to: it may be the master already. */
  heir: Replica | undefined
  /** Strict: which voters are fenced; undefined: none was asked. */
  fencing: Fencing | undefined
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
  /** The instance's own link, or one that it shares with the same peer in other groups. */
  link: Link
  /** Start of the current S_DOWN, or undefined. */
  sdownSinceMs: number | undefined
  /** Start of the last S_DOWN, and end of the last that is over: "no down for T" needs them. */
  lastSdownAtMs: number | undefined
  sdownEndedAtMs: number | undefined
  /** We told the instance to end the script that keeps it busy, once per S_DOWN. */
  scriptKillSent: boolean
  /** A hello is on its way to the instance: a slow instance must not be flooded. */
  helloPending: boolean
  /** The instance's place on the grid of periodic work. */
  readonly slot: number
}

interface DataInstanceBase extends InstanceBase {
  infoAtMs: number | undefined
  /** INFOs on their way, and when the last one over this connection was asked for. */
  infosPending: number
  infoAskedAtMs: number | undefined
  /** The text of the last INFO, for INFO-CACHE. */
  infoText: string
  /** `none`: its INFO has no role line. Shown as `slave`, but no reason to act. */
  roleReported: 'master' | 'slave' | 'none'
  roleReportedAtMs: number
  /** The history it writes or follows [master_replid], and the one before it; empty: unknown. */
  replid: string
  replid2: string
  /** Whether the node says that it is handing over its role, and since when it says so. */
  failoverReported: FailoverReport
  failoverReportedAtMs: number
  /** What keeps the node from taking writes, as far as it says. */
  writes: WriteFacts
  /** Strict: its term, as it says; and since when it has been the master of none. */
  sync: SyncReport | undefined
  idleSinceMs: number | undefined
  /** [client-addresses] What it was told of them on which connection, see names/told-address.ts. */
  addressesTold: { readonly on: LinkId; readonly text: string } | undefined
}

export interface Master extends DataInstanceBase {
  readonly kind: 'master'
  /** When the master's run id was last seen to change; undefined: never. */
  newLifeAtMs: number | undefined
  /** When a restart was noticed, until the next PONG; only if the group watches for restarts. */
  rebootedAtMs: number | undefined
  /** The master answers and refuses writes, see gray-master.ts; undefined: it does not. */
  gray: { readonly sinceMs: number; isOverdueSaid: boolean } | undefined
  /** Since when its replicas say that the master has lost its data; undefined: none says so. */
  emptiedAtMs: number | undefined
  /** Connections to it are refused at present; undefined: they are not, or it was never well. */
  refusal: Refused | undefined
}

export interface Replica extends DataInstanceBase {
  readonly kind: 'replica'
  /** [replica-priority] 0 is never promoted, lower is better. */
  priority: number
  /** Bytes of the replication stream that the replica has applied. */
  offset: number
  /** How many commands of it the replica could not carry out: they are part of the offset, and not of its data. */
  unapplied: number
  /** The master it says it follows; `?` and 0 until it names one. */
  masterHost: string
  masterPort: number
  masterLinkUp: boolean
  /** How long it says its link to the master has been down; 0 if the link is up. */
  masterLinkDownMs: number
  /** When the master it follows last changed. */
  masterChangedAtMs: number
  announced: boolean
  /** The replica refuses to let its master empty it, see empty-master.ts. */
  guard: GuardClaim | undefined
  reconf: 'none' | 'sent' | 'inprog' | 'done'
  reconfSentAtMs: number
  promoted: boolean
  /** Told to become master, it kept answering and did not obey: other replicas now come first. */
  disobeyed: boolean
  /** When we last told it to follow our master because it did not; undefined: never. */
  toldAtMs: number | undefined
  /**
   * Set from the switch that took the master's role from the node, or a promotion we gave up, until it is seen as a
   * replica: the history it wrote as master, which tells that claim from a newer one; empty: unknown.
   */
  deposed: string | undefined
}

export interface Peer extends InstanceBase, LastHello {
  readonly kind: 'sentinel'
  /** The peer answered as a Sentinel, with this run id if it tells one; see proof.ts. */
  isProven: boolean
  /** The peer has been confirmed at its present address, where a hello may have put it. */
  isSettled: boolean
  /** The peer's last word about our master, and when it came. */
  masterDown: boolean
  opinionAtMs: number | undefined
  /** We asked the peer for its opinion and have no answer yet. */
  askPending: boolean
  /** The peer's vote as it told us; undefined if it gave none or the answer is too old. */
  vote: { readonly leader: string; readonly epoch: number } | undefined
  /** The peer understands CONFER, as it has shown on this connection; undefined: not known yet. */
  confers: boolean | undefined
  /** We asked the peer to confer and have no answer yet. */
  conferPending: boolean
  /** What the peer said when we last conferred. */
  counsel: Counsel | undefined
  /** The highest epoch that the peer said, on our own connection, it has reached. */
  reached: number
  /** The key of the pause order that the peer said it holds; empty: it has not said any. */
  heldPause: string
  /** Whether the peer can share pauses with us; undefined: not known yet on this connection. */
  sharesPauses: boolean | undefined
}

/** The connections to one instance, and what PING says about it. */
export interface Link extends TimerOwner {
  readonly kind: 'link'
  /** Who uses the link, replaced as a whole: several for a peer of several groups, none once nobody watches it. */
  owners: readonly Instance[]
  command: Connection | undefined
  /** Masters and replicas only. */
  pubsub: Connection | undefined
  /** Why there is no connection for commands, for operators alone; undefined: there is one, or we do not know. */
  lossReason: string | undefined
  lastOpenedAtMs: number | undefined
  /** When the first unanswered PING was sent, or since when there was no connection for one. */
  pingPendingSinceMs: number | undefined
  /** PINGs on this connection without an answer. */
  pingsInFlight: number
  /** We gave up the last connection with a hello of ours unanswered on it, see gray-master.ts. */
  hasHeldHello: boolean
  pingSentAtMs: number
  /** How long the answers to PING take; undefined: none yet. */
  roundTrips: Smoothed | undefined
  /** Last reply that means "available": PONG, LOADING, MASTERDOWN. */
  lastOkAtMs: number
  /** A reply has meant "available" at least once since we know the instance. */
  wasOk: boolean
  /** Last reply to a PING of any kind. */
  lastPongAtMs: number
  /** Last message on the Pub/Sub connection, our own included. */
  pubsubActiveAtMs: number
  /** The password to show next, the one that was taken last, and how many were refused since. */
  password: string | undefined
  passwordTaken: string | undefined
  passwordsRefused: number
  /** The latest answer to AUTH, if that was an error; it never contains the password. */
  authRefusal: string | undefined
  /** The commands that the instance refuses at present, by name. */
  readonly refusals: Map<string, Rejection>
  /** The latest refusal in words for an operator; undefined: nothing is refused. */
  refusal: string | undefined
}

export interface Connection {
  readonly id: LinkId
  readonly link: Link
  readonly channel: 'command' | 'pubsub'
  /** The IP address it is connected to. */
  readonly address: string
  up: boolean
  openedAtMs: number
  /** Commands without a reply so far. */
  pending: number
  /** Our own address on it. */
  localHost: string
  /**
   * For a link to a Sentinel: whether it is the one we expect there, see proof.ts. `asked`: it has not told its run id
   * yet. `untold`: it does not tell. `other`: it has another run id, or another Sentinel has been confirmed there since.
   */
  identity: 'unasked' | 'asked' | 'untold' | 'confirmed' | 'other'
}

export function isSdown(instance: Instance): boolean {
  return instance.sdownSinceMs !== undefined
}

export function isOdown(group: Group): boolean {
  return group.odownSinceMs !== undefined
}

/** The owner of a link that belongs to this group; undefined if the group has released the link. */
export function ownerIn(link: Link, group: string): Instance | undefined {
  return link.owners.find((owner) => owner.group.config.name === group)
}

/** The connection on which commands can be sent right now. */
export function commandLink(instance: Instance): Connection | undefined {
  return instance.link.command?.up ? instance.link.command : undefined
}

export function isTilted(state: State): boolean {
  return state.tilt.sinceMs !== undefined
}

/** The address that we tell clients and peers: the promoted replica's from its promotion on. */
export function currentMaster(group: Group): DataInstance {
  const { state, promoted } = group.failover ?? {}
  const isSwitched = state === 'reconf_slaves' || state === 'update_config'
  return isSwitched && promoted !== undefined ? promoted : group.master
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
