/**
 * The data node: bytes and time in, bytes and requests to the world out. It owns the parts and routes
 * every input to one of them; what commands do is in commands/, what replicas are told in replication/.
 *
 * Each input is one turn. In a turn commands run one after the other, never two at once, and their
 * replies leave together at its end.
 */
import type { Moment } from '../base/clock.ts'
import type { Rng } from '../base/rng.ts'
import { encodeReply } from '../resp/encode.ts'
import { error, type Reply } from '../resp/reply.ts'
import type { Request } from '../resp/request-decoder.ts'
import { isLoopback } from './addresses.ts'
import { Blocking } from './blocking.ts'
import { CommandTable } from './command-table.ts'
import type { NodeServices } from './context.ts'
import { Dispatcher } from './dispatch.ts'
import { PROTECTED_MODE, TOO_MANY_CLIENTS, UNBLOCKED_BY_ROLE } from './errors.ts'
import { ExpiryCycle } from './expiry.ts'
import { Keyspace } from './keyspace.ts'
import { Pause } from './pause.ts'
import type { ConnectionId, Endpoints, NodeInputs, NodePort } from './port.ts'
import { PubSub } from './pubsub.ts'
import type { ReplicationHost } from './replication/host.ts'
import { Replication } from './replication/replication.ts'
import { ScanCursors } from './scan.ts'
import { Session } from './session.ts'
import { Sessions } from './sessions.ts'
import type { Settings } from './settings.ts'
import { Stall, type StalledInput } from './stall.ts'
import { newStats } from './stats.ts'
import { Upkeep } from './upkeep.ts'

export interface DataNodeOptions {
  readonly settings: Settings
  readonly port: NodePort
  readonly rng: Rng
  readonly now: Moment
  /** Whether the settings came from a file, so that CONFIG REWRITE means something. */
  readonly hasConfigFile: boolean
}

const NOWHERE: Endpoints = { remoteHost: '', remotePort: 0, localHost: '', localPort: 0 }

export class DataNode implements NodeInputs, ReplicationHost {
  readonly port: NodePort
  readonly keyspace: Keyspace
  readonly settings: Settings
  readonly rng: Rng
  readonly runId: string
  readonly #services: NodeServices
  readonly #dispatcher: Dispatcher
  readonly #replication: Replication
  readonly #sessions: Sessions
  readonly #blocking = new Blocking()
  readonly #stall = new Stall()
  readonly #pause = new Pause()
  readonly #upkeep: Upkeep
  /** Sessions that have requests left and may read on. */
  #toRead: Session[] = []
  #masterSession: Session
  #now: Moment
  #lastOutgoingId = 0

