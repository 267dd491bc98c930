import { assert } from '../base/assert.ts'
import type { GroupConfig } from './config.ts'
import type { Effect } from './effect.ts'
import type { LogLevel } from './log-level.ts'
import type { Purpose } from './purpose.ts'
import type { Connection, Link, Turn } from './state.ts'
import { ownerIn } from './state.ts'

/** Adds an effect to the batch. The order is the guarantee: see `Effect`. */
export function emit(turn: Turn, effect: Effect): void {
  turn.effects.push(effect)
}

export function log(turn: Turn, level: LogLevel, text: string): void {
  emit(turn, { kind: 'log', level, text })
}

/**
 * Sends a command on a connection that is up, under the name that the group gives it
 * [rename-command].
 */
export function send(
  turn: Turn,
  connection: Connection,
  purpose: Purpose,
  argv: readonly string[],
): void {
  connection.pending++
  const config = configFor(connection.link, purpose)
  const words = config.renamedCommands.length === 0 ? argv : rename(config, argv)
  emit(turn, { kind: 'send', link: connection.id, purpose, argv: words })
}

/**
 * The group for which a command is sent. A shared link sends commands of its own, such as PING,
 * under the first group's name for them, because there is no way to please two groups that rename a
 * command differently.
 */
function configFor(link: Link, purpose: Purpose): GroupConfig {
  const isForGroup = 'group' in purpose
  const owner = isForGroup && link.owners.length > 1 ? ownerIn(link, purpose.group) : link.owners[0]
  assert(owner !== undefined, 'a command is sent on behalf of an instance')
  return owner.group.config
}

function rename({ renamedCommands }: GroupConfig, argv: readonly string[]): readonly string[] {
  const [verb = '', ...words] = argv
  const ownName = verb.toLowerCase()
  const renamed = renamedCommands.find(([name]) => name === ownName)
  return renamed === undefined ? argv : [renamed[1], ...words]
}
