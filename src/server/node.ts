/**
 * The data node: bytes and time in, bytes and requests to the world out. It routes every input to
 * the part it is for; commands/ says what commands do, replication/ what replicas are told.
 *
 * Each input is one turn. In a turn commands run one after the other, never two at once, and their
 * replies leave together at its end. The way of a command reads downward from `received`:
 *
 *     bytes → sessions/request-loop.ts → dispatch.ts, gate.ts → execution.ts → effects.ts → reply
 *     the master's stream, a file → replay.ts → execution.ts
 */
import { unreachable } from '../base/assert.ts'
import { type ByteCodec, PLAIN_BYTES } from '../base/byte-codec.ts'
import type { Moment } from '../base/clock.ts'
import type { NodeAccess, NodeAclFile } from './access/access.ts'
import { startAccess } from './access/access-start.ts'
import type { CommandTable } from './catalogue/command-table.ts'
import { nodeCommands } from './commands/registry.ts'
import type { NodeServices } from './context.ts'
import { Dispatcher } from './dispatch.ts'
import { sooner } from './earliest.ts'
import { Execution } from './execution.ts'
import { ExpiryCycle } from './keyspace/expiry.ts'
import type { Keyspace } from './keyspace/keyspace.ts'
import { ScanCursors } from './keyspace/scan.ts'
import { Eviction } from './memory/eviction.ts'
import { MemoryUse } from './memory/memory-use.ts'
import { Migration } from './migration/migration.ts'
import { NodeBase, type NodeBeginning } from './node-base.ts'
import type { FileAnswer, FileRequestId } from './persistence/files.ts'
import { Persistence } from './persistence/persistence.ts'
import type { ConnectionId, Endpoints, LearntUsers, NodeInputs, StopSignal } from './port.ts'
import { Replay } from './replay.ts'
import { Replication } from './replication/replication.ts'
import { ScriptTurns } from './scripting/script-turns.ts'
import type { NodeInput } from './sessions/debug-sleep.ts'
import { RequestLoop } from './sessions/request-loop.ts'
import type { ClientSession } from './sessions/session.ts'
import { Upkeep } from './upkeep.ts'

export interface DataNodeOptions extends NodeBeginning {
  /**
   * Whether the settings came from a file, so that CONFIG REWRITE has a file to keep changes for.
   */
  readonly hasConfigFile: boolean
  /**
   * [user] One line each, split into words, the name first; `checkNodeUsers` has found them sound.
   */
  readonly users?: readonly (readonly string[])[] | undefined
  /** The users that CONFIG REWRITE kept. */
  readonly learntUsers?: LearntUsers | undefined
  readonly aclFile?: NodeAclFile | undefined
  /** A fast way to work on many bytes; undefined: the plain way that works everywhere. */
  readonly byteCodec?: ByteCodec | undefined
}

export class DataNode implements NodeInputs {
  readonly services: NodeServices
  readonly #requests: RequestLoop
  readonly #execution: Execution
  readonly #upkeep: Upkeep
  readonly #scripts: ScriptTurns

