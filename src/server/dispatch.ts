/**
 * From a request to its reply: find the command, refuse it or hold it back, queue it for EXEC or run it,
 * tell replicas what it did, and serve the clients it made ready. The dispatcher is also the context
 * commands run in.
 */
import { assert } from '../base/assert.ts'
import type { Moment } from '../base/clock.ts'
import { type Reply, simple } from '../resp/reply.ts'
import { refusalAtExec } from './access/permission.ts'
import type { Command } from './catalogue/command.ts'
import { acceptsArity } from './catalogue/command-info.ts'
import type { CommandTable } from './catalogue/command-table.ts'
import type { CommandContext, NodeServices } from './context.ts'
import { deletion, Effects, isMessage } from './effects.ts'
import { execAborted } from './errors.ts'
import { isFencing, isHeldBack, refusal } from './gate.ts'
import { countError } from './info/stats.ts'
import type { Db } from './keyspace/db.ts'
import type { LoadedCommand } from './persistence/host.ts'
import type { KeyWait } from './sessions/blocked.ts'
import { newStreamSession } from './sessions/master-session.ts'
import type { Session } from './sessions/session.ts'
import type { Value } from './values/value.ts'

const QUEUED = simple('QUEUED')

/** Run at once even inside MULTI. */
const NEVER_QUEUED: ReadonlySet<string> = new Set([
  'exec',
  'discard',
  'multi',
  'watch',
  'quit',
  'reset',
])

/** Their expired keys are no part of one change: each deletion is told for itself. */
const WALKERS: ReadonlySet<string> = new Set(['scan', 'randomkey'])

/** A master of another kind may send what we do not know with every change. */
const MAX_UNAPPLIED_LOGGED = 100
const MAX_NAME_LOGGED = 64

/** What a file of commands is made of, besides commands about keys. */
const FRAME: ReadonlySet<string> = new Set(['select', 'multi', 'exec', 'discard'])
const LOADED: LoadedCommand = { kind: 'done' }

interface Replay {
  /** The first error reply. */
  error: string | undefined
}

export interface DispatchHooks {
  /** A session that was blocked may read on. */
  readonly onUnblocked: (session: Session) => void
}

export class Dispatcher implements CommandContext {
  readonly node: NodeServices
  readonly #table: CommandTable
  readonly #hooks: DispatchHooks
  readonly #effects: Effects
  /** Where the commands of a file are carried out. */
  readonly #loadSession: Session
  #session: Session | undefined
  #db: Db
  #argv: readonly string[] = []
  #commandName = ''
  /** While a command of a file is carried out. */
  #replay: Replay | undefined
  now: Moment

  constructor(node: NodeServices, table: CommandTable, hooks: DispatchHooks) {
    this.node = node
    this.#table = table
    this.#hooks = hooks
    this.#effects = new Effects((db, commands) => this.#tell(db, commands))
    this.#db = node.keyspace.dbs[0] as Db
    this.#loadSession = newStreamSession({ startedAt: node.startedAt, sink: node.sessions })
    this.now = node.startedAt
    node.keyspace.observer = this
  }

