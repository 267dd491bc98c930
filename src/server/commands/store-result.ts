/** Commands with STORE in their name or their options: the result takes the place of a key. */
import type { CommandContext } from '../context.ts'
import type { ToldEffect } from '../sessions/effect-context.ts'
import type { KeyspaceEvent } from '../sessions/keyspace-event.ts'
import type { Value } from '../values/value.ts'

/**
 * Replaces whatever is at the key. `value` undefined: the result is empty, which makes no key, and
 * a key that was there is deleted. `changes`: how many [save] counts. `effect`: what replicas are told; the command
 * itself unless given.
 */
export function storeResult(
  context: CommandContext,
  key: string,
  value: Value | undefined,
  event: KeyspaceEvent,
  changes = 1,
  effect?: ToldEffect,
): void {
  const { db } = context
  const isThere = db.find(key) !== undefined
  if (value !== undefined) {
    db.put(key, value)
    context.notify(event, key)
  } else if (isThere) {
    db.remove(key)
    context.notify('del', key)
  } else {
    return
  }
  context.propagate(effect, Math.max(1, changes))
}
