/**
 * Runs commands: the context their handlers see, what is counted of them, and which clients they
 * serve. Their effects are told by effects.ts when the outermost command ends. gate.ts has decided
 * before whether a command may run.
 */
import { assert } from '../base/assert.ts'
import type { Moment } from '../base/clock.ts'
import { NULL, type Reply } from '../resp/reply.ts'
import { refusalAtExec } from './access/permission.ts'
import type { Command } from './catalogue/command.ts'
import type { CommandInfo } from './catalogue/command-info.ts'
import type { CommandTable } from './catalogue/command-table.ts'
import type { CommandContext, NodeServices } from './context.ts'
import { deletion, Effects, type EffectTargets } from './effects.ts'
import { countError, errorsInside } from './info/stats.ts'
import type { Db } from './keyspace/db.ts'
import { Unfinished } from './scripting/unfinished.ts'
import type { KeyWait } from './sessions/blocked.ts'
import type { ToldEffect } from './sessions/effect-context.ts'
import type { KeyspaceEvent } from './sessions/keyspace-event.ts'
import type { ClientSession } from './sessions/session.ts'
import type { Value } from './values/value.ts'

interface Replay {
  /** The first error reply. */
  error: string | undefined
}

export class Execution implements CommandContext {
  readonly node: NodeServices
  readonly #table: CommandTable
  readonly #effects: Effects
  #session: ClientSession | undefined
  #db: Db
  #argv: readonly string[] = []
  #command: Command | undefined
  /** Set while a command of a file runs. */
  #replay: Replay | undefined
  readonly #unfinished = new Unfinished()

  constructor(node: NodeServices, table: CommandTable) {
    this.node = node
    this.#table = table
    this.#effects = new Effects(node)
    this.#db = node.keyspace.dbs[0] as Db
    node.keyspace.observer = this
  }

  get session(): ClientSession {
    assert(this.#session !== undefined, 'a command runs in a session')
    return this.#session
  }

  get db(): Db {
    return this.#db
  }

  get now(): Moment {
    return this.node.now
  }

  /**
   * Runs a command of a session. On return, replicas and the file have been told of its effects.
   */
  run(session: ClientSession, command: Command, argv: readonly string[]): Reply | undefined {
    this.#enter(session)
    return this.#call(command, argv)
  }

  /**
   * Runs a command of a file, which is not counted and not told to replicas. Returns its first
   * error.
   */
  replay(session: ClientSession, command: Command, argv: readonly string[]): string | undefined {
    const replay: Replay = { error: undefined }
    this.#replay = replay
    this.run(session, command, argv)
    this.#replay = undefined
    return replay.error
  }

  /** During a pause nothing expires, on no node. */
  #hidesAsReplica(): boolean {
    const { keyspace, pause } = this.node
    return keyspace.expiryMode === 'hide' && pause.scope === undefined
  }

