/**
 * Which commands are refused before they run, in Redis' order. The order is visible: a client
 * without a password learns nothing about roles, and a replica that lost its master says READONLY
 * to a write before it says MASTERDOWN.
 */

import { error, type Reply } from '../resp/reply.ts'
import { fitsArity } from '../session/commands.ts'
import { permissionRefusal } from './access/permission.ts'
import type { CommandInfo, Demands } from './catalogue/command-info.ts'
import type { NodeServices } from './context.ts'
import {
  BUSY_FUNCTION,
  BUSY_SCRIPT,
  DEBUG_NOT_ALLOWED,
  LOADING,
  MASTER_DOWN,
  NO_AUTH,
  NOT_IN_TRANSACTION,
  notAllowedWhenSubscribed,
  OUT_OF_MEMORY,
  READ_ONLY_REPLICA,
  REPLICA_KEYSPACE,
  wrongArity,
} from './errors.ts'
import type { ScriptFlags } from './scripting/run.ts'
import { declaredFlags } from './scripting/shebang.ts'
import { reachedAt } from './sessions/handoffs.ts'
import { HELLO_CHANNEL } from './sessions/sentinel-board.ts'
import type { ClientSession } from './sessions/session.ts'

/** The error that answers the command; undefined: the command may run. */
export function refusal(
  node: NodeServices,
  session: ClientSession,
  command: CommandInfo,
  argv: readonly string[],
  demands: Demands,
): Reply | undefined {
  const first = refusalToClient(node, session, command, argv, demands)
  if (first !== undefined) return first
  // It waits until the node is a master again or a replica, and is judged then.
  if (isHeldByFence(node, session) || awaitsRole(node, session)) return undefined
  return (
    strictRefusal(node, session, command, argv) ??
    memoryRefusal(node, session, command, argv, demands) ??
    refusalByState(node, session, command, demands)
  )
}

/** By what it says, who says it, and where the master is. */
function refusalToClient(
  node: NodeServices,
  session: ClientSession,
  command: CommandInfo,
  argv: readonly string[],
  demands: Demands,
): Reply | undefined {
  if (!fitsArity(command.arity, argv.length)) return wrongArity(command.fullName)
  if (command.isProtected && !mayDebug(node, session)) return DEBUG_NOT_ALLOWED
  if (!session.isAuthenticated && !command.isNoAuth && node.access.users.requiresAuth)
    return NO_AUTH
  if (session.transaction !== undefined && command.isNoMulti) return NOT_IN_TRANSACTION
  return (
    permissionRefusal(node, session, command, argv) ?? redirectOf(node, session, command, demands)
  )
}

/** [maxmemory] and the memory of the process. */
export function memoryRefusal(
  node: NodeServices,
  session: ClientSession,
  command: CommandInfo,
  argv: readonly string[],
  demands: Demands,
): Reply | undefined {
  if (!isTooMuch(node, session, command, argv, demands)) return undefined
  node.stats.outOfMemory++
  return OUT_OF_MEMORY
}

/** By what the node can do at present. */
function refusalByState(
  node: NodeServices,
  session: ClientSession,
  command: CommandInfo,
  demands: Demands,
): Reply | undefined {
  const isWrite = demands.isWrite || (command.runsQueue && session.transaction?.hasWrite === true)
  const refused =
    (isWrite || command.needsDisk ? diskRefusal(node) : undefined) ??
    (isWrite ? writeRefusal(node, session) : undefined)
  if (refused !== undefined) return refused
  if (session.protocol === 2 && session.isSubscribed && !command.isForSubscribers) {
    return notAllowedWhenSubscribed(command.fullName)
  }
  if (isMasterMissed(node, session, command, demands)) return MASTER_DOWN
  if (node.persistence.isLoading && !command.isForLoading) return LOADING
  if (node.scripting.isInterrupted && !command.isForBusy) return busyError(node)
  const isReplica = session.kind === 'replica' || session.isMonitor
  if (isReplica && command.hasKeys) return REPLICA_KEYSPACE
  return undefined
}