  constructor(options: DataNodeOptions) {
    const table = nodeCommands(options.settings.renames)
    const base = new NodeBase(options, openAccess(options), (session) => this.#letGo(session))
    this.services = servicesOf(base, table, options)
    const execution = new Execution(this.services, table)
    this.#execution = execution
    new Replay(this.services, table, execution).connect()
    const dispatcher = new Dispatcher(this.services, table, execution)
    this.#requests = new RequestLoop(this.services, dispatcher)
    this.#upkeep = new Upkeep(this.services)
    this.#scripts = new ScriptTurns(this.services)
    const { memory, scripting } = this.services
    memory.scriptBytes = () => scripting.scripts.bytes + scripting.usedBytes.scripts
    this.services.journal.note({ kind: 'starting' })
    this.services.persistence.start()
  }

  get keyspace(): Keyspace {
    return this.services.keyspace
  }

  // Inputs

  accepted(now: Moment, connection: ConnectionId, ends: Endpoints): void {
    this.#take(now, { kind: 'accepted', connection, ends })
  }

  connected(now: Moment, connection: ConnectionId, ends: Endpoints): void {
    this.#take(now, { kind: 'connected', connection, ends })
  }

  received(now: Moment, connection: ConnectionId, bytes: string): void {
    this.#take(now, { kind: 'received', connection, bytes })
  }

  awaitedBytes(connection: ConnectionId): number {
    return this.services.sessions.get(connection)?.decoder.awaitedBytes ?? 0
  }

  closed(now: Moment, connection: ConnectionId, reason: string): void {
    this.#take(now, { kind: 'closed', connection, reason })
  }

  halfClosed(now: Moment, connection: ConnectionId): void {
    this.#take(now, { kind: 'halfClosed', connection })
  }

  stopRequested(now: Moment, signal: StopSignal = 'SIGTERM'): void {
    this.#take(now, { kind: 'stopRequested', signal })
  }

  fileAnswered(now: Moment, id: FileRequestId, answer: FileAnswer): void {
    this.#take(now, { kind: 'fileAnswered', id, answer })
  }

  wake(now: Moment): void {
    if (this.#isAsleep(now)) return
    if (this.#scripts.isInterrupted) return this.#goOn(now)
    const { heap, memory, eviction, pause, disconnects, journal } = this.services
    const { blocking, sessions, persistence, migration, isCronPaused } = this.services
    this.#beginTurn(now)
    journal.wake()
    heap.wake(now.monoMs)
    memory.wake(now.monoMs)
    eviction.wake()
    pause.endOverdue(now.monoMs)
    disconnects.timePassed()
    blocking.endOverdue(now.monoMs)
    sessions.wake(now)
    persistence.wake()
    migration.wake()
    if (!persistence.isLoading) {
      if (!isCronPaused) this.#upkeep.wake(now)
      // An expired stream ends the waits of the clients that read in its groups.
      this.#execution.serveWaiting()
      if (!isCronPaused) this.services.replication.wake()
    }
    this.#endTurn()
  }

  nextWakeUpMs(): number | undefined {
    const { sleep, blocking, pause, sessions, persistence, heap, replication } = this.services
    const { memory, eviction, migration, journal, isCronPaused } = this.services
    if (sleep.untilMs !== undefined) return sleep.untilMs
    if (this.#scripts.isInterrupted) return this.#scripts.nextSliceMs
    // Asked after every input of a simulated node: without a list.
    let nextMs = sooner(blocking.nextDeadlineMs(), pause.untilMs)
    nextMs = sooner(nextMs, sessions.nextWakeUpMs())
    nextMs = sooner(nextMs, persistence.nextWakeUpMs())
    nextMs = sooner(nextMs, heap.nextWakeUpMs())
    nextMs = sooner(nextMs, memory.nextWakeUpMs())
    nextMs = sooner(nextMs, eviction.nextWakeUpMs())
    nextMs = sooner(nextMs, migration.nextWakeUpMs())
    nextMs = sooner(nextMs, journal.nextWakeUpMs())
    if (persistence.isLoading || isCronPaused) return nextMs
    nextMs = sooner(nextMs, replication.nextWakeUpMs())
    return sooner(nextMs, this.#upkeep.nextWakeUpMs())
  }

  /** INFO replication and the run id, for observers without a connection. */
  report(): { readonly lines: readonly string[]; readonly runId: string } {
    const { replication, runId } = this.services
    return { lines: replication.infoLines(), runId }
  }

  // Turns

  /**
   * While the node hangs (DEBUG SLEEP), inputs wait in order; they are dealt with when the sleep is
   * over.
   */
  #take(now: Moment, input: NodeInput): void {
    if (this.#isAsleep(now)) this.services.sleep.add(input)
    else if (this.#scripts.mustWait(input)) this.#scripts.add(input)
    else this.#turn(now, input)
  }

  /** Also ends a sleep whose time is over, and deals with the inputs that came meanwhile. */
  #isAsleep(now: Moment): boolean {
    const { sleep } = this.services
    if (!sleep.isActive) return false
    sleep.endIfOver(now.monoMs)
    if (sleep.isActive) return true
    this.#beginTurn(now)
    this.#execution.serveWaiting()
    this.#endTurn()
    while (!sleep.isActive) {
      const input = sleep.next()
      if (input === undefined) return false
      this.#turn(now, input)
    }
    return true
  }

  /** The next slice of a script that takes long, and what has waited for its end. */
  #goOn(now: Moment): void {
    this.#beginTurn(now)
    this.#execution.goOn()
    this.services.sessions.wake(now)
    this.#endTurn()
    for (const input of this.#scripts.takeWaiting()) this.#take(now, input)
  }

  #turn(now: Moment, input: NodeInput): void {
    this.#beginTurn(now)
    this.#handle(input)
    this.#endTurn()
  }

  #beginTurn(now: Moment): void {
    const last = this.services.now
    this.services.beginTurn(now)
    this.services.journal.turnBegins(last)
    this.services.replication.turnBegins(last)
  }

  #handle(input: NodeInput): void {
    const { services } = this
    switch (input.kind) {
      case 'accepted':
        return services.sessions.accept(input.connection, input.ends, services.now)
      case 'connected':
        services.migration.connected(input.connection)
        services.persistence.handover.connected(input.connection)
        return services.replication.connected(input.connection, input.ends.localHost)
      case 'received':
        return this.#receive(input.connection, input.bytes)
      case 'halfClosed':
        return this.#leaves(input.connection)
      case 'closed':
        return this.#forget(input.connection, input.reason)
      case 'stopRequested':
        return services.persistence.shutdown.signalled(input.signal)
      case 'fileAnswered':
        return this.#fileAnswered(input.id, input.answer)
      default:
        return unreachable(input)
    }
  }

  /** Lets the sessions that became ready read on, and sends the gathered output. */
  #endTurn(): void {
    const { persistence, disconnects, replication, sleep, sessions, now } = this.services
    const { clientMemory, tracking, keyspace } = this.services
    // No snapshot begins in the middle of a script.
    do this.#requests.serveLine()
    while (!this.#scripts.isInterrupted && persistence.beginDue())
    this.#scripts.turnEnds()
    disconnects.turnEnds(replication.isReplica())
    tracking.turnEnds()
    persistence.turnEnds()
    keyspace.settle()
    // A server that hangs sends nothing either.
    replication.strict.turnEnds()
    if (!sleep.isActive) sessions.flushAll(now.monoMs)
    clientMemory.keepLimit()
  }

  #receive(connection: ConnectionId, bytes: string): void {
    const { stats, replication, migration, sessions, heap, clientMemory, now } = this.services
    const { handover } = this.services.persistence
    stats.reads++
    stats.inputBytes += bytes.length
    if (replication.owns(connection)) {
      stats.replicationInputBytes += bytes.length
      return replication.received(bytes)
    }
    if (migration.owns(connection)) return migration.received(connection, bytes)
    if (handover.owns(connection)) return handover.received(bytes)
    const session = sessions.get(connection)
    if (session === undefined) return
    session.lastInputAtMs = now.monoMs
    session.inputs++
    heap.received(bytes.length)
    this.#requests.received(session, bytes)
    if (!session.isClosing) clientMemory.note(session)
  }

  #fileAnswered(id: FileRequestId, answer: FileAnswer): void {
    const { replication, persistence } = this.services
    if (replication.ownsFile(id)) replication.fileAnswered(id, answer)
    else persistence.fileAnswered(id, answer)
  }

