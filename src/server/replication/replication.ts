/**
 * Replication as the data node sees it, and the role: master or replica, and of which master. A
 * demoted master keeps its data and its place in its own history, and offers that place first; a
 * promoted replica begins a history of its own that continues the old one, and drops its replicas
 * so that they learn the new id.
 *
 * Each role has a side of its own: serving/ is for the replicas attached to this node, following/
 * for the master it follows. Both work on the same state (state.ts).
 */
import type { Moment } from '../../base/clock.ts'
import { parseInt64 } from '../../base/decimal.ts'
import { type Address, hostAndPort } from '../../base/ip.ts'
import { error, OK, type Reply, simple } from '../../resp/reply.ts'
import { earliest } from '../earliest.ts'
import { deletion } from '../effects.ts'
import { LedgerKeeper } from '../ledger/ledger-keeper.ts'
import { LedgerShelf } from '../ledger/ledger-shelf.ts'
import type { KeysOf } from '../ledger/lost-commands.ts'
import type { NodeBase } from '../node-base.ts'
import type { FileAnswer, FileRequestId } from '../persistence/files.ts'
import { Jobs } from '../persistence/jobs.ts'
import type { ConnectionId } from '../port.ts'
import type { ClientSession } from '../sessions/session.ts'
import { NodeFailover } from './failover.ts'
import { MasterLink } from './following/master-link.ts'
import type { SavedPosition } from './history/history.ts'
import { infoLines, roleReply } from './report.ts'
import { Serving } from './serving/serving.ts'
import type { KeptFile } from './serving/waits.ts'
import { isReplica, newReplicationState, type ReplicationState, type RoleChange } from './state.ts'
import type { Strict } from './strict/strict.ts'

const SECOND_MS = 1000
const BAD_PORT = error('ERR Invalid master port')
const NOT_FOR_REPLICAS = error('ERR Command is not valid when client is a replica.')
const ALREADY_CONNECTED = simple('OK Already connected to specified master')
const FAILING_OVER = error('ERR REPLICAOF not allowed while failing over.')
const MAX_PORT = 65_535
const NEEDS_FENCE = error(
  'ERR this node has sync-replication: it becomes the master by a Sentinel that fences the voters, or by FENCE <term> <name> FORCE, which may lose acknowledged writes',
)

export class Replication implements RoleChange {
  readonly serving: Serving
  readonly failover: NodeFailover
  /** The ledgers on disk, for those who ask. */
  readonly shelf: LedgerShelf
  readonly #state: ReplicationState
  readonly #link: MasterLink
  /** Replication's own requests to the node's folder. */
  readonly #files: Jobs
  readonly #keeper: LedgerKeeper
  /** Monotonic. When the work done every second is next due; 0: at once. */
  #nextSecondMs = 0