  /** Sets how expired keys are treated, and to which session the next changes belong. */
  #enter(session: ClientSession): void {
    const { keyspace, replication, pause } = this.node
    this.#session = session
    this.#db = keyspace.dbs[session.db] as Db
    if (session.kind === 'master') keyspace.expiryMode = 'ignore'
    else if (replication.isReplica() || pause.scope !== undefined) keyspace.expiryMode = 'hide'
    else keyspace.expiryMode = 'delete'
  }

  /** Runs a handler; its effects are told when the outermost command ends. */
  #call(command: Command, argv: readonly string[]): Reply | undefined {
    if (this.#replay !== undefined) return this.#callAgain(command, argv, this.#replay)
    const outerArgv = this.#argv
    this.#argv = argv
    this.#command = command
    this.node.stats.commands++
    this.node.keyspace.countsLookups = command.isRead
    this.node.keyspace.expiresWritten = command.isWrite && this.#hidesAsReplica()
    this.node.keyspace.touchesKeys = command.touchesKeys && this.#mayTouch(command)
    // While a script waits for its next slice, only commands run that may run beside it.
    const isBeside = this.node.scripting.isInterrupted
    if (command.runsScript && this.node.monitors.isOn) this.#tellMonitors(command, argv)
    const startedAt = this.#effects.isCollecting ? this.node.times.now() : this.node.times.begun()
    this.#effects.begin()
    const reply = command.handler(this, argv)
    if (!isBeside && this.isInterrupted) return this.#endLater(command, argv, startedAt, outerArgv)
    this.#ended(command, argv, startedAt, reply)
    this.#argv = outerArgv
    return reply
  }

  /** A script of the command goes on in later turns. `outerArgv`: of what runs it, EXEC or EVAL. */
  #endLater(
    command: Command,
    argv: readonly string[],
    startedAt: number,
    outerArgv: readonly string[],
  ): undefined {
    this.whenScriptEnds((last) => {
      this.#ended(command, argv, startedAt, last)
      this.#argv = outerArgv
      return last
    })
  }

  /** Clients that track keys are told when these change. */
  #noteRead(command: Command | undefined, argv: readonly string[]): void {
    if (command !== undefined) this.node.tracking.keysRead(this.session, command, argv)
  }

  #tellMonitors(command: Command, argv: readonly string[]): void {
    this.node.monitors.tell(this.session, command, argv, this.node.now)
  }

  /** `startedAt`: by the stopwatch. */
  #ended(
    command: Command,
    argv: readonly string[],
    startedAt: number,
    reply: Reply | undefined,
  ): void {
    const { times, monitors, now } = this.node
    command.calls++
    times.ended(this.session, command, argv, startedAt, now.wallMs)
    if (monitors.isOn && !command.isHidden) this.#tellMonitors(command, argv)
    this.#effects.end()
    if (command.isRead && this.#session?.tracking !== undefined && !command.runsScript) {
      this.#noteRead(command, argv)
    }
    if (reply === undefined) return
    if (reply.kind === 'error' || command.runsScript) this.#countErrors(command, reply)
  }

  /** Also those inside of a script's answer, each of which is an error reply for Redis. */
  #countErrors(command: Command, reply: Reply): void {
    const errors = errorsInside(reply)
    const fresh = errors.filter(({ isCounted }) => isCounted !== true)
    for (const { text } of fresh) countError(this.node.stats, text)
    // Redis sees by its count of errors that a command failed, once, and is told of the others one by one.
    command.failedCalls += errors.length - fresh.length + Math.min(1, fresh.length)
    if (reply.kind !== 'error' || this.session.kind !== 'master') return
    this.node.streamTarget.failed(command.fullName, reply.text)
  }

  // Scripts that take longer than a slice

  get isInterrupted(): boolean {
    return this.node.scripting.isInterrupted
  }

  whenScriptEnds(step: (reply: Reply | undefined) => Reply | undefined): void {
    const { keyspace } = this.node
    this.#unfinished.add(step, { session: this.session, argv: this.#argv, wallMs: keyspace.nowMs })
  }

  /** Gives the interrupted script its next slice, and does the rest if it ends. */
  goOn(): void {
    const { place } = this.#unfinished
    if (place === undefined) return
    const { node } = this
    // No key expires under a script. TIME goes on, since a loop that waits for it would never end.
    node.keyspace.nowMs = place.wallMs
    this.#enter(place.session)
    this.#argv = place.argv
    const reply = node.scripting.goOn()
    if (!node.scripting.isInterrupted) this.#unfinished.finish(reply, () => this.isInterrupted)
    node.keyspace.nowMs = node.now.wallMs
  }

  executeInScript(
    session: ClientSession,
    typed: readonly string[],
    refuse: (command: CommandInfo, argv: readonly string[]) => Reply | undefined,
  ): Reply | undefined {
    const argv = this.#table.inOwnWords(typed)
    const command = argv && this.#table.find(argv)
    if (argv === undefined || command === undefined) return undefined
    const refused = refuse(command, argv)
    if (refused !== undefined) return this.#refuseQueued(command, refused)
    const outer = this.session
    this.#session = session
    this.#db = this.node.keyspace.dbs[session.db] as Db
    const reply = this.#call(command, argv)
    this.#session = outer
    // What a script reads, its client reads: all the keys that the script declares.
    if (command.isRead && outer.tracking !== undefined)
      this.#noteRead(this.#table.find(this.#argv), this.#argv)
    this.#db = this.node.keyspace.dbs[outer.db] as Db
    return reply ?? NULL
  }

  setTargets(targets: EffectTargets): void {
    this.#effects.targets = targets
  }

  /** Serves clients that wait for a key which has something new; the first that came goes first. */
  serveWaiting(): void {
    const { blocking } = this.node
    // A script that waits for its next slice must find the data as it left them.
    // A node that stands still serves when it goes on, and what has expired meanwhile is gone.
    if (this.isInterrupted || this.node.sleep.isActive) return
    // Moving an element to another list can make that list ready.
    while (blocking.hasReadyKeys) {
      for (const { db, key } of blocking.takeReadyKeys()) this.#serveKey(db, key)
    }
  }

  // What a handler can do besides returning a reply

  propagate(effect: ToldEffect = this.#argv, changes = 1): void {
    if (this.#replay !== undefined) return
    const isMessage = effect === this.#argv && this.#command?.isMessage === true
    if (!isMessage) this.countChanges(changes)
    // Our replicas get our master's own stream; only a file of ours needs the effect.
    if (this.session.kind === 'master' && !this.node.persistence.aof.isOn) return
    if (!this.#effects.isAnyoneTold) return
    const argv = typeof effect === 'function' ? effect() : effect
    this.#effects.add(this.#db.index, argv, isMessage)
  }

  countChanges(changes: number): void {
    if (this.#replay === undefined) this.node.stats.changes += changes
  }

  notify(event: KeyspaceEvent, key: string, db: Db = this.#db): void {
    if (this.node.keyspaceEvents.isOn) this.node.keyspaceEvents.tell(event, db.index, key)
  }

  execute(argv: readonly string[]): Reply | undefined {
    const command = this.#table.find(argv)
    assert(command !== undefined, 'only known commands are queued')
    const refused = refusalAtExec(this.node, this.session, command, argv)
    if (refused !== undefined) return this.#refuseQueued(command, refused)
    this.#db = this.node.keyspace.dbs[this.session.db] as Db
    return this.#call(command, argv)
  }

  // What the keyspace reports

  keyExpired(db: number, key: string): void {
    this.node.stats.expiredKeys++
    this.node.keyspaceEvents.tell('expired', db, key)
    this.#tellExpired(db, deletion(key, this.node.settings.flag('lazyfree-lazy-expire')))
  }

  #tellExpired(db: number, argv: readonly string[]): void {
    const isTogether = this.#effects.isCollecting && this.#command?.touchesArbitraryKeys !== true
    if (isTogether) this.#effects.add(db, argv)
    else this.#effects.tellAlone(db, argv)
  }

  fieldsExpired(db: number, key: string, fields: readonly string[], isGone: boolean): void {
    this.node.stats.expiredFields += fields.length
    this.node.keyspaceEvents.tell('hexpired', db, key)
    if (isGone) this.node.keyspaceEvents.tell('del', db, key)
    this.#tellExpired(db, ['HDEL', key, ...fields])
  }

  /** Between two commands, so replicas are told on its own. */
  keyEvicted(db: number, key: string): void {
    this.node.stats.evictedKeys++
    this.node.keyspaceEvents.tell('evicted', db, key)
    this.#effects.tellAlone(db, deletion(key, this.node.settings.flag('lazyfree-lazy-eviction')))
  }

  countLookup(isHit: boolean, db: number, key: string): void {
    if (isHit) this.node.stats.hits++
    else this.#missed(db, key)
  }

  #missed(db: number, key: string): void {
    this.node.stats.misses++
    const { keyspaceEvents } = this.node
    if (!keyspaceEvents.isOn || this.#command?.tellsMisses !== true) return
    keyspaceEvents.tell('keymiss', db, key)
  }

  keyCreated(db: number, key: string): void {
    this.node.keyspaceEvents.tell('new', db, key)
  }

  keyAppeared(db: number, key: string): void {
    this.node.blocking.noteKey(db, key)
  }

  dataReplaced(keys: number): void {
    this.node.persistence.dataReplaced(keys)
    this.node.tracking.allChanged()
  }

  #serveKey(dbIndex: number, key: string): void {
    /** Nothing is left for clients that take elements of these types. */
    const exhausted = new Set<Value['type']>()
    for (const session of this.node.blocking.waitingFor(dbIndex, key)) {
      const wait = session.blocked?.wait
      if (wait === undefined || exhausted.has(wait.type)) continue
      const isServed = this.#serve(session, wait, key)
      // A reader of a stream removes nothing, so each reader is asked.
      if (!isServed && wait.type !== 'stream') exhausted.add(wait.type)
    }
  }

  #serve(session: ClientSession, wait: KeyWait, key: string): boolean {
    const { keyspace, tracking } = this.node
    if (keyspace.tracker === undefined) return this.#serveNow(session, wait, key)
    return tracking.whileServing(session, () => this.#serveNow(session, wait, key))
  }

  /** Serves in the name of the client that waited, as if it had sent a command. */
  #serveNow(session: ClientSession, wait: KeyWait, key: string): boolean {
    this.#enter(session)
    this.#db = this.node.keyspace.dbs[wait.db] as Db
    // Otherwise what counts would depend on the command before.
    this.node.keyspace.countsLookups = false
    this.#effects.begin()
    const startedAt = this.node.times.now()
    const reply = wait.serve(this, key)
    this.#effects.end()
    if (reply === undefined) return false
    this.node.times.served(session, startedAt, this.node.now.wallMs, reply.kind === 'error')
    this.#answerWaiting(session, reply)
    this.node.replication.commandExecuted(session)
    return true
  }

  #answerWaiting(session: ClientSession, reply: Reply): void {
    const { blocking, commandLogs, now } = this.node
    const { blockedRun, answeredBytes } = session
    blocking.unblock(session, reply)
    if (blockedRun === undefined) return
    commandLogs.answered(session, blockedRun.command, blockedRun.argv, now.wallMs, answeredBytes)
  }

  #callAgain(command: Command, argv: readonly string[], replay: Replay): Reply | undefined {
    this.node.keyspace.countsLookups = false
    const reply = command.handler(this, argv)
    if (reply?.kind === 'error') replay.error ??= reply.text
    return reply
  }

  /** CLIENT NO-TOUCH applies to every command except those whose only purpose is to touch keys. */
  #mayTouch(command: Command): boolean {
    return !this.session.noTouch || command.alwaysTouches
  }

  #refuseQueued(command: Command, reply: Reply): Reply {
    command.rejectedCalls++
    if (reply.kind === 'error') countError(this.node.stats, reply.text)
    return reply
  }
}