  get session(): Session {
    assert(this.#session !== undefined, 'a command runs in a session')
    return this.#session
  }

  get db(): Db {
    return this.#db
  }

  /** One request of a client. */
  run(session: Session, argv: readonly string[]): void {
    const { node } = this
    const command = this.#table.find(argv)
    if (command === undefined) return this.#refuse(session, undefined, this.#table.unknown(argv))
    session.lastCommand = command.fullName
    this.#enter(session)
    const refused = refusal(node, session, command, argv)
    if (refused !== undefined) {
      this.#refuse(session, command, refused)
      if (isFencing(refused)) node.farewell.fenced(session, this.now.monoMs)
      return
    }
    if (isHeldBack(node, session, command)) {
      node.pause.hold(session, argv)
      return
    }
    const { transaction } = session
    if (transaction !== undefined && !NEVER_QUEUED.has(command.fullName)) {
      transaction.add(command, argv)
      session.reply(QUEUED)
    } else {
      this.#runNow(session, command, argv)
    }
    if (session.blocked === undefined) this.#endReplyMode(session)
  }

  /** One command of the master's stream: no gate, no reply, nothing told to replicas. */
  apply(session: Session, argv: readonly string[]): void {
    const command = this.#table.find(argv)
    if (command === undefined || !acceptsArity(command, argv.length)) {
      this.#noteUnapplied(argv[0] ?? '')
      return
    }
    this.#enter(session)
    if (session.transaction !== undefined && !NEVER_QUEUED.has(command.fullName)) {
      session.transaction.add(command, argv)
      return
    }
    const reply = this.#call(command, argv)
    if (reply?.kind === 'error') {
      this.node.port.log('warning', `the master's ${command.fullName} failed here: ${reply.text}`)
    }
    this.serveReadyClients()
  }

  /** One command of a file that is loaded: as the master's stream, and it counts for nothing. */
  applyLoaded(argv: readonly string[]): LoadedCommand {
    const session = this.#loadSession
    const command = this.#table.find(argv)
    if (command === undefined) return { kind: 'unknown' }
    if (!acceptsArity(command, argv.length)) return loadFailure('wrong number of words')
    if (!isKept(command)) return loadFailure('it has no place in a file')
    this.#enter(session)
    if (session.transaction !== undefined && !NEVER_QUEUED.has(command.fullName)) {
      session.transaction.add(command, argv)
      return LOADED
    }
    this.#replay = { error: undefined }
    this.#call(command, argv)
    const { error } = this.#replay
    this.#replay = undefined
    return error === undefined ? LOADED : loadFailure(error)
  }

  propagate(argv: readonly string[] = this.#argv): void {
    if (this.#replay !== undefined) return
    if (!isMessage(argv)) this.node.stats.changes++
    // Replicas are told what our master tells them; only a file of our own needs to hear it from us.
    if (this.session.kind === 'master' && !this.node.persistence.aof.isOn) return
    this.#effects.add(this.#db.index, argv)
  }

  execute(argv: readonly string[]): Reply | undefined {
    const command = this.#table.find(argv)
    assert(command !== undefined, 'only known commands are queued')
    const refused = refusalAtExec(this.node, this.session, command, argv)
    if (refused !== undefined) return this.#refuseQueued(command, refused)
    this.#db = this.node.keyspace.dbs[this.session.db] as Db
    return this.#call(command, argv)
  }

  keyExpired(db: number, key: string): void {
    this.node.stats.expiredKeys++
    const argv = deletion(key, this.node.settings.flag('lazyfree-lazy-expire'))
    const isTogether = this.#effects.isCollecting && !WALKERS.has(this.#commandName)
    if (isTogether) this.#effects.add(db, argv)
    else this.#tell(db, [argv])
  }

  countLookup(isHit: boolean): void {
    if (isHit) this.node.stats.hits++
    else this.node.stats.misses++
  }

  keyAppeared(db: number, key: string): void {
    this.node.blocking.noteKey(db, key)
  }

  dataReplaced(keys: number): void {
    this.node.persistence.dataReplaced(keys)
  }

  #tell(db: number, commands: readonly (readonly string[])[]): void {
    this.node.replication.propagate(db, commands)
    this.node.persistence.propagate(db, commands)
  }

  /** Ends a wait with an answer; nothing happens if there is no wait. */
  unblock(session: Session, reply: Reply): void {
    if (session.blocked === undefined) return
    this.node.blocking.release(session)
    if (reply.kind === 'error') countError(this.node.stats, reply.text)
    session.reply(reply)
    this.#endReplyMode(session)
    this.#hooks.onUnblocked(session)
  }

  /** Gives what came into being to those who wait for it. */
  serveReadyClients(): void {
    const { blocking } = this.node
    // Moving an element to another list can make that one ready.
    while (blocking.hasReadyKeys) {
      for (const { db, key } of blocking.takeReadyKeys()) this.#serveKey(db, key)
    }
  }

  /** What an expired key means, and to whom the next changes belong. */
  #enter(session: Session): void {
    const { keyspace, replication, pause } = this.node
    this.#session = session
    this.#db = keyspace.dbs[session.db] as Db
    if (session.kind === 'master') keyspace.expiryMode = 'ignore'
    else if (replication.isReplica() || pause.scope !== undefined) keyspace.expiryMode = 'hide'
    else keyspace.expiryMode = 'delete'
  }

