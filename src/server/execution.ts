/**
 * Running commands: the context their handlers see, and what follows from what they did. Effects of one
 * command, or of one transaction, are gathered and told to replicas and to the append-only file together,
 * when the outermost command ends. Whether a command may run has been decided before, see gate.ts.
 */
import { assert } from '../base/assert.ts'
import type { Moment } from '../base/clock.ts'
import type { Reply } from '../resp/reply.ts'
import { refusalAtExec } from './access/permission.ts'
import type { Command } from './catalogue/command.ts'
import type { CommandTable } from './catalogue/command-table.ts'
import type { CommandContext, NodeServices } from './context.ts'
import { deletion, Effects, isMessage } from './effects.ts'
import { countError } from './info/stats.ts'
import type { Db } from './keyspace/db.ts'
import type { Scene } from './sessions/scene.ts'
import type { Session } from './sessions/session.ts'

/** Their expired keys are no part of one change: each deletion is told for itself. */
const WALKERS: ReadonlySet<string> = new Set(['scan', 'randomkey'])

interface Replay {
  /** The first error reply. */
  error: string | undefined
}

export class Execution implements CommandContext {
  readonly node: NodeServices
  readonly #table: CommandTable
  readonly #effects: Effects
  #session: Session | undefined
  #db: Db
  #argv: readonly string[] = []
  #commandName = ''
  /** While a command of a file is carried out. */
  #replay: Replay | undefined
  now: Moment

  constructor(node: NodeServices, table: CommandTable) {
    this.node = node
    this.#table = table
    this.#effects = new Effects((db, commands) => this.#tell(db, commands))
    this.#db = node.keyspace.dbs[0] as Db
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

  /** What an expired key means, and to whom the next changes belong. */
  enter(session: Session): void {
    const { keyspace, replication, pause } = this.node
    this.#session = session
    this.#db = keyspace.dbs[session.db] as Db
    if (session.kind === 'master') keyspace.expiryMode = 'ignore'
    else if (replication.isReplica() || pause.scope !== undefined) keyspace.expiryMode = 'hide'
    else keyspace.expiryMode = 'delete'
  }

  /** Runs a handler; its effects are told when the outermost command ends. */
  call(command: Command, argv: readonly string[]): Reply | undefined {
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

  /** Runs a command of a file: it counts for nothing and nobody is told. Gives its first error. */
  replay(command: Command, argv: readonly string[]): string | undefined {
    const replay: Replay = { error: undefined }
    this.#replay = replay
    this.call(command, argv)
    this.#replay = undefined
    return replay.error
  }

  /** Lets something be done in the name of a client that has waited, as if a command had done it. */
  act(
    session: Session,
    dbIndex: number,
    act: (scene: Scene) => Reply | undefined,
  ): Reply | undefined {
    this.enter(session)
    this.#db = this.node.keyspace.dbs[dbIndex] as Db
    this.#effects.begin()
    const reply = act(this)
    this.#effects.end()
    return reply
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
    return this.call(command, argv)
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

  #callAgain(command: Command, argv: readonly string[], replay: Replay): Reply | undefined {
    this.node.keyspace.countsLookups = false
    const reply = command.handler(this, argv)
    if (reply?.kind === 'error') replay.error ??= reply.text
    return reply
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
}
