/** INCR and similar: numbers kept as strings. */
import { bulk, integer, type Reply } from '../../../resp/reply.ts'
import { addLongDoubles, isLongDouble } from '../../arguments/long-double.ts'
import { addInt64, negateInt64, parseExact } from '../../arguments/numbers.ts'
import { arg, command } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import {
  DECREMENT_OVERFLOW,
  NAN_OR_INFINITY,
  NOT_A_FLOAT,
  NOT_AN_INTEGER,
  WOULD_OVERFLOW,
  WRONG_TYPE,
} from '../../errors.ts'
import { writeString } from './string-writing.ts'

function increment(context: CommandContext, argv: readonly string[], by: number | bigint): Reply {
  const key = arg(argv, 1)
  const entry = context.db.find(key)
  const value = entry?.value
  if (value !== undefined && value.type !== 'string') return WRONG_TYPE
  const old = value === undefined ? 0 : parseExact(value.bytes)
  if (old === undefined) return NOT_AN_INTEGER
  const sum = addInt64(old, by)
  if (sum === undefined) return WOULD_OVERFLOW
  writeString(context.db, key, entry, String(sum))
  context.notify('incrby', key)
  context.propagate()
  return integer(sum)
}

function incr(context: CommandContext, argv: readonly string[]): Reply {
  return increment(context, argv, 1)
}

function decr(context: CommandContext, argv: readonly string[]): Reply {
  return increment(context, argv, -1)
}

function incrBy(context: CommandContext, argv: readonly string[]): Reply {
  const by = parseExact(arg(argv, 2))
  return by === undefined ? NOT_AN_INTEGER : increment(context, argv, by)
}

function decrBy(context: CommandContext, argv: readonly string[]): Reply {
  const by = parseExact(arg(argv, 2))
  if (by === undefined) return NOT_AN_INTEGER
  const negated = negateInt64(by)
  return negated === undefined ? DECREMENT_OVERFLOW : increment(context, argv, negated)
}

/** Replicas get the result: their floating point arithmetic may differ from ours. */
function incrByFloat(context: CommandContext, argv: readonly string[]): Reply {
  const [key, by] = [arg(argv, 1), arg(argv, 2)]
  const entry = context.db.find(key)
  const value = entry?.value
  if (value !== undefined && value.type !== 'string') return WRONG_TYPE
  const old = value?.bytes ?? '0'
  if (!isLongDouble(old) || !isLongDouble(by)) return NOT_A_FLOAT
  const bytes = addLongDoubles(old, by)
  if (bytes === undefined) return NAN_OR_INFINITY
  writeString(context.db, key, entry, bytes)
  context.notify('incrbyfloat', key)
  context.propagate(['SET', key, bytes, 'KEEPTTL'])
  return bulk(bytes)
}

const KEY = ['1 RW access update']
const FLAGS = 'write denyoom fast'

export const counterCommands = [
  command('incr', 2, FLAGS, KEY, incr),
  command('decr', 2, FLAGS, KEY, decr),
  command('incrby', 3, FLAGS, KEY, incrBy),
  command('decrby', 3, FLAGS, KEY, decrBy),
  command('incrbyfloat', 3, FLAGS, KEY, incrByFloat),
]