  #runNow(session: Session, command: Command, argv: readonly string[]): void {
    const reply = this.#call(command, argv)
    if (reply !== undefined) session.reply(reply)
    this.node.replication.commandExecuted(session)
    if (this.node.blocking.hasReadyKeys) this.serveReadyClients()
  }

  /** Runs a handler; its effects are told when the outermost command ends. */
  #call(command: Command, argv: readonly string[]): Reply | undefined {
    if (this.#replay !== undefined) return this.#callAgain(command, argv, this.#replay)
    const outerArgv = this.#argv
    this.#argv = argv
    this.#commandName = command.fullName
    command.calls++
    this.node.stats.commands++
    this.node.keyspace.countsLookups = command.isRead
    this.node.keyspace.touchesKeys = command.touchesKeys && this.#mayTouch(command)
    this.#effects.begin()
    const reply = command.handler(this, argv)
    this.#effects.end()
    this.#argv = outerArgv
    if (reply?.kind === 'error') {
      command.failedCalls++
      countError(this.node.stats, reply.text)
    }
    return reply
  }

  #callAgain(command: Command, argv: readonly string[], replay: Replay): Reply | undefined {
    this.node.keyspace.countsLookups = false
    const reply = command.handler(this, argv)
    if (reply?.kind === 'error') replay.error ??= reply.text
    return reply
  }

  /** From here on our data may differ from the master's, so it is counted for INFO. */
  #noteUnapplied(name: string): void {
    const count = ++this.node.stats.unappliedCommands
    if (count > MAX_UNAPPLIED_LOGGED) return
    const shown = name.slice(0, MAX_NAME_LOGGED).replace(/[^ -~]/g, '?')
    const rest = count < MAX_UNAPPLIED_LOGGED ? '' : ' (from now on they are only counted)'
    this.node.port.log('warning', `the master sent a command we do not know: ${shown}${rest}`)
  }

  /** CLIENT NO-TOUCH is for everything but the command whose only purpose it is. */
  #mayTouch(command: Command): boolean {
    return !this.session.noTouch || command.fullName === 'touch'
  }

  #refuseQueued(command: Command, reply: Reply): Reply {
    command.rejectedCalls++
    if (reply.kind === 'error') countError(this.node.stats, reply.text)
    return reply
  }

  #refuse(session: Session, command: Command | undefined, reply: Reply): void {
    const text = reply.kind === 'error' ? reply.text : ''
    if (command !== undefined) command.rejectedCalls++
    countError(this.node.stats, text)
    if (session.transaction !== undefined) session.transaction.isBroken = true
    if (command?.fullName === 'exec') {
      session.endTransaction()
      session.reply(execAborted(text))
    } else {
      session.reply(reply)
    }
    this.#endReplyMode(session)
  }

  /** CLIENT REPLY SKIP silences exactly the command after it. */
  #endReplyMode(session: Session): void {
    if (session.replyMode === 'skipNext') session.replyMode = 'skip'
    else if (session.replyMode === 'skip') session.replyMode = 'on'
  }

  #serveKey(dbIndex: number, key: string): void {
    /** Nothing is left for those who take elements of these types. */
    const exhausted = new Set<Value['type']>()
    for (const session of this.node.blocking.waitingFor(dbIndex, key)) {
      const wait = session.blocked?.wait
      if (wait === undefined || exhausted.has(wait.type)) continue
      const isServed = this.#serve(session, wait, dbIndex, key)
      // Readers of a stream take nothing away: each has to be asked.
      if (!isServed && wait.type !== 'stream') exhausted.add(wait.type)
    }
  }

  #serve(session: Session, wait: KeyWait, dbIndex: number, key: string): boolean {
    const { keyspace, replication } = this.node
    this.#enter(session)
    this.#db = keyspace.dbs[dbIndex] as Db
    this.#effects.begin()
    const reply = wait.serve(this, key)
    this.#effects.end()
    if (reply === undefined) return false
    this.unblock(session, reply)
    replication.commandExecuted(session)
    return true
  }
}

function isKept(command: Command): boolean {
  return command.hasKeys || FRAME.has(command.fullName)
}

function loadFailure(text: string): LoadedCommand {
  return { kind: 'failed', text }
}
