import type { Effect } from './effect.ts'
import type { LogLevel } from './log-level.ts'
import type { Purpose } from './purpose.ts'
import type { Connection, Turn } from './state.ts'

/** Adds an effect to the batch. Order is the guarantee: see `Effect`. */
export function emit(turn: Turn, effect: Effect): void {
  turn.effects.push(effect)
}

export function log(turn: Turn, level: LogLevel, text: string): void {
  emit(turn, { kind: 'log', level, text })
}

/** Sends a command on a connection that is up. */
export function send(
  turn: Turn,
  connection: Connection,
  purpose: Purpose,
  argv: readonly string[],
): void {
  connection.pending++
  emit(turn, { kind: 'send', link: connection.id, purpose, argv })
}
