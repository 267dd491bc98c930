/**
 * Taking elements from the first key that has some, now or later: what BLPOP, BZPOPMIN and similar
 * commands have in common. Inside a transaction, and in the master's stream, a command never waits.
 */
import { NULL_ARRAY, type Reply } from '../../resp/reply.ts'
import { ceilOfThousandfold, isLongDouble } from '../arguments/long-double.ts'
import type { CommandContext } from '../context.ts'
import { TIMEOUT_NEGATIVE, TIMEOUT_NOT_A_FLOAT, WRONG_TYPE } from '../errors.ts'
import type { EffectContext } from '../sessions/effect-context.ts'
import type { Value } from '../values/value.ts'

const MAX_INT64 = 2n ** 63n - 1n

/** What to take, and from which keys. */
export interface BlockingPop<Type extends Value['type']> {
  readonly keys: readonly string[]
  /** The type of value from which to take. */
  readonly type: Type
  /** Takes from a value that has at least one element, as every existing value has. */
  readonly take: (
    scene: EffectContext,
    key: string,
    value: Extract<Value, { type: Type }>,
    hasWaited: boolean,
  ) => Reply
}

/** Undefined if none of the keys exists. */
export function popFirst<Type extends Value['type']>(
  context: CommandContext,
  { keys, type, take }: BlockingPop<Type>,
): Reply | undefined {
  for (const key of keys) {
    const value = context.db.value(key)
    if (value !== undefined)
      return isOfType(value, type) ? take(context, key, value, false) : WRONG_TYPE
  }
  return undefined
}

/**
 * Makes the client wait if there is nothing to take. `timeoutText` is in seconds; `nothing` is the
 * reply if waiting is not allowed. Undefined: the client waits.
 */
export function popOrWait<Type extends Value['type']>(
  context: CommandContext,
  taking: BlockingPop<Type>,
  timeoutText: string | undefined,
  nothing: Reply = NULL_ARRAY,
): Reply | undefined {
  const timeoutMs = parseTimeout(timeoutText)
  if (typeof timeoutMs !== 'number') return timeoutMs
  const reply = popFirst(context, taking)
  if (reply !== undefined) return reply
  if (!context.session.mayBlock) return nothing
  wait(context, taking, timeoutMs)
  return undefined
}

function wait<Type extends Value['type']>(
  { session, node, db, now }: CommandContext,
  { keys, type, take }: BlockingPop<Type>,
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
        return value !== undefined && isOfType(value, type)
          ? take(scene, key, value, true)
          : undefined
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

/** Converts seconds to milliseconds; 0 waits for ever. A value of more than 64 bits wraps around in Redis. */
function parseTimeout(text = ''): number | Reply {
  if (!isLongDouble(text)) return TIMEOUT_NOT_A_FLOAT
  const timeoutMs = ceilOfThousandfold(text)
  const isPossible = timeoutMs !== undefined && timeoutMs >= 0n && timeoutMs <= MAX_INT64
  return isPossible ? Number(timeoutMs) : TIMEOUT_NEGATIVE
}