  /** `keysOf`: the keys of a command, as far as its arguments tell. */
  constructor(node: NodeBase, keysOf: KeysOf) {
    const state = newReplicationState(node)
    this.#state = state
    // Ids below zero: those above are for requests of the node itself.
    this.#files = new Jobs((id, request) => node.port.askFile(-id, request))
    this.#keeper = new LedgerKeeper(node, this.#files, keysOf)
    this.shelf = new LedgerShelf(this.#files)
    this.failover = new NodeFailover(state, this)
    this.#link = new MasterLink(state, this.failover, this.#keeper)
    this.serving = new Serving(state, this.#files, this.failover, this.#link)
    node.heap.heldForReplica = (session) => this.#heldFor(session)
    this.strict.start(this.#files, {
      isFollower: () => state.master !== undefined,
      freeze: () => this.#link.freeze(),
      acknowledge: () => this.#link.acknowledge(),
      promote: (why) => this.promote(why),
      handover: this.failover,
    })
    const master = configuredMaster(node.settings.text('replicaof'))
    if (master !== undefined) this.#link.follow(master, false)
  }

  isReplica(): boolean {
    return isReplica(this.#state)
  }

  /** The master it is told to follow; undefined: it is one. */
  get master(): Address | undefined {
    return this.#state.master
  }

  get strict(): Strict {
    return this.#state.strict
  }

  /** Whether changes are kept for replicas, attached or expected. */
  get keepsHistory(): boolean {
    return this.#state.history.backlog !== undefined
  }

  /** Meaningful on a replica: whether it applies the master's stream. */
  linkUp(): boolean {
    return this.#link.isUp
  }

  /** Whether a full copy comes in; the old data are kept beside it until it is complete. */
  get isCopying(): boolean {
    return this.#link.phase.kind === 'transfer'
  }

  /** The link to our master as CLIENT LIST shows it; undefined: it is not up. */
  masterClient(): ClientSession | undefined {
    return this.#link.client()
  }

  killMasterClient(): void {
    this.#link.kill()
  }

  // Effects of commands and expiry

  /**
   * Passes on the effects of one command or transaction, in order. A replica has no effects of its
   * own: its stream is its master's, byte for byte.
   */
  propagate(db: number, commands: readonly (readonly string[])[]): void {
    if (!isReplica(this.#state)) this.#state.stream.propagate(db, commands)
  }

  /**
   * After `loaded`: a replica that continues from that position still has this key, and we do not.
   */
  tellExpired(db: number, key: string): void {
    const isLazy = this.#state.node.settings.flag('lazyfree-lazy-expire')
    this.propagate(db, [deletion(key, isLazy)])
  }

  /** Why a write must be refused now: too few replicas would have it. */
  refusal(): string | undefined {
    return isReplica(this.#state) ? undefined : this.serving.fence.refusal()
  }

  /** WAIT asks about the offset after the client's last command. */
  commandExecuted(session: ClientSession): void {
    this.serving.waits.commandExecuted(session)
  }

  // For saving and loading

  /** The position of the data in the history; undefined: no replica could continue from them. */
  position(): SavedPosition | undefined {
    const { node, history, stream } = this.#state
    const { id, offset, previous, backlog } = history
    if (this.#state.master !== undefined) {
      if (!this.#link.hasPosition) return undefined
      const streamDb = node.streamTarget.db
      return { id, offset, streamDb, previous, master: this.#link.acquaintance }
    }
    // Without a backlog writes are not counted, so no replica has any of them at an offset of ours.
    if (backlog === undefined) return undefined
    // Until we write, the stream stands where our last master left it.
    return { id, offset, streamDb: stream.db ?? node.streamTarget.db, previous }
  }

  /**
   * The kept data are loaded, with their position if they had one. A replica offers the position to
   * its master; a master lets replicas go on from there or from before.
   */
  loaded(position: SavedPosition | undefined): void {
    if (position === undefined) return
    const { node, history, replicas } = this.#state
    const { id, offset, streamDb } = position
    // A master may yet be told to follow another node, and goes on from here as well.
    node.streamTarget.db = streamDb
    if (this.#state.master !== undefined) {
      history.resume(position)
      this.#link.resume(position)
      return
    }
    history.restart(id, offset)
    replicas.restartEmptyTimer()
  }

  /** For the record of this node: with what it begins. */
  noteStart(): void {
    const { node, master } = this.#state
    const role =
      master === undefined ? 'master' : `replica of ${hostAndPort(master.host, master.port)}`
    node.journal.note({ kind: 'started', role, ...this.#held() })
  }

  /** For the record of this node: with what it ends. */
  noteEnd(): void {
    this.#state.node.journal.note({ kind: 'stopped', ...this.#held() })
  }

  #held(): { readonly keys: number; readonly history: string; readonly offset: number } {
    const { node, history } = this.#state
    const keys = node.keyspace.dbs.reduce((sum, db) => sum + db.entries.size, 0)
    return { keys, history: history.id, offset: history.offset }
  }

  /** Uses the append-only file to tell our master and waiting clients what is on our disk. */
  followFile(file: KeptFile): void {
    const { history } = this.#state
    const { waits } = this.serving
    history.onDisk = () => file.syncedOffset
    waits.use(file)
    file.follow({
      offset: () => history.offset,
      synced: () => {
        waits.synced()
        this.#link.acknowledge()
      },
    })
  }

  // Inputs

  ownsFile(id: FileRequestId): boolean {
    return id < 0
  }

  /** An answer to one of our own requests, see `ownsFile`. */
  fileAnswered(id: FileRequestId, answer: FileAnswer): void {
    this.#files.answered(-id, answer)
  }

  owns(id: ConnectionId): boolean {
    return this.#link.owns(id)
  }

  connected(id: ConnectionId, localHost: string): void {
    if (this.#link.owns(id)) this.#link.connected(id, localHost)
  }

  /** Bytes on a connection of ours, see `owns`. */
  received(bytes: string): void {
    this.#link.received(bytes)
  }

  /** A connection of ours was closed, see `owns`. */
  closed(reason: string): void {
    this.#link.closed(reason)
  }

  sessionClosed(session: ClientSession): void {
    this.serving.waits.forget(session)
    if (session.handoff?.isMoving === true) this.failover.replicasChanged()
    if (session.replica === undefined) return
    this.#state.replicas.detach(session.replica, 'its connection has ended')
    this.failover.replicasChanged()
  }

  /** Called first in every turn. `last`: when the turn before began. */
  turnBegins(last: Moment): void {
    this.strict.turnBegins()
    if (isReplica(this.#state)) this.serving.fence.forget()
    else this.serving.fence.turnBegins(last)
  }

  wake(): void {
    const nowMs = this.#state.node.now.monoMs
    if (nowMs >= this.#nextSecondMs) {
      this.#nextSecondMs = nowMs + SECOND_MS
      this.#link.everySecond()
      this.serving.everySecond()
      this.strict.everySecond()
    }
    this.#link.wake()
    this.#state.node.handoffs.timePassed(nowMs, this.#state.master)
    this.serving.wake()
    this.failover.wake()
    if (this.strict.isOn) this.strict.quorum.wake()
  }

  nextWakeUpMs(): number | undefined {
    return earliest(
      this.#nextSecondMs,
      this.#link.nextWakeUpMs(),
      this.serving.nextWakeUpMs(),
      this.failover.nextWakeUpMs(),
      this.strict.isOn ? this.strict.quorum.nextWakeUpMs() : undefined,
    )
  }

  // The role

  promote(why: string): void {
    const { node, history, replicas, stream } = this.#state
    this.#link.stop()
    history.fork()
    // A replica that continues from us does not know which database our next command is for.
    stream.forgetDb()
    replicas.dropAll('they have to learn the id of the new history')
    replicas.restartEmptyTimer()
    node.settings.set('replicaof', '')
    node.handoffs.promoted()
    node.port.log('notice', `this node is the master now, its history is ${history.id}`)
    node.journal.note({ kind: 'master', why, history: history.id, offset: history.offset })
  }

  follow(address: Address, why: string): Reply {
    const { node, history, master } = this.#state
    if (master?.port === address.port && equalsIgnoringCase(master.host, address.host)) {
      this.#link.retry()
      return ALREADY_CONNECTED
    }
    // Clients that wait for a push or an acknowledgement would wait for the wrong master.
    node.blocking.sendAway(master === undefined && node.disconnects.isOn)
    // The stream's database stays: a promotion taken back, or a master that was restarted, goes on in the
    // middle of a stream whose sender has no reason to select it again.
    if (master === undefined) {
      this.serving.waits.clear()
      history.createBacklog()
    }
    this.strict.demoted()
    this.#link.follow(address, master === undefined || this.#link.hasPosition)
    node.settings.set('replicaof', `${address.host} ${address.port}`)
    const of = hostAndPort(address.host, address.port)
    node.port.log('notice', `this node is a replica of ${of} now`)
    node.journal.note({ kind: 'replica', of, why, history: history.id, offset: history.offset })
    return OK
  }

  /** DEBUG CHANGE-REPL-ID. Replicas that are attached stay so until they reconnect. */
  changeId(): void {
    this.#state.history.begin()
    this.#state.node.port.log('notice', `the history is ${this.#state.history.id} from now on`)
  }

  replicaof(session: ClientSession, argv: readonly string[]): Reply {
    if (this.failover.isRunning) return FAILING_OVER
    if (session.kind === 'replica') return NOT_FOR_REPLICAS
    const [, host = '', port = ''] = argv
    if (host.toLowerCase() === 'no' && port.toLowerCase() === 'one') {
      if (this.strict.isOn && !this.strict.isServing) return NEEDS_FENCE
      if (isReplica(this.#state)) this.promote(`REPLICAOF NO ONE from ${callerOf(session)}`)
      return OK
    }
    const number = parseInt64(port)
    if (typeof number !== 'number' || number < 0 || number > MAX_PORT) return BAD_PORT
    const wasMaster = !isReplica(this.#state)
    const reply = this.follow({ host, port: number }, `REPLICAOF from ${callerOf(session)}`)
    if (wasMaster) this.#state.node.disconnects.demoted(session)
    return reply
  }

  // Reports

  /** INFO replication without its header. */
  infoLines(): string[] {
    const lines = infoLines(this.#state, this.#link, this.serving.fence, this.failover.state)
    return [...lines, ...this.strict.infoLines(), ...this.#keeper.infoLines()]
  }

  roleReply(): Reply {
    return roleReply(this.#state, this.#link)
  }

  /** What the backlog takes in memory. */
  get backlogBytes(): number {
    return this.#state.history.backlog?.lengthBytes ?? 0
  }

  /**
   * Bytes kept for this session because it is a replica's, in the backlog and for its connection.
   */
  #heldFor({ replica }: ClientSession): number {
    return replica === undefined ? 0 : this.#state.replicas.outputBytes(replica)
  }
}

/** As CLIENT LIST shows it, and by its name if it has one. */
function callerOf({ name, ends }: ClientSession): string {
  const address = hostAndPort(ends.remoteHost, ends.remotePort)
  return name === '' ? address : `${name} (${address})`
}

/** [replicaof] */
function configuredMaster(setting: string): Address | undefined {
  const [host = '', port = ''] = setting.trim().split(/\s+/)
  const number = parseInt64(port)
  return host === '' || typeof number !== 'number' ? undefined : { host, port: number }
}

function equalsIgnoringCase(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
