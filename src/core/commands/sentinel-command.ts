/**
 * What the subcommands of SENTINEL have in common: how they are described, and that most take a
 * group.
 */
import type { Reply } from '../../resp/reply.ts'
import type { Client } from '../clients/client.ts'
import type { Group, Turn } from '../state.ts'
import { command, type HelpEntry, type PortCommand, type PortHandler } from './command.ts'
import { NO_SUCH_MASTER } from './errors.ts'

export interface SubcommandSpec {
  /** Without `SENTINEL`. */
  readonly name: string
  /** `SENTINEL` and the subcommand count as words. */
  readonly arity: number
  readonly usage?: string
  readonly summary: string
  readonly since?: string
  readonly isOurs?: boolean
  /** How HELP lists it, if one line of usage is not enough. */
  readonly help?: readonly HelpEntry[]
}

export function sentinelCommand(spec: SubcommandSpec, run: PortHandler): PortCommand {
  const { name, arity, usage = '', summary, since = '2.8.4', help, isOurs = false } = spec
  const full = `sentinel|${name}`
  return command(
    { name: full, arity, group: 'sentinel', since, flags: ['admin'], usage, summary, help, isOurs },
    run,
  )
}

export type GroupHandler = (
  turn: Turn,
  group: Group,
  argv: readonly string[],
  client: Client,
) => Reply | undefined

/** For commands whose third word names a group. Names are case-sensitive. */
export function onGroup(run: GroupHandler): PortHandler {
  return (turn, client, argv) => {
    const group = turn.state.groups.get(argv[2] ?? '')
    return group === undefined ? NO_SUCH_MASTER : run(turn, group, argv, client)
  }
}
