/**
 * Which commands are refused before they run, in Redis' order. The order is visible: a client without a
 * password learns nothing about roles, and a replica that lost its master says READONLY to a write
 * before it says MASTERDOWN.
 */
import { error, type Reply } from '../resp/reply.ts'
import { permissionRefusal } from './access/permission.ts'
import { acceptsArity, type CommandInfo } from './catalogue/command-info.ts'
import type { NodeServices } from './context.ts'
import {
  DEBUG_NOT_ALLOWED,
  LOADING,
  MASTER_DOWN,
  NO_AUTH,
  NOT_IN_TRANSACTION,
  notAllowedWhenSubscribed,
  READ_ONLY_REPLICA,
  REPLICA_KEYSPACE,
  wrongArity,
} from './errors.ts'
import { isLoopback } from './sessions/addresses.ts'
import type { Session } from './sessions/session.ts'

/** Run at once even inside MULTI. */
const NEVER_QUEUED: ReadonlySet<string> = new Set([
  'exec',
  'discard',
  'multi',
  'watch',
  'quit',
  'reset',
])

/** The error that answers the command, or undefined: it may run. */
export function refusal(
  node: NodeServices,
  session: Session,
  command: CommandInfo,
  argv: readonly string[],
): Reply | undefined {
  if (!acceptsArity(command, argv.length)) return wrongArity(command.fullName)
  if (command.fullName === 'debug' && !mayDebug(node, session)) return DEBUG_NOT_ALLOWED
  if (!session.isAuthenticated && !command.isNoAuth && node.access.users.requiresAuth)
    return NO_AUTH
  if (session.transaction !== undefined && command.isNoMulti) return NOT_IN_TRANSACTION
  const forbidden = permissionRefusal(node, session, command, argv)
  if (forbidden !== undefined) return forbidden
  const isWrite = command.isWrite || (isExec(command) && session.transaction?.hasWrite === true)
  if (isWrite || command.fullName === 'ping') {
    const refused = diskRefusal(node)
    if (refused !== undefined) return refused
  }
  if (isWrite) {
    const refused = writeRefusal(node)
    if (refused !== undefined) return refused
  }
  if (session.protocol === 2 && session.isSubscribed && !command.isForSubscribers) {
    return notAllowedWhenSubscribed(command.fullName)
  }
  if (isMasterMissed(node, session, command)) return MASTER_DOWN
  if (node.persistence.isLoading && !command.isForLoading) return LOADING
  if (session.kind === 'replica' && command.hasKeys) return REPLICA_KEYSPACE
  return undefined
}

/** Whether the command is queued in a transaction. */
export function waitsForExec(session: Session, command: CommandInfo): boolean {
  return session.transaction !== undefined && !NEVER_QUEUED.has(command.fullName)
}

/** The write was refused because too few replicas would have it. */
export function isFencing(refused: Reply): boolean {
  return refused.kind === 'error' && refused.text.startsWith('NOREPLICAS ')
}

/** Whether CLIENT PAUSE holds the command back at the moment. */
export function isHeldBack(node: NodeServices, session: Session, command: CommandInfo): boolean {
  if (node.pause.scope === undefined || session.kind === 'replica') return false
  if (node.pause.scope === 'all') return true
  const mayReplicate = command.isWrite || command.mayReplicate
  return mayReplicate || (isExec(command) && session.transaction?.mayReplicate === true)
}

/** For PING too, so that a Sentinel takes the node for down and chooses one that keeps what it is told. */
function diskRefusal(node: NodeServices): Reply | undefined {
  const text = node.persistence.refusal()
  return text === undefined ? undefined : error(text)
}

function writeRefusal(node: NodeServices): Reply | undefined {
  const tooFewReplicas = node.replication.refusal()
  if (tooFewReplicas !== undefined) return error(tooFewReplicas)
  const isReadOnly = node.replication.isReplica() && node.settings.flag('replica-read-only')
  return isReadOnly ? READ_ONLY_REPLICA : undefined
}

/** A replica without its master may be told to answer nothing that depends on the data. */
function isMasterMissed(node: NodeServices, session: Session, command: CommandInfo): boolean {
  if (command.isStale && !(isExec(command) && session.transaction?.needsFreshData === true)) {
    return false
  }
  if (!node.replication.isReplica() || node.replication.linkUp()) return false
  return !node.settings.flag('replica-serve-stale-data')
}

function mayDebug(node: NodeServices, session: Session): boolean {
  const allowed = node.settings.text('enable-debug-command')
  return allowed === 'yes' || (allowed === 'local' && isLoopback(session.ends.remoteHost))
}

function isExec(command: CommandInfo): boolean {
  return command.fullName === 'exec'
}
