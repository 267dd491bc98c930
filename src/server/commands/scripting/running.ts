/**
 * What a script may do before it runs and with each command, in Redis' order; and the run itself.
 * A script whose first line says what it does is refused as a whole; of another one each command is.
 */
import type { Moment } from '../../../base/clock.ts'
import { error, type Reply } from '../../../resp/reply.ts'
import { fitsArity } from '../../../session/commands.ts'
import { denialInScript, mayRunInScript } from '../../access/permission.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import type { CommandInfo } from '../../catalogue/command-info.ts'
import type { CommandContext, NodeServices } from '../../context.ts'
import type { EffectTargets } from '../../effects.ts'
import {
  MASTER_DOWN,
  NOT_AN_INTEGER,
  OUT_OF_MEMORY,
  READ_ONLY_REPLICA,
  TOO_MANY_KEYS,
} from '../../errors.ts'
import { isReadOnlyReplica, missesMaster } from '../../gate.ts'
import { countError } from '../../info/stats.ts'
import type { NodeLogLevel } from '../../port.ts'
import type { RunningScript, ScriptFlags } from '../../scripting/run.ts'
import { newScriptSession } from '../../sessions/master-session.ts'
import type { ClientSession } from '../../sessions/session.ts'

const STALE_SCRIPT = error(
  "MASTERDOWN Link with MASTER is down, replica-serve-stale-data is set to 'no' and 'allow-stale' " +
    'flag is not set on the script.',
)
const READ_ONLY_SCRIPT = error('READONLY Can not run script with write flag on readonly replica.')
const WRITE_FLAG = error('ERR Can not execute a script with write flag using *_ro command.')
const OOM_SCRIPT = error(
  "OOM allow-oom flag is not set on the script, can not run it when used memory > 'maxmemory'",
)
const NEGATIVE_KEYS = error("ERR Number of keys can't be negative")
const UNKNOWN = 'ERR Unknown Redis command called from script'
const WRONG_ARITY = error('ERR Wrong number of args calling Redis command from script')
const NOT_FROM_SCRIPT = error('ERR This Redis command is not allowed from script')
const WRITE_IN_READ_ONLY = error('ERR Write commands are not allowed from read-only scripts.')
const STALE_COMMAND = error('ERR Can not execute the command on a stale replica')
const DENIED = {
  command: error("ERR The user executing the script can't run this command or subcommand"),
  key: error(
    "ERR The user executing the script can't access at least one of the keys mentioned in the " +
      'command arguments',
  ),
  channel: error(
    "ERR The user executing the script can't publish to the channel mentioned in the command",
  ),
} as const

export interface ScriptArguments {
  readonly keys: readonly string[]
  readonly args: readonly string[]
}

/** The words after the script: how many keys, the keys, the rest. */
export function scriptArguments(
  argv: readonly string[],
  notAnInteger: Reply = NOT_AN_INTEGER,
): ScriptArguments | Reply {
  const count = parseInteger(argv[2])
  if (count === undefined) return notAnInteger
  if (count > argv.length - 3) return TOO_MANY_KEYS
  if (count < 0) return NEGATIVE_KEYS
  return { keys: argv.slice(3, 3 + count), args: argv.slice(3 + count) }
}

/** The error that answers the script as a whole. */
export function scriptRefusal(
  { node, session }: CommandContext,
  flags: ScriptFlags,
  isReadOnly: boolean,
): Reply | undefined {
  if (isObeyed(session)) return undefined
  const isStale = missesMaster(node)
  if (flags.isOldStyle) return isStale ? MASTER_DOWN : undefined
  if (isStale && !flags.allowStale) return STALE_SCRIPT
  if (!flags.noWrites) {
    if (isReadOnlyReplica(node)) return READ_ONLY_SCRIPT
    const disk = node.persistence.refusal()
    if (disk !== undefined) return error(disk)
    if (isReadOnly) return WRITE_FLAG
    const tooFewReplicas = node.replication.refusal()
    if (tooFewReplicas !== undefined) return error(tooFewReplicas)
    if (!flags.allowOom && (node.eviction.isShort || node.heap.isRefusing)) {
      node.stats.outOfMemory++
      return OOM_SCRIPT
    }
  }
  return undefined
}

