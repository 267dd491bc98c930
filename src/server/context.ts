/**
 * What a command may use. There is one context per node; `session` and `db` are those of the command
 * being executed, and `node` is everything that outlives it.
 */
import type { Moment } from '../base/clock.ts'
import type { Rng } from '../base/rng.ts'
import type { Reply } from '../resp/reply.ts'
import type { NodeAccess } from './access/access.ts'
import type { CommandInfo } from './catalogue/command-info.ts'
import type { FunctionStore } from './functions.ts'
import type { Stats } from './info/stats.ts'
import type { Db } from './keyspace/db.ts'
import type { ExpiryCycle } from './keyspace/expiry.ts'
import type { Keyspace } from './keyspace/keyspace.ts'
import type { ScanCursors } from './keyspace/scan.ts'
import type { Persistence } from './persistence/persistence.ts'
import type { NodePort } from './port.ts'
import type { Replication } from './replication/replication.ts'
import type { Blocking } from './sessions/blocking.ts'
import type { Farewell } from './sessions/farewell.ts'
import type { Pause } from './sessions/pause.ts'
import type { PubSub } from './sessions/pubsub.ts'
import type { Session } from './sessions/session.ts'
import type { Sessions } from './sessions/sessions.ts'
import type { Stall } from './sessions/stall.ts'
import type { Settings } from './settings/settings.ts'

/** The table of commands, for those that are about commands. */
export interface CommandDirectory {
  /** By lower-case name; subcommands are within theirs. */
  readonly all: ReadonlyMap<string, CommandInfo>
  /** The command or subcommand the words name. */
  find(argv: readonly string[]): CommandInfo | undefined
  /** By full name, `get` or `config|get`. */
  findByName(fullName: string): CommandInfo | undefined
  /** Commands and subcommands. */
  everyCommand(): Iterable<CommandInfo>
}

export interface NodeServices {
  readonly keyspace: Keyspace
  readonly settings: Settings
  readonly port: NodePort
  readonly rng: Rng
  readonly table: CommandDirectory
  readonly sessions: Sessions
  readonly access: NodeAccess
  /** The moment of the present turn. */
  readonly clock: () => Moment
  readonly pubsub: PubSub
  readonly blocking: Blocking
  readonly pause: Pause
  readonly farewell: Farewell
  readonly stall: Stall
  readonly expiryCycle: ExpiryCycle
  readonly scans: ScanCursors
  /** Libraries of server-side functions, kept for those who can run them. */
  readonly functions: FunctionStore
  readonly replication: Replication
  readonly persistence: Persistence
  readonly stats: Stats
  /** 40 hex characters, new at every start. */
  readonly runId: string
  readonly startedAt: Moment
  /** Whether CONFIG REWRITE has a file to stand beside. */
  readonly hasConfigFile: boolean
  /** Answers a blocked session, which then reads on. */
  unblock(session: Session, reply: Reply): void
}

export interface CommandContext {
  readonly node: NodeServices
  readonly session: Session
  readonly db: Db
  readonly now: Moment
  /**
   * Tells replicas what the command did: `argv`, or the command as it was typed. May be called more
   * than once. A command that changed nothing does not call it.
   */
  propagate(argv?: readonly string[]): void
  /** Runs one queued command of the current session and gives its reply. */
  execute(argv: readonly string[]): Reply | undefined
}
