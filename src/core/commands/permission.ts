/** Whether a client's user may give a command, with the channels it names. */
import { type AclRequest, type ChannelUse, type Denial, denial } from '../../acl/check.ts'
import { deniedObject, noPermission } from '../../acl/refusal-texts.ts'
import type { Reply } from '../../resp/reply.ts'
import type { Client } from '../client.ts'
import type { Turn } from '../state.ts'
import { clientLine } from './client-list.ts'
import type { Command } from './command.ts'

/** The error that answers the command, which is noted in ACL LOG; undefined: he may. */
export function permissionRefusal(
  turn: Turn,
  client: Client,
  command: Command,
  argv: readonly string[],
): Reply | undefined {
  if (client.account.isUnrestricted) return undefined
  const request = aclRequest(command, argv)
  const denied = denial(client.account.user, request)
  if (denied === undefined) return undefined
  note(turn, client, denied.reason, deniedObject(denied, request), client.account.name)
  return noPermission(denied, command.name)
}

export function aclRequest(command: Command, argv: readonly string[]): AclRequest {
  return {
    name: command.name,
    isForEverybody: command.flags.includes('no_auth'),
    argv,
    keys: () => [],
    channels: () => channelsOf(command.name, argv),
  }
}

function channelsOf(name: string, argv: readonly string[]): readonly ChannelUse[] {
  switch (name) {
    case 'publish':
      return [{ at: 1, isPattern: false }]
    case 'subscribe':
    case 'psubscribe':
      return argv.slice(1).map((_, index) => ({ at: index + 1, isPattern: name === 'psubscribe' }))
    default:
      return []
  }
}

/** Adds an entry to ACL LOG. */
export function note(
  turn: Turn,
  client: Client,
  reason: Denial['reason'] | 'auth',
  object: string,
  username: string,
): void {
  const clientInfo = clientLine(turn, client).trimEnd()
  const refusal = { reason, context: 'toplevel', object, username, clientInfo } as const
  turn.state.access.log.add(refusal, turn.now.monoMs)
}
