/**
 * The data node: bytes and time in, bytes and requests to the world out. It owns the parts and routes
 * every input to one of them; what commands do is in commands/, what replicas are told in replication/.
 *
 * Each input is one turn. In a turn commands run one after the other, never two at once, and their
 * replies leave together at its end.
 */
import { unreachable } from '../base/assert.ts'
import type { Moment } from '../base/clock.ts'
import type { Rng } from '../base/rng.ts'
import type { Reply } from '../resp/reply.ts'
import type { NodeAccess, NodeAclFile } from './access/access.ts'
import { startAccess } from './access/access-start.ts'
import { CommandTable } from './catalogue/command-table.ts'
import { keysOf } from './catalogue/key-spec.ts'
import type { NodeServices } from './context.ts'
import { earliest } from './earliest.ts'
import { deletion } from './effects.ts'
import { Engine } from './engine.ts'
import { FunctionStore } from './functions.ts'
import { newStats } from './info/stats.ts'
import { ExpiryCycle } from './keyspace/expiry.ts'
import { createKeyHash, type KeyHash, secretKeyHash } from './keyspace/key-hash.ts'
import { Keyspace } from './keyspace/keyspace.ts'
import { ScanCursors } from './keyspace/scan.ts'
import { Usage } from './keyspace/usage.ts'
import type { FileAnswer, FileRequestId } from './persistence/files.ts'
import type { LoadedCommand, PersistenceHost, SavedPosition } from './persistence/host.ts'
import { Persistence } from './persistence/persistence.ts'
import { SnapshotTurn } from './persistence/snapshot-turn.ts'
import type {
  ConnectionId,
  Endpoints,
  LearntUsers,
  NodeInputs,
  NodePort,
  StopSignal,
} from './port.ts'
import type { ReplicationHost } from './replication/host.ts'
import { Replication } from './replication/replication.ts'
import { Blocking } from './sessions/blocking.ts'
import { Farewell } from './sessions/farewell.ts'
import { MasterSession } from './sessions/master-session.ts'
import { OutputGate } from './sessions/output-gate.ts'
import { Pause } from './sessions/pause.ts'
import { PubSub } from './sessions/pubsub.ts'
import type { Session } from './sessions/session.ts'
import { Sessions } from './sessions/sessions.ts'
import { type NodeInput, Stall } from './sessions/stall.ts'
import type { Settings } from './settings/settings.ts'
import { Turns } from './turns.ts'
import { Upkeep } from './upkeep.ts'

export interface DataNodeOptions {
  readonly settings: Settings
  readonly port: NodePort
  readonly rng: Rng
  readonly now: Moment
  /** Whether the settings came from a file, so that CONFIG REWRITE means something. */
  readonly hasConfigFile: boolean
  /** [user] The words of each line, the name first; `checkNodeUsers` has found them sound. */
  readonly users?: readonly (readonly string[])[] | undefined
  /** What CONFIG REWRITE kept of them. */
  readonly learntUsers?: LearntUsers | undefined
  readonly aclFile?: NodeAclFile | undefined
  /**
   * 256 bits nobody else knows, as text, for ACL GENPASS and the hash of keys; undefined: from `rng`, for
   * simulations.
   */
  readonly secret?: string | undefined
}

export class DataNode implements NodeInputs, ReplicationHost, PersistenceHost {
  readonly port: OutputGate
  readonly keyspace: Keyspace
  readonly settings: Settings
  readonly rng: Rng
  readonly streamTarget: MasterSession
  readonly stats = newStats()
  readonly startedAt: Moment
  readonly snapshotTurn = new SnapshotTurn()
  readonly functions = new FunctionStore()
  readonly #persistence: Persistence
  readonly #services: NodeServices
  readonly #engine: Engine
  readonly #turns: Turns
  readonly #replication: Replication
  readonly #sessions: Sessions
  readonly #blocking = new Blocking()
  readonly #stall = new Stall()
  readonly #pause = new Pause()
  readonly #farewell: Farewell
  readonly #upkeep: Upkeep
  #now: Moment
  #lastOutgoingId = 0