/**
 * Whether all commands of the client that read keys, or all that write them, may run as things are: only their own words and
 * the memory can be a reason against one, and only clients that wait for its keys are told of it. This holds until
 * the input ends, or a command of another sort runs. `command`: one of which the node asks as much as of any of them.
 */
export function isOpenTo(
  node: NodeServices,
  session: ClientSession,
  command: CommandInfo,
  argv: readonly string[],
): boolean {
  const { pause, replication, monitors, keyspace, scripting } = node
  if (session.transaction !== undefined || session.account?.isUnrestricted !== true) return false
  if (session.replyMode !== 'on' || session.tracking !== undefined) return false
  if (pause.scope !== undefined || replication.strict.isOn || scripting.isInterrupted) return false
  if (monitors.isOn || keyspace.tracker !== undefined) return false
  const refused =
    refusalToClient(node, session, command, argv, command) ??
    refusalByState(node, session, command, command)
  return refused === undefined
}

/** A script that declares what it does is judged by that before it runs; every other command by its flags. */
export function demandsOf(
  node: NodeServices,
  command: CommandInfo,
  argv: readonly string[],
): Demands {
  const { runs } = command.traits
  const flags = runs === undefined ? undefined : flagsOfScript(node, runs, argv[1] ?? '')
  if (flags === undefined || flags.isOldStyle) return command
  return {
    isWrite: !flags.noWrites,
    mayReplicate: false,
    isStale: flags.allowStale,
    needsMemory: !flags.noWrites && !flags.allowOom,
  }
}

function flagsOfScript(
  { scripting, functions }: NodeServices,
  runs: NonNullable<CommandInfo['traits']['runs']>,
  script: string,
): ScriptFlags | undefined {
  if (runs === 'source') return declaredFlags(script)
  return runs === 'digest' ? scripting.scripts.find(script)?.flags : functions.find(script)?.flags
}

/**
 * The command neither shows nor changes data, so its answer need not wait for voters. Sentinels say
 * hello to one another at any time.
 */
export function isPlain(
  { transaction, watch }: ClientSession,
  command: CommandInfo,
  argv: readonly string[],
): boolean {
  if (command.isMessage) return argv[1] === HELLO_CHANNEL
  if (command.runsQueue) return transaction?.showsData === false && watch === undefined
  if (command.hasKeys || command.isRead || command.isWrite) return false
  return !command.mayReplicate && !command.runsScript
}

/** [sync-replication] Only a master with enough voters answers, and writes elsewhere are told so by READONLY. */
function strictRefusal(
  node: NodeServices,
  session: ClientSession,
  command: CommandInfo,
  argv: readonly string[],
): Reply | undefined {
  const { strict } = node.replication
  if (!strict.isOn || isPlain(session, command, argv)) return undefined
  if (command.isWrite && node.replication.isReplica() && !strict.isIdle) return undefined
  const text = strict.refusal()
  return text === undefined ? undefined : error(text)
}

/** Where a client of Valkey's kind finds the master, if it asked to be told: CLIENT CAPA REDIRECT. */
function redirectOf(
  { replication, settings }: NodeServices,
  session: ClientSession,
  command: CommandInfo,
  demands: Demands,
): Reply | undefined {
  if (!session.takesRedirects || !replication.isReplica()) return undefined
  if (!demands.isWrite && (!command.isRead || session.readsReplica)) return undefined
  const { master } = replication
  if (master === undefined) return undefined
  const { host, port } = reachedAt(settings, session, master)
  // As Valkey writes it, an IPv6 address without brackets.
  return error(`REDIRECT ${host}:${port}`)
}

/** A script or a function runs, and has been running for long. */
export function busyError({ scripting }: NodeServices): Reply {
  return scripting.run?.kind === 'function' ? BUSY_FUNCTION : BUSY_SCRIPT
}

/** Whether the command is queued in a transaction. */
export function waitsForExec(session: ClientSession, command: CommandInfo): boolean {
  return session.transaction !== undefined && !command.isNotQueued
}

/** Whether a write was refused because too few replicas would have it. */
export function isFencing(refused: Reply): boolean {
  return refused.kind === 'error' && refused.text.startsWith('NOREPLICAS ')
}