  #forget(connection: ConnectionId, reason: string): void {
    const { replication, migration, sessions, persistence } = this.services
    if (replication.owns(connection)) return replication.closed(reason)
    if (migration.owns(connection)) return migration.closed(connection, reason)
    if (persistence.handover.owns(connection)) return persistence.handover.closed(reason)
    const session = sessions.get(connection)
    if (session !== undefined) sessions.forget(session)
  }

  #leaves(connection: ConnectionId): void {
    const session = this.services.sessions.get(connection)
    if (session !== undefined) this.#requests.leaves(session)
  }

  /** Drops every reference to a session that is gone. */
  #letGo(session: ClientSession): void {
    const { blocking, pubsub, replication, clientMemory, tracking, monitors } = this.services
    tracking.stop(session)
    monitors.remove(session)
    clientMemory.forget(session)
    blocking.release(session)
    pubsub.unsubscribeAll(session)
    session.unwatch()
    replication.sessionClosed(session)
  }
}

function servicesOf(base: NodeBase, table: CommandTable, options: DataNodeOptions): NodeServices {
  const { rng, byteCodec = PLAIN_BYTES, hasConfigFile } = options
  const replication = new Replication(base, (argv) => namedKeys(table, argv))
  const replicated = Object.assign(base, { replication })
  const persistence = new Persistence(replicated)
  replication.followFile(persistence.aof)
  const services = Object.assign(replicated, {
    persistence,
    migration: new Migration(base),
    table,
    byteCodec,
    hasConfigFile,
    rng: rng.fork('commands'),
    expiryCycle: new ExpiryCycle(),
    scans: new ScanCursors(rng.fork('cursors')),
  })
  const measured = Object.assign(services, { memory: new MemoryUse(services) })
  return Object.assign(measured, { eviction: new Eviction(measured) })
}

/**
 * The keys that a command names, as far as its words tell; undefined: it is a message and changes
 * no key.
 */
function namedKeys(table: CommandTable, argv: readonly string[]): readonly string[] | undefined {
  return table.find(argv)?.isMessage === true ? undefined : table.keysIn(argv)
}

function openAccess(options: DataNodeOptions): NodeAccess {
  const { settings, users = [], learntUsers: learnt, aclFile, rng } = options
  const secret = options.secret ?? rng.fork('passwords').hex(64)
  return startAccess({ settings, users, learnt, aclFile, secret })
}
