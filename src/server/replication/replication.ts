/**
 * Replication as the data node sees it: the commands, the stream it feeds, the link to a master, and
 * the clock. Each mechanism has a file of its own; this one wires them together.
 */
import type { Reply } from '../../resp/reply.ts'
import { earliest } from '../earliest.ts'
import { LedgerKeeper } from '../ledger/ledger-keeper.ts'
import type { FileAnswer, FileRequestId } from '../persistence/files.ts'
import type { SavedPosition } from '../persistence/host.ts'
import { Jobs } from '../persistence/jobs.ts'
import type { ConnectionId } from '../port.ts'
import type { Session } from '../sessions/session.ts'
import { Failover, type FailoverRole } from './failover.ts'
import type { LinkObserver } from './following/link-observer.ts'
import { MasterLink } from './following/master-link.ts'
import { BacklogLifetime } from './history/backlog-lifetime.ts'
import { History } from './history/history.ts'
import { Stream } from './history/stream.ts'
import type { ReplicationHost } from './host.ts'
import type { KeptFile } from './kept-file.ts'
import { KeptPosition } from './kept-position.ts'
import { infoLines, roleReply } from './report.ts'
import { Role } from './role.ts'
import { Attachment } from './serving/attachment.ts'
import { FullSync } from './serving/full-sync.ts'
import { Heartbeat } from './serving/heartbeat.ts'
import { LeaveTaking } from './serving/leave-taking.ts'
import { Replicas } from './serving/replicas.ts'
import { Waits } from './serving/waits.ts'
import { WriteFence } from './write-fence.ts'

export type ReplicationCommand =
  | 'replicaof'
  | 'slaveof'
  | 'psync'
  | 'sync'
  | 'replconf'
  | 'wait'
  | 'waitaof'
  | 'role'
  | 'failover'

/** Undefined: the handler answers by itself, later, or not at all. */
export type ReplicationHandler = (session: Session, argv: readonly string[]) => Reply | undefined

export interface ReplicationCounts {
  readonly syncFull: number
  readonly syncPartialOk: number
  readonly syncPartialErr: number
}

const SECOND_MS = 1000
const AT_ONCE = 0

export class Replication {
  readonly handlers: Record<ReplicationCommand, ReplicationHandler>
  readonly #host: ReplicationHost
  readonly #history: History
  readonly #replicas: Replicas
  readonly #stream: Stream
  readonly #fullSync: FullSync
  readonly #waits: Waits
  readonly #heartbeat: Heartbeat
  readonly #link: MasterLink
  readonly #role: Role
  readonly #attachment: Attachment
  readonly #failover: Failover
  readonly #fence: WriteFence
  readonly #leaveTaking: LeaveTaking
  readonly #backlogLifetime: BacklogLifetime
  readonly #kept: KeptPosition
  /** Our own requests to the node's folder. */
  readonly #files: Jobs
  readonly #keeper: LedgerKeeper
  /** Monotonic. When the next second of the protocol begins. */
  #nextSecondMs = AT_ONCE

