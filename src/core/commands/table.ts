/** Every command of a Sentinel. A command that is not here is unknown. */
import { aclCommand } from './acl.ts'
import { CLIENT_COMMAND } from './client.ts'
import { CONNECTION_COMMANDS } from './connection.ts'
import { introspectionCommand } from './introspection.ts'
import type { PortCommands } from './lookup.ts'
import { PUBSUB_COMMANDS } from './pubsub.ts'
import { SENTINEL_COMMAND } from './sentinel.ts'
import { SERVER_COMMANDS } from './server.ts'

export const COMMANDS: PortCommands = new Map(
  [
    ...CONNECTION_COMMANDS,
    ...PUBSUB_COMMANDS,
    ...SERVER_COMMANDS,
    CLIENT_COMMAND,
    aclCommand(() => COMMANDS),
    SENTINEL_COMMAND,
    introspectionCommand(() => COMMANDS),
  ].map((command) => [command.name, command]),
)
