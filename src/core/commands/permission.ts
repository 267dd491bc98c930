/** Whether a client's user may give a command, with the channels it names. */
import { type AclRequest, channelUses, denial } from '../../acl/check.ts'
import { deniedObject, noPermission } from '../../acl/denial-texts.ts'
import type { Reply } from '../../resp/reply.ts'
import type { Client } from '../clients/client.ts'
import type { Turn } from '../state.ts'
import { clientLine } from './client-list.ts'
import type { PortCommand } from './command.ts'

/**
 * The error that answers the command, also noted in ACL LOG; undefined: the user has permission.
 */
export function permissionRefusal(
  turn: Turn,
  client: Client,
  command: PortCommand,
  argv: readonly string[],
): Reply | undefined {
  if (client.account.isUnrestricted) return undefined
  const request = aclRequest(command, argv)
  const denied = denial(client.account.user, request)
  if (denied === undefined) return undefined
  const { reason } = denied
  const object = deniedObject(denied, request)
  const { name: username } = client.account
  const clientInfo = clientLine(turn, client)
  const refusal = { reason, context: 'toplevel', object, username, clientInfo } as const
  turn.state.access.log.add(refusal, turn.now.monoMs)
  return noPermission(denied, command.name)
}

export function aclRequest(command: PortCommand, argv: readonly string[]): AclRequest {
  return {
    name: command.name,
    isForEverybody: command.flags.includes('no_auth'),
    argv,
    keys: () => [],
    channels: () => channelUses(command.channels, argv),
  }
}
