/** Commands with STORE in their name or their options: the result takes the place of a key. */
import type { CommandContext } from '../context.ts'
import type { KeyspaceEvent } from '../sessions/keyspace-event.ts'
import type { Value } from '../values/value.ts'

/**
 * Replaces whatever is at the key. `value` undefined: the result is empty, which makes no key, and
 * a key that was there is deleted. `changes`: how many [save] counts.
 */
export function storeResult(
  context: CommandContext,
  key: string,
  value: Value | undefined,
  event: KeyspaceEvent,
  changes = 1,
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
  context.propagate(undefined, Math.max(1, changes))
}
