/**
 * Taking elements from the first key that has some, now or as soon as there are some: what BLPOP, BZPOPMIN
 * and their kin have in common. Inside a transaction, and in the master's stream, nothing waits.
 */
import { NULL_ARRAY, type Reply } from '../../resp/reply.ts'
import { parseStrtod } from '../arguments/float-argument.ts'
import { isLongDouble } from '../arguments/long-double.ts'
import type { CommandContext } from '../context.ts'
import { TIMEOUT_NEGATIVE, TIMEOUT_NOT_A_FLOAT, WRONG_TYPE } from '../errors.ts'
import type { Scene } from '../sessions/scene.ts'
import type { Value } from '../values/value.ts'

/** What is wanted, and from where. */
export interface Taking<Type extends Value['type']> {
  readonly keys: readonly string[]
  /** Of the values it can be taken from. */
  readonly type: Type
  /** Takes from a value, which has an element: no key is without any. */
  readonly take: (scene: Scene, key: string, value: Extract<Value, { type: Type }>) => Reply
}

/** Undefined: none of the keys exists. */
export function takeFirst<Type extends Value['type']>(
  context: CommandContext,
  { keys, type, take }: Taking<Type>,
): Reply | undefined {
  for (const key of keys) {
    const value = context.db.value(key)
    if (value !== undefined) return isOfType(value, type) ? take(context, key, value) : WRONG_TYPE
  }
  return undefined
}

/**
 * Lets the client wait if there is nothing. `timeoutText` is in seconds; `nothing` is the answer where
 * nobody may wait. Undefined: the client waits.
 */
export function takeOrWait<Type extends Value['type']>(
  context: CommandContext,
  taking: Taking<Type>,
  timeoutText: string | undefined,
  nothing: Reply = NULL_ARRAY,
): Reply | undefined {
  const timeoutMs = parseTimeout(timeoutText)
  if (typeof timeoutMs !== 'number') return timeoutMs
  const reply = takeFirst(context, taking)
  if (reply !== undefined) return reply
  if (!context.session.mayBlock) return nothing
  wait(context, taking, timeoutMs)
  return undefined
}

function wait<Type extends Value['type']>(
  { session, node, db, now }: CommandContext,
  { keys, type, take }: Taking<Type>,
  timeoutMs: number,
): void {
  node.blocking.block(session, {
    deadlineMs: timeoutMs === 0 ? undefined : now.monoMs + timeoutMs,
    onTimeout: () => NULL_ARRAY,
    wait: {
      db: db.index,
      keys,
      type,
      serve: (scene, key) => {
        const value = scene.db.value(key)
        return value !== undefined && isOfType(value, type) ? take(scene, key, value) : undefined
      },
    },
  })
}

function isOfType<Type extends Value['type']>(
  value: Value,
  type: Type,
): value is Extract<Value, { type: Type }> {
  return value.type === type
}

/** From seconds to milliseconds; 0 is for ever. More than 64 bits of them wrap around in Redis. */
function parseTimeout(text = ''): number | Reply {
  const seconds = isLongDouble(text) ? parseStrtod(text) : undefined
  if (seconds === undefined) return TIMEOUT_NOT_A_FLOAT
  const timeoutMs = Math.ceil(seconds * 1000)
  return timeoutMs < 0 || timeoutMs >= 2 ** 63 ? TIMEOUT_NEGATIVE : timeoutMs
}