  constructor(options: DataNodeOptions) {
    const { settings, port, rng, now, hasConfigFile } = options
    this.port = port
    this.settings = settings
    this.rng = rng
    this.#now = now
    this.runId = rng.fork('run-id').hex(40)
    this.keyspace = new Keyspace(settings.int('databases'))
    this.keyspace.nowMs = now.wallMs
    const stats = newStats()
    const onForget = (session: Session) => this.#letGo(session)
    this.#sessions = new Sessions({ port, settings, stats, onForget })
    this.#masterSession = this.#newMasterSession()
    this.#replication = new Replication(this)
    this.#services = {
      keyspace: this.keyspace,
      settings,
      port,
      rng: rng.fork('commands'),
      table: new CommandTable(),
      sessions: this.#sessions,
      pubsub: new PubSub(),
      blocking: this.#blocking,
      pause: this.#pause,
      stall: this.#stall,
      expiryCycle: new ExpiryCycle(),
      scans: new ScanCursors(rng.fork('cursors')),
      replication: this.#replication,
      stats,
      runId: this.runId,
      startedAt: now,
      hasConfigFile,
      unblock: (session, reply) => this.unblock(session, reply),
      shutDown: () => this.#shutDown(),
    }
    this.#upkeep = new Upkeep(this.#services)
    this.#dispatcher = new Dispatcher(this.#services, {
      onUnblocked: (session) => this.#toRead.push(session),
    })
  }

  // Inputs

  accepted(now: Moment, connection: ConnectionId, ends: Endpoints): void {
    if (this.#isStalled(now)) return this.#stall.add({ kind: 'accepted', connection, ends })
    this.#beginTurn(now)
    this.#accept(connection, ends)
    this.#endTurn()
  }

  connected(now: Moment, connection: ConnectionId, ends: Endpoints): void {
    if (this.#isStalled(now)) return this.#stall.add({ kind: 'connected', connection, ends })
    this.#beginTurn(now)
    this.#replication.connected(connection, ends)
    this.#endTurn()
  }

  received(now: Moment, connection: ConnectionId, bytes: string): void {
    if (this.#isStalled(now)) return this.#stall.add({ kind: 'received', connection, bytes })
    this.#beginTurn(now)
    this.#receive(connection, bytes)
    this.#endTurn()
  }

  closed(now: Moment, connection: ConnectionId, reason: string): void {
    if (this.#isStalled(now)) return this.#stall.add({ kind: 'closed', connection, reason })
    this.#beginTurn(now)
    this.#forget(connection, reason)
    this.#endTurn()
  }

  wake(now: Moment): void {
    if (this.#isStalled(now)) return
    this.#beginTurn(now)
    if (this.#pause.isOver(now.monoMs)) this.#pause.end()
    this.#endWaits()
    this.#upkeep.wake(now)
    this.#replication.wake()
    this.#endTurn()
  }

  stopRequested(now: Moment): void {
    if (this.#isStalled(now)) return this.#stall.add({ kind: 'stopRequested' })
    this.#beginTurn(now)
    this.#shutDown()
  }

  nextWakeUpMs(): number | undefined {
    if (this.#stall.untilMs !== undefined) return this.#stall.untilMs
    const times = [
      this.#blocking.nextDeadlineMs(),
      this.#pause.untilMs,
      this.#replication.nextWakeUpMs(),
      this.#upkeep.nextWakeUpMs(),
    ]
    const earliest = Math.min(...times.map((time) => time ?? Number.POSITIVE_INFINITY))
    return earliest === Number.POSITIVE_INFINITY ? undefined : earliest
  }

  // What replication asks for

  get now(): Moment {
    return this.#now
  }

  get masterDb(): number {
    return this.#masterSession.db
  }

  set masterDb(db: number) {
    this.#masterSession.db = db
  }

  nextOutgoingId(): ConnectionId {
    this.#lastOutgoingId--
    return this.#lastOutgoingId
  }

  applyFromMaster(argv: readonly string[]): void {
    this.#dispatcher.apply(this.#masterSession, argv)
  }

  inMasterTransaction(): boolean {
    return this.#masterSession.transaction !== undefined
  }

  resetMasterSession(): void {
    const { db } = this.#masterSession
    this.#masterSession = this.#newMasterSession()
    this.#masterSession.db = db
  }

  closeSession(id: ConnectionId): void {
    const session = this.#sessions.get(id)
    if (session !== undefined) this.#sessions.close(session)
  }

  sessions(): Iterable<Session> {
    return this.#sessions
  }

  unblockForRoleChange(): void {
    for (const session of [...this.#blocking.sessions]) {
      this.unblock(session, UNBLOCKED_BY_ROLE)
      this.#sessions.closeAfterReply(session)
    }
  }

  unblock(session: Session, reply: Reply): void {
    if (session.blocked === undefined) return
    this.#dispatcher.unblock(session, reply)
  }

  block(session: Session, deadlineMs: number | undefined, onTimeout: () => Reply): void {
    this.#blocking.block(session, { deadlineMs, onTimeout, wait: undefined })
  }

  // Turns

  #beginTurn(now: Moment): void {
    this.#now = now
    this.#dispatcher.now = now
    this.keyspace.nowMs = now.wallMs
  }

  /** Lets everybody read on who became ready, and sends what was gathered. */
  #endTurn(): void {
    for (let session = this.#nextToRead(); session !== undefined; session = this.#nextToRead()) {
      this.#read(session)
    }
    // A server that hangs sends nothing either.
    if (!this.#stall.isActive) this.#sessions.flushAll(this.#now.monoMs)
  }

  #nextToRead(): Session | undefined {
    if (this.#stall.isActive) return undefined
    for (const session of this.#pause.takeReleased()) this.#resume(session)
    return this.#toRead.shift()
  }

  /** Runs the command a pause held back. */
  #resume(session: Session): void {
    const argv = session.postponed
    session.postponed = undefined
    if (argv === undefined || session.isClosing) return
    this.#dispatcher.run(session, argv)
    this.#toRead.push(session)
  }

  /** Also ends a stall whose time is over, and deals with what came in meanwhile. */
  #isStalled(now: Moment): boolean {
    if (!this.#stall.isActive) return false
    this.#stall.endIfOver(now.monoMs)
    if (this.#stall.isActive) return true
    this.#beginTurn(now)
    this.#endTurn()
    while (!this.#stall.isActive) {
      const input = this.#stall.next()
      if (input === undefined) return false
      this.#catchUp(input)
    }
    return true
  }

  #catchUp(input: StalledInput): void {
    switch (input.kind) {
      case 'accepted':
        return this.accepted(this.#now, input.connection, input.ends)
      case 'connected':
        return this.connected(this.#now, input.connection, input.ends)
      case 'received':
        return this.received(this.#now, input.connection, input.bytes)
      case 'closed':
        return this.closed(this.#now, input.connection, input.reason)
      case 'stopRequested':
        return this.stopRequested(this.#now)
    }
  }

  // Clients

  #accept(connection: ConnectionId, ends: Endpoints): void {
    const { stats } = this.#services
    stats.connections++
    const refusal = this.#refusal(ends)
    if (refusal === undefined) {
      this.#sessions.open(connection, ends, this.#now)
    } else {
      stats.rejectedConnections++
      this.port.write(connection, encodeReply(refusal, 2))
      this.port.close(connection)
    }
  }

  #refusal(ends: Endpoints): Reply | undefined {
    const { settings } = this
    if (this.#sessions.size >= settings.int('maxclients')) return TOO_MANY_CLIENTS
    const isOpen = settings.text('requirepass') === '' && settings.flag('protected-mode')
    return isOpen && !isLoopback(ends.remoteHost) ? PROTECTED_MODE : undefined
  }

  #receive(connection: ConnectionId, bytes: string): void {
    const { stats } = this.#services
    stats.reads++
    stats.inputBytes += bytes.length
    if (this.#replication.owns(connection)) return this.#replication.received(connection, bytes)
    const session = this.#sessions.get(connection)
    if (session === undefined) return
    session.lastInputAtMs = this.#now.monoMs
    session.decoder.push(bytes)
    this.#read(session)
  }

  #forget(connection: ConnectionId, reason: string): void {
    if (this.#replication.owns(connection)) return this.#replication.closed(connection, reason)
    const session = this.#sessions.get(connection)
    if (session !== undefined) this.#sessions.forget(session)
  }

  /** Runs the requests that are there, as long as nothing makes the session wait. */
  #read(session: Session): void {
    while (session.isReady) {
      if (this.#stall.isActive) {
        this.#toRead.push(session)
        return
      }
      const request = session.decoder.next()
      if (request === undefined) return
      this.#handle(session, request)
    }
    // A client that waits must not make us keep whatever it sends meanwhile.
    const limitBytes = this.settings.int('client-query-buffer-limit')
    if (session.decoder.pendingBytes > limitBytes) this.#sessions.close(session)
  }

  #handle(session: Session, request: Request): void {
    switch (request.kind) {
      case 'command':
        return this.#dispatcher.run(session, request.argv)
      case 'protocolError':
        session.reply(error(request.text))
        return this.#sessions.closeAfterReply(session)
      case 'hangUp':
        return this.#sessions.close(session)
    }
  }

  /** Nothing may refer to a session that is gone. */
  #letGo(session: Session): void {
    this.#blocking.release(session)
    this.#services.pubsub.unsubscribeAll(session)
    session.watch?.release()
    this.#replication.sessionClosed(session)
  }

  #newMasterSession(): Session {
    const session = new Session(0, NOWHERE, this.#now, this.#sessions)
    session.kind = 'master'
    session.mayBlock = false
    return session
  }

  // Time

  #endWaits(): void {
    for (;;) {
      const session = this.#blocking.nextOverdue(this.#now.monoMs)
      if (session?.blocked === undefined) return
      this.#dispatcher.unblock(session, session.blocked.onTimeout())
    }
  }

  #shutDown(): void {
    this.#sessions.flushAll(this.#now.monoMs)
    this.port.log('notice', 'shutting down')
    this.port.exit(0)
  }
}
