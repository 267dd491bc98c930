/** Every command there is. Whatever is not here, a Sentinel does not know. */
import { aclCommand } from './acl.ts'
import { CLIENT_COMMAND } from './client.ts'
import { CONNECTION_COMMANDS } from './connection.ts'
import { HANDSHAKE_COMMANDS } from './handshake.ts'
import { introspectionCommand } from './introspection.ts'
import type { CommandTable } from './lookup.ts'
import { PUBSUB_COMMANDS } from './pubsub.ts'
import { SENTINEL_COMMAND } from './sentinel.ts'
import { SERVER_COMMANDS } from './server.ts'

export const COMMANDS: CommandTable = new Map(
  [
    ...CONNECTION_COMMANDS,
    ...HANDSHAKE_COMMANDS,
    ...PUBSUB_COMMANDS,
    ...SERVER_COMMANDS,
    CLIENT_COMMAND,
    aclCommand(() => COMMANDS),
    SENTINEL_COMMAND,
    introspectionCommand(() => COMMANDS),
  ].map((command) => [command.name, command]),
)