  constructor(options: DataNodeOptions) {
    const { settings, rng, now } = options
    const port = new OutputGate(options.port)
    this.port = port
    this.settings = settings
    this.rng = rng
    this.#now = now
    const usage = new Usage(rng.fork('usage'))
    usage.follow(settings)
    this.keyspace = new Keyspace(settings.int('databases'), keyHashOf(options), usage)
    this.keyspace.nowMs = now.wallMs
    const { stats } = this
    this.startedAt = now
    const onForget = (session: Session) => this.#letGo(session)
    const access = openAccess(options)
    const { users } = access
    this.#sessions = new Sessions({ port, settings, users, stats, onForget })
    this.streamTarget = new MasterSession({
      startedAt: now,
      sink: this.#sessions,
      apply: (session, argv) => this.#engine.replay.apply(session, argv),
    })
    this.#replication = new Replication(this)
    this.#farewell = new Farewell({
      settings,
      sessions: this.#sessions,
      pause: this.#pause,
      isReplica: () => this.#replication.isReplica(),
    })
    this.#persistence = new Persistence({
      host: this,
      turn: this.snapshotTurn,
      pause: this.#pause,
      replicas: this.#replication,
      exit: () => this.#exit(),
    })
    this.#replication.followFile(this.#persistence.aof)
    const table = new CommandTable()
    this.#services = {
      keyspace: this.keyspace,
      settings,
      port,
      rng: rng.fork('commands'),
      table,
      sessions: this.#sessions,
      access,
      clock: () => this.#now,
      pubsub: new PubSub(),
      blocking: this.#blocking,
      pause: this.#pause,
      farewell: this.#farewell,
      stall: this.#stall,
      expiryCycle: new ExpiryCycle(),
      scans: new ScanCursors(rng.fork('cursors')),
      functions: this.functions,
      replication: this.#replication,
      persistence: this.#persistence,
      stats,
      runId: rng.fork('run-id').hex(40),
      startedAt: now,
      hasConfigFile: options.hasConfigFile,
      unblock: (session, reply) => this.unblock(session, reply),
    }
    this.#upkeep = new Upkeep(this.#services)
    this.#engine = new Engine(this.#services, table)
    this.#turns = new Turns(this.#stall, {
      begin: (moment) => this.#beginTurn(moment),
      handle: (input) => this.#handle(input),
      end: () => this.#endTurn(),
    })
    this.#persistence.start()
  }

  // Inputs

  accepted(now: Moment, connection: ConnectionId, ends: Endpoints): void {
    this.#turns.take(now, { kind: 'accepted', connection, ends })
  }

  connected(now: Moment, connection: ConnectionId, _ends: Endpoints): void {
    this.#turns.take(now, { kind: 'connected', connection })
  }

  received(now: Moment, connection: ConnectionId, bytes: string): void {
    this.#turns.take(now, { kind: 'received', connection, bytes })
  }

  closed(now: Moment, connection: ConnectionId, reason: string): void {
    this.#turns.take(now, { kind: 'closed', connection, reason })
  }

  stopRequested(now: Moment, signal: StopSignal = 'SIGTERM'): void {
    this.#turns.take(now, { kind: 'stopRequested', signal })
  }

  fileAnswered(now: Moment, id: FileRequestId, answer: FileAnswer): void {
    this.#turns.take(now, { kind: 'fileAnswered', id, answer })
  }

  wake(now: Moment): void {
    if (this.#turns.isStalled(now)) return
    this.#beginTurn(now)
    this.#pause.endOverdue(now.monoMs)
    this.#farewell.timePassed()
    this.#engine.ready.endOverdue(now.monoMs)
    this.#persistence.wake()
    if (!this.#persistence.isLoading) {
      this.#upkeep.wake(now)
      // A stream whose time is over ends the waits of those who read in its groups.
      this.#engine.ready.serve()
      this.#replication.wake()
    }
    this.#endTurn()
  }

  nextWakeUpMs(): number | undefined {
    if (this.#stall.untilMs !== undefined) return this.#stall.untilMs
    return earliest(
      this.#blocking.nextDeadlineMs(),
      this.#pause.untilMs,
      this.#persistence.nextWakeUpMs(),
      ...(this.#persistence.isLoading
        ? []
        : [this.#replication.nextWakeUpMs(), this.#upkeep.nextWakeUpMs()]),
    )
  }

  /** INFO replication and the run id, for those who look on without a connection. */
  report(): { readonly lines: readonly string[]; readonly runId: string } {
    return { lines: this.#replication.infoLines(), runId: this.#services.runId }
  }

  // What saving and loading ask for

  isReplica(): boolean {
    return this.#replication.isReplica()
  }

  position(): SavedPosition | undefined {
    return this.#replication.position()
  }

  applyLoaded(argv: readonly string[]): LoadedCommand {
    return this.#engine.replay.applyLoaded(argv)
  }

  loaded(position: SavedPosition | undefined): void {
    this.#replication.loaded(position)
  }

  tellExpired(db: number, key: string): void {
    this.#replication.propagate(db, [deletion(key, this.settings.flag('lazyfree-lazy-expire'))])
  }

  // What replication asks for

  get now(): Moment {
    return this.#now
  }

  keysOf(argv: readonly string[]): readonly string[] {
    const specs = this.#services.table.find(argv)?.keySpecs
    return (specs === undefined ? undefined : keysOf(specs, argv)) ?? argv.slice(1, 2)
  }

  nextOutgoingId(): ConnectionId {
    this.#lastOutgoingId--
    return this.#lastOutgoingId
  }

  closeSession(id: ConnectionId): void {
    const session = this.#sessions.get(id)
    if (session !== undefined) this.#sessions.close(session)
  }

  unblockForRoleChange(): void {
    this.#engine.ready.sendAway()
  }

  demoted(by: Session | undefined): void {
    this.#farewell.demoted(by)
  }

  get isPaused(): boolean {
    return this.#pause.scope !== undefined
  }

  holdWrites(): void {
    this.#pause.start(Number.POSITIVE_INFINITY, 'writes', 'failover')
  }

  releaseWrites(): void {
    this.#pause.end('failover')
  }

  unblock(session: Session, reply: Reply): void {
    this.#engine.ready.unblock(session, reply)
  }

  block(session: Session, deadlineMs: number | undefined, onTimeout: () => Reply): void {
    this.#blocking.block(session, { deadlineMs, onTimeout, wait: undefined })
  }

  // Turns

  #beginTurn(now: Moment): void {
    this.port.beginTurn()
    this.#now = now
    this.#engine.execution.now = now
    this.keyspace.nowMs = now.wallMs
  }

  #handle(input: NodeInput): void {
    switch (input.kind) {
      case 'accepted':
        return this.#sessions.accept(input.connection, input.ends, this.#now)
      case 'connected':
        return this.#replication.connected(input.connection)
      case 'received':
        return this.#receive(input.connection, input.bytes)
      case 'closed':
        return this.#forget(input.connection, input.reason)
      case 'stopRequested':
        return this.#persistence.shutdown.signalled(input.signal)
      case 'fileAnswered':
        return this.#fileAnswered(input.id, input.answer)
      default:
        return unreachable(input)
    }
  }

  /** Lets everybody read on who became ready, and sends what was gathered. */
  #endTurn(): void {
    do this.#engine.requests.serveLine()
    while (this.#persistence.beginDue())
    this.#farewell.turnEnds()
    this.#persistence.turnEnds()
    // A server that hangs sends nothing either.
    if (!this.#stall.isActive) this.#sessions.flushAll(this.#now.monoMs)
  }

  #receive(connection: ConnectionId, bytes: string): void {
    const { stats } = this.#services
    stats.reads++
    stats.inputBytes += bytes.length
    if (this.#replication.owns(connection)) return this.#replication.received(connection, bytes)
    const session = this.#sessions.get(connection)
    if (session === undefined) return
    session.lastInputAtMs = this.#now.monoMs
    this.#engine.requests.received(session, bytes)
  }

  #fileAnswered(id: FileRequestId, answer: FileAnswer): void {
    if (this.#replication.ownsFile(id)) this.#replication.fileAnswered(id, answer)
    else this.#persistence.fileAnswered(id, answer)
  }

  #forget(connection: ConnectionId, reason: string): void {
    if (this.#replication.owns(connection)) return this.#replication.closed(connection, reason)
    const session = this.#sessions.get(connection)
    if (session !== undefined) this.#sessions.forget(session)
  }

  /** Nothing may refer to a session that is gone. */
  #letGo(session: Session): void {
    this.#blocking.release(session)
    this.#services.pubsub.unsubscribeAll(session)
    session.unwatch()
    this.#replication.sessionClosed(session)
  }

  #exit(): void {
    this.#persistence.aof.turnEnds()
    this.#sessions.flushAll(this.#now.monoMs)
    this.port.exit(0)
  }
}

function keyHashOf({ secret, rng }: DataNodeOptions): KeyHash {
  return secret === undefined ? createKeyHash(rng.fork('key-hash')) : secretKeyHash(secret)
}

function openAccess(options: DataNodeOptions): NodeAccess {
  const { settings, users = [], learntUsers: learnt, aclFile, rng } = options
  const secret = options.secret ?? rng.fork('passwords').hex(64)
  return startAccess({ settings, users, learnt, aclFile, secret })
}