/** Whether the command waits because its master was fenced, and may soon be the master again or a replica. */
function isHeldByFence({ pause }: NodeServices, session: ClientSession): boolean {
  return pause.has('fence') && !session.isPlain && session.kind !== 'replica'
}

/** [sync-replication] Whether the command waits because its client came here for the role, which is to come. */
function awaitsRole({ handoffs, now, replication }: NodeServices, session: ClientSession): boolean {
  return replication.strict.isOn && !session.isPlain && handoffs.isHeld(session, now.monoMs)
}

/** Whether CLIENT PAUSE holds the command back at the moment. */
export function isHeldBack(
  node: NodeServices,
  session: ClientSession,
  command: CommandInfo,
  demands: Demands,
): boolean {
  if (node.pause.scope === undefined || session.kind === 'replica') return false
  if (node.replication.failover.mayStillWrite(session)) return false
  if (node.pause.scope === 'all') return true
  // Sentinels say hello here, and must be able to go on: only clients that came for the role wait for it.
  if (node.pause.isOnlyFor('takeover') && session.handoff === undefined) return false
  if (node.pause.scope === 'data') return !session.isPlain
  // A hello changes nothing. If it waited, so would the PING behind it, and the Sentinel would call the node down.
  if (command.isMessage && session.isPlain) return false
  // Nor does a transaction of hellos wait while a strict master prepares to hand over.
  if (node.replication.strict.isOn && node.pause.isOnlyFor('failover') && session.isPlain) {
    return false
  }
  const mayReplicate = demands.isWrite || demands.mayReplicate
  return mayReplicate || (command.runsQueue && session.transaction?.mayReplicate === true)
}

/**
 * PING is refused too, so that Sentinels see the node as down and choose one that keeps its writes.
 */
function diskRefusal(node: NodeServices): Reply | undefined {
  const text = node.persistence.refusal()
  return text === undefined ? undefined : error(text)
}

function writeRefusal(node: NodeServices, session: ClientSession): Reply | undefined {
  const tooFewReplicas = node.replication.refusal()
  if (tooFewReplicas !== undefined) return error(tooFewReplicas)
  if (!isReadOnlyReplica(node) || node.handoffs.isHeld(session, node.now.monoMs)) return undefined
  return READ_ONLY_REPLICA
}

export function isReadOnlyReplica(node: NodeServices): boolean {
  return node.replication.isReplica() && node.settings.flag('replica-read-only')
}

/** Whether there is no room for it, neither below [maxmemory] nor on the heap of the process. */
function isTooMuch(
  node: NodeServices,
  session: ClientSession,
  command: CommandInfo,
  argv: readonly string[],
  demands: Demands,
): boolean {
  // Nothing is evicted in the middle of a script.
  const isShort = !node.scripting.isInterrupted && node.eviction.makeRoom()
  if (!needsMemory(session, command, demands)) return false
  return isShort || (node.heap.refuses(command, argv) && !isReadOnlyReplica(node))
}

/** Any command that is queued takes memory. */
function needsMemory(session: ClientSession, command: CommandInfo, demands: Demands): boolean {
  if (demands.needsMemory || waitsForExec(session, command)) return true
  return command.runsQueue && session.transaction?.needsMemory === true
}

/**
 * [replica-serve-stale-data] A replica without its master may refuse commands that depend on the
 * data.
 */
function isMasterMissed(
  node: NodeServices,
  session: ClientSession,
  command: CommandInfo,
  demands: Demands,
): boolean {
  if (demands.isStale && !(command.runsQueue && session.transaction?.needsFreshData === true)) {
    return false
  }
  return missesMaster(node)
}

/** A replica without its master, which is not to answer from old data. */
export function missesMaster(node: NodeServices): boolean {
  if (!node.replication.isReplica() || node.replication.linkUp()) return false
  return !node.settings.flag('replica-serve-stale-data')
}

function mayDebug({ settings }: NodeServices, session: ClientSession): boolean {
  return settings.permits('enable-debug-command', session.ends.remoteHost)
}