  constructor(host: ReplicationHost) {
    this.#host = host
    const backlogSizeBytes = host.settings.int('repl-backlog-size')
    const history = new History(host.rng.fork('replication-id'), backlogSizeBytes)
    const replicas = new Replicas(host, history)
    const stream = new Stream(history, replicas)
    const streamDb = () => (this.isReplica() ? host.streamTarget.db : 0)
    // Numbers below zero: those above are for what the node itself asks.
    const files = new Jobs((id, request) => host.port.askFile(-id, request))
    const fullSync = new FullSync({ host, history, replicas, stream, files, streamDb })
    const waits = new Waits(host, history, replicas, stream)
    this.#files = files
    this.#keeper = new LedgerKeeper(host, files)
    const link = new MasterLink(
      host,
      history,
      this.#keeper,
      this.#newLinkObserver(stream, replicas),
    )
    this.#history = history
    this.#replicas = replicas
    this.#stream = stream
    this.#fullSync = fullSync
    this.#waits = waits
    this.#link = link
    this.#heartbeat = new Heartbeat(host, replicas, stream)
    this.#fence = new WriteFence(host, replicas)
    this.#leaveTaking = new LeaveTaking(history, replicas, stream)
    this.#backlogLifetime = new BacklogLifetime(host, history, replicas)
    const isReplica = () => this.isReplica()
    this.#kept = new KeptPosition({ host, history, replicas, stream, link, isReplica })
    const isFailingOver = () => this.#failover.isRunning
    this.#role = new Role({ host, history, replicas, stream, link, waits, isFailingOver })
    this.#failover = new Failover({
      host,
      history,
      replicas,
      stream,
      role: this.#roleForFailover(),
    })
    this.#attachment = this.#newAttachment()
    this.handlers = this.#newHandlers()
    replicas.onGone = (peer) => fullSync.forget(peer)
  }

  isReplica(): boolean {
    return this.#role.isReplica
  }

  /** Where the data stand in the history; undefined: nobody could continue from them. */
  position(): SavedPosition | undefined {
    return this.#kept.now()
  }

  /** The data that were kept are here, as they were at that position, if they stood at one. */
  loaded(position: SavedPosition | undefined): void {
    if (position !== undefined) this.#kept.loaded(position)
  }

  /** An answer to one of our own requests, see `ownsFile`. */
  fileAnswered(id: FileRequestId, answer: FileAnswer): void {
    this.#files.answered(-id, answer)
  }

  ownsFile(id: FileRequestId): boolean {
    return id < 0
  }

  /** Meaningful on a replica: the master's stream is being applied. */
  linkUp(): boolean {
    return this.#link.isUp
  }

  /**
   * Passes on what one command or transaction did, in order and already rewritten to its effects. A
   * replica has no effects of its own: its stream is its master's, byte for byte.
   */
  propagate(db: number, commands: readonly (readonly string[])[]): void {
    if (!this.isReplica()) this.#stream.propagate(db, commands)
  }

  /** Why a write must be refused now: too few replicas would have it. */
  refusal(): string | undefined {
    return this.isReplica() ? undefined : this.#fence.refusal()
  }

  // What the end of the process asks for, see serving/leave-taking.ts

  haveAcknowledged(offset: number): boolean {
    return this.#leaveTaking.haveAcknowledged(offset)
  }

  requestAcknowledgements(): number {
    return this.#leaveTaking.requestAcknowledgements(this.isReplica())
  }

  endTransfers(): void {
    this.#leaveTaking.endTransfers()
  }

  owns(id: ConnectionId): boolean {
    return this.#link.owns(id)
  }

  connected(id: ConnectionId): void {
    if (this.#link.owns(id)) this.#link.connected(id)
  }

  received(id: ConnectionId, bytes: string): void {
    if (this.#link.owns(id)) this.#link.received(bytes)
  }

  closed(id: ConnectionId, reason: string): void {
    if (this.#link.owns(id)) this.#link.closed(reason)
  }

  sessionClosed(session: Session): void {
    this.#waits.forget(session)
    if (session.replica === undefined) return
    this.#replicas.detach(session.replica)
    this.#failover.replicasChanged()
  }

  /** WAIT asks about the offset after the client's last command. */
  commandExecuted(session: Session): void {
    this.#waits.commandExecuted(session)
  }

  wake(): void {
    const nowMs = this.#host.now.monoMs
    if (nowMs >= this.#nextSecondMs) {
      this.#nextSecondMs = nowMs + SECOND_MS
      this.#everySecond()
    }
    this.#link.wake()
    this.#waits.wake()
    this.#fullSync.wake()
    this.#failover.wake()
  }

  nextWakeUpMs(): number | undefined {
    return earliest(
      this.#nextSecondMs,
      this.#link.nextWakeUpMs(),
      this.#waits.nextWakeUpMs(),
      this.#fullSync.nextWakeUpMs(),
      this.#failover.nextWakeUpMs(),
    )
  }

  /** What is kept of the history on our own disk: our master is told, and those who wait. */
  followFile(file: KeptFile): void {
    this.#history.onDisk = () => file.syncedOffset
    this.#waits.aof.use(file)
    file.follow({
      offset: () => this.#history.offset,
      synced: () => {
        this.#waits.aof.synced()
        this.#link.acknowledge()
      },
    })
  }

  /** INFO replication without its header. */
  infoLines(): string[] {
    return infoLines(this.#reportSources(), this.isReplica())
  }

  /** For INFO stats. */
  counts(): ReplicationCounts {
    return {
      syncFull: this.#attachment.fullCount,
      syncPartialOk: this.#attachment.partialCount,
      syncPartialErr: this.#attachment.partialRefusedCount,
    }
  }

  #newLinkObserver(stream: Stream, replicas: Replicas): LinkObserver {
    const failover = () => this.#failover
    return {
      feed: (bytes, db) => stream.feed(bytes, db),
      historyReplaced: () => replicas.dropAll('the history has changed'),
      get isHandingOver() {
        return failover().isHandingOver
      },
      syncRequested: () => failover().requested(),
      syncGranted: () => failover().granted(),
      syncRefused: (reason) => failover().refused(reason),
    }
  }

  #roleForFailover(): FailoverRole {
    return {
      isReplica: () => this.isReplica(),
      follow: (address) => void this.#role.follow(address),
      promote: () => this.#role.promote(),
    }
  }

  #newAttachment(): Attachment {
    return new Attachment(this.#host, this.#history, this.#replicas, this.#fullSync, {
      isReplica: () => this.isReplica(),
      linkUp: () => this.linkUp(),
      isFailingOver: () => this.#failover.isRunning,
      promote: () => this.#role.promote(),
      acknowledged: () => {
        this.#waits.acknowledged()
        this.#failover.replicasChanged()
      },
      acknowledgeToMaster: () => this.#link.acknowledge(),
    })
  }

  #newHandlers(): Record<ReplicationCommand, ReplicationHandler> {
    const replicaof: ReplicationHandler = (session, argv) => this.#role.replicaof(session, argv)
    return {
      replicaof,
      slaveof: replicaof,
      psync: (session, argv) => this.#attachment.psync(session, argv),
      sync: (session) => this.#attachment.sync(session),
      replconf: (session, argv) => this.#attachment.replconf(session, argv),
      wait: (session, argv) => this.#waits.wait(session, argv, this.isReplica()),
      waitaof: (session, argv) => this.#waits.aof.wait(session, argv, this.isReplica()),
      role: () => roleReply(this.#reportSources(), this.isReplica()),
      failover: (_session, argv) => this.#failover.command(argv),
    }
  }

  #everySecond(): void {
    this.#link.everySecond()
    this.#replicas.everySecond()
    this.#fullSync.everySecond()
    if (this.isReplica()) return
    // A failover waits for the end of the stream: there has to be one. But one that may take as long as it
    // takes must not make the other replicas believe that we are dead.
    if (!this.#failover.mayNotWait && this.#heartbeat.everySecond())
      this.#failover.replicasChanged()
    this.#backlogLifetime.everySecond()
  }

  #reportSources() {
    return {
      host: this.#host,
      history: this.#history,
      replicas: this.#replicas,
      link: this.#link,
      failoverState: this.#failover.state,
      keeper: this.#keeper,
    }
  }
}