/** A script or a function that a client, our master or a file runs. `name`: as errors end with it. */
export class ClientRun implements RunningScript {
  readonly kind: RunningScript['kind']
  readonly name: string
  readonly argv: readonly string[]
  readonly session: ClientSession
  readonly flags: ScriptFlags
  readonly isReadOnly: boolean
  readonly isObeyed: boolean
  readonly startedAt: Moment
  hasWritten = false
  readonly #context: CommandContext

  constructor(
    context: CommandContext,
    argv: readonly string[],
    kind: RunningScript['kind'],
    name: string,
    flags: ScriptFlags,
    isReadOnly: boolean,
  ) {
    this.#context = context
    this.kind = kind
    this.name = name
    this.argv = argv
    this.flags = flags
    this.isReadOnly = isReadOnly
    this.isObeyed = isObeyed(context.session)
    this.startedAt = context.now
    this.session = sessionFor(context)
  }

  call(argv: readonly string[]): Reply {
    return this.#context.executeInScript(this.session, argv, this.#refuse) ?? this.#unknown()
  }

  /** No command counts this error, and the script may hand it on as one that has been counted. */
  #unknown(): Reply {
    countError(this.#context.node.stats, UNKNOWN)
    return error(UNKNOWN)
  }

  mayRun(argv: readonly string[]): boolean | undefined {
    const command = this.#context.node.table.find(argv)
    return command && mayRunInScript(this.session, command, argv)
  }

  setTargets(targets: EffectTargets): void {
    this.#context.setTargets(targets)
  }

  log(level: NodeLogLevel, text: string): void {
    this.#context.node.port.log(level, text)
  }

  readonly #refuse = (command: CommandInfo, argv: readonly string[]): Reply | undefined => {
    const refused = commandRefusal(this.#context.node, this, command, argv)
    if (refused === undefined && command.isWrite) this.hasWritten = true
    return refused
  }
}

/** The session of a script: the rights and the database of its caller. One serves all. */
function sessionFor({ session: caller, now, node: { scripting } }: CommandContext): ClientSession {
  scripting.session ??= newScriptSession(now)
  const { session } = scripting
  // Its commands do what they did on the master, such as to write down what PFCOUNT counted.
  session.kind = isObeyed(caller) ? 'master' : 'normal'
  session.account = caller.account
  session.db = caller.db
  session.noTouch = caller.noTouch
  session.protocol = 2
  return session
}

/** The commands of a file run in such a session, too. */
function isObeyed({ kind }: ClientSession): boolean {
  return kind === 'master'
}

function commandRefusal(
  node: NodeServices,
  run: RunningScript,
  command: CommandInfo,
  argv: readonly string[],
): Reply | undefined {
  if (!fitsArity(command.arity, argv.length)) return WRONG_ARITY
  if (command.isNoScript && !node.scriptsMayCallAny) return NOT_FROM_SCRIPT
  if (run.isObeyed) return undefined
  if (missesMaster(node) && !command.isStale) return STALE_COMMAND
  const denied = denialInScript(node, run.session, command, argv)
  if (denied !== undefined) return DENIED[denied.reason]
  const isWrite = command.isWrite || command.mayReplicate
  if (isWrite && (run.isReadOnly || run.flags.noWrites)) return WRITE_IN_READ_ONLY
  // What has begun to write goes on, whatever the disk, the replicas and the memory say meanwhile: the rest of
  // a script is worse to lose.
  if (run.hasWritten) return undefined
  if (command.isWrite) {
    if (isReadOnlyReplica(node)) return READ_ONLY_REPLICA
    const disk = node.persistence.refusal()
    if (disk !== undefined) return error(disk)
    const tooFewReplicas = node.replication.refusal()
    if (tooFewReplicas !== undefined) return error(tooFewReplicas)
  }
  const isBound = command.needsMemory && !run.flags.allowOom
  if (isBound && (node.eviction.isShort || node.heap.refuses(command, argv))) {
    node.stats.outOfMemory++
    return OUT_OF_MEMORY
  }
  return undefined
}
