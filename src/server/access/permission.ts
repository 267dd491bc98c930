/** Whether the user of a client may run a command, with the keys and channels that it names. */
import {
  type AclRequest,
  channelUses,
  type Denial,
  denial,
  type KeyUse,
  mayReadAll,
} from '../../acl/check.ts'
import { deniedObject, noPermission, noPermissionAnyMore } from '../../acl/denial-texts.ts'
import type { Reply } from '../../resp/reply.ts'
import type { CommandInfo } from '../catalogue/command-info.ts'
import { type KeyPlace, keyPlaces } from '../catalogue/key-spec.ts'
import type { CommandContext, NodeServices } from '../context.ts'
import { clientLine } from '../sessions/client-line.ts'
import type { ClientSession } from '../sessions/session.ts'

/** The error that answers the command, noted in ACL LOG as well; undefined: the user may run it. */
export function permissionRefusal(
  node: NodeServices,
  session: ClientSession,
  command: CommandInfo,
  argv: readonly string[],
): Reply | undefined {
  const context = session.transaction === undefined ? 'toplevel' : 'multi'
  const denied = deniedTo(node, session, command, argv, context)
  return denied && noPermission(denied, command.fullName)
}

/** The same for a queued command when EXEC runs it: the rules may have changed since. */
export function refusalAtExec(
  node: NodeServices,
  session: ClientSession,
  command: CommandInfo,
  argv: readonly string[],
): Reply | undefined {
  const denied = deniedTo(node, session, command, argv, 'multi')
  return denied && noPermissionAnyMore(denied)
}

/** Why a script of the client may not run a command; noted in ACL LOG. */
export function denialInScript(
  node: NodeServices,
  session: ClientSession,
  command: CommandInfo,
  argv: readonly string[],
): Denial | undefined {
  return deniedTo(node, session, command, argv, 'lua')
}

/** The same as a question, which is not noted. */
export function mayRunInScript(
  session: ClientSession,
  command: CommandInfo,
  argv: readonly string[],
): boolean {
  const { account } = session
  if (account === undefined || account.isUnrestricted) return true
  return denial(account.user, aclRequest(command, argv)) === undefined
}

/** Whether a command may read keys that are not among its arguments, as SORT's patterns do. */
export function mayReadAnyKey({ node, session }: CommandContext, argv: readonly string[]): boolean {
  const { account } = session
  if (account === undefined || account.isUnrestricted) return true
  const command = node.table.find(argv)
  return command === undefined || mayReadAll(account.user, aclRequest(command, argv))
}

/** The master's stream has no user and may do everything. */
function deniedTo(
  node: NodeServices,
  session: ClientSession,
  command: CommandInfo,
  argv: readonly string[],
  context: 'toplevel' | 'multi' | 'lua',
): Denial | undefined {
  const { account } = session
  if (account === undefined || account.isUnrestricted) return undefined
  const request = aclRequest(command, argv)
  const denied = denial(account.user, request)
  if (denied === undefined) return undefined
  const object = deniedObject(denied, request)
  const nowMs = node.now.monoMs
  const clientInfo = clientLine(node, session, nowMs)
  const { reason } = denied
  node.access.log.add({ reason, context, object, username: account.name, clientInfo }, nowMs)
  return denied
}

export function aclRequest(command: CommandInfo, argv: readonly string[]): AclRequest {
  return {
    name: command.fullName,
    isForEverybody: command.isNoAuth,
    argv,
    keys: () => keyUses(command, argv),
    channels: () => channelUses(command.traits.channels, argv),
  }
}

/** If the arguments do not say where the keys are, the command itself refuses them. */
function keyUses(command: CommandInfo, argv: readonly string[]): readonly KeyUse[] {
  const places = keyPlaces(command.keySpecs, argv) ?? []
  return places.filter(({ flags }) => !flags.includes('not_key')).map(toUse(command, argv))
}

const WRITING: readonly string[] = ['insert', 'delete', 'update']

function toUse(
  { traits: { readsKeys, writesKeys } }: CommandInfo,
  argv: readonly string[],
): (place: KeyPlace) => KeyUse {
  return ({ at, flags }) => ({
    at,
    reads: flags.includes('access') && readsKeys?.(argv) !== false,
    writes: WRITING.some((flag) => flags.includes(flag)) && writesKeys?.(argv) !== false,
  })
}
