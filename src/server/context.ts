/**
 * What a command may use. There is one context per node; `session` and `db` belong to the command
 * being executed, and `node` is everything that outlives it.
 */
import type { ByteCodec } from '../base/byte-codec.ts'
import type { Moment } from '../base/clock.ts'
import type { Rng } from '../base/rng.ts'
import type { Reply } from '../resp/reply.ts'
import type { CommandInfo } from './catalogue/command-info.ts'
import type { EffectTargets } from './effects.ts'
import type { Db } from './keyspace/db.ts'
import type { ExpiryCycle } from './keyspace/expiry.ts'
import type { ScanCursors } from './keyspace/scan.ts'
import type { Eviction } from './memory/eviction.ts'
import type { MemoryUse } from './memory/memory-use.ts'
import type { Migration } from './migration/migration.ts'
import type { NodeBase } from './node-base.ts'
import type { Persistence } from './persistence/persistence.ts'
import type { Replication } from './replication/replication.ts'
import type { ToldEffect } from './sessions/effect-context.ts'
import type { KeyspaceEvent } from './sessions/keyspace-event.ts'
import type { ClientSession } from './sessions/session.ts'

/** The table of commands, for commands that are about commands. */
export interface CommandDirectory {
  /** By lower-case name; each contains its subcommands. */
  readonly all: ReadonlyMap<string, CommandInfo>
  /** The words of a client with the command's own name, see [rename-command]; undefined: it has none. */
  inOwnWords(argv: readonly string[]): readonly string[] | undefined
  /** The command or subcommand that the words name. */
  find(argv: readonly string[]): CommandInfo | undefined
  /** The keys that the words name; if the words do not tell, the first argument. */
  keysIn(argv: readonly string[]): readonly string[]
  /** By full name, `get` or `config|get`. */
  findByName(fullName: string): CommandInfo | undefined
  /** Commands and subcommands. */
  everyCommand(): Iterable<CommandInfo>
}

/** The base of the node, and what is built on it. */
export interface NodeServices extends NodeBase {
  /** The randomness of commands. */
  readonly rng: Rng
  readonly byteCodec: ByteCodec
  readonly table: CommandDirectory
  readonly expiryCycle: ExpiryCycle
  readonly scans: ScanCursors
  readonly replication: Replication
  readonly persistence: Persistence
  readonly migration: Migration
  readonly memory: MemoryUse
  readonly eviction: Eviction
  /** Whether there is a configuration file, beside which CONFIG REWRITE keeps the changes. */
  readonly hasConfigFile: boolean
}

export interface CommandContext {
  readonly node: NodeServices
  readonly session: ClientSession
  readonly db: Db
  readonly now: Moment
  /**
   * Tells replicas the effect of the command, or the command as it was sent. May be called
   * more than once. A command that changed nothing does not call it. `changes`: how many elements
   * changed, which [save] counts; 1 unless given.
   */
  propagate(effect?: ToldEffect, changes?: number): void
  /** Changes for [save] that are not counted as the effects by which replicas hear of them. */
  countChanges(changes: number): void
  /** Tells subscribers what happened to the key, which is in `db` unless another one is given. */
  notify(event: KeyspaceEvent, key: string, db?: Db): void
  /** Runs one queued command of the current session and returns its reply. */
  execute(argv: readonly string[]): Reply | undefined
  /**
   * Runs a command of a script in the script's session, unless `refuse` answers it. Undefined: there
   * is no such command.
   */
  executeInScript(
    session: ClientSession,
    argv: readonly string[],
    refuse: (command: CommandInfo, argv: readonly string[]) => Reply | undefined,
  ): Reply | undefined
  /** From now on, and until the outermost command ends, only these are told of effects. */
  setTargets(targets: EffectTargets): void
  /** The command waits for a script to end; `step` then does the rest and returns its reply. */
  whenScriptEnds(step: (reply: Reply | undefined) => Reply | undefined): void
  /** Whether the present command waits for a script. */
  readonly isInterrupted: boolean
}
