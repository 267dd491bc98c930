/** Numbers in the fields of hashes. */
import { bulk, error, integer, type Reply } from '../../../resp/reply.ts'
import { addLongDoubles, isLongDouble } from '../../arguments/long-double.ts'
import { addInt64, parseExact } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import {
  HASH_NOT_A_FLOAT,
  HASH_NOT_AN_INTEGER,
  NAN_OR_INFINITY,
  NOT_A_FLOAT,
  NOT_AN_INTEGER,
  WOULD_OVERFLOW,
  WRONG_TYPE,
} from '../../errors.ts'
import { openHash, setField } from './hash-fields.ts'

const INFINITE_INCREMENT = error('ERR value is NaN or Infinity')

export function hIncrBy(context: CommandContext, argv: readonly string[]): Reply {
  const [key, field] = [arg(argv, 1), arg(argv, 2)]
  const by = parseExact(arg(argv, 3))
  if (by === undefined) return NOT_AN_INTEGER
  const present = context.db.value(key)
  if (present !== undefined && present.type !== 'hash') return WRONG_TYPE
  const old = parseExact(present?.fields.get(field) ?? '0')
  if (old === undefined) return HASH_NOT_AN_INTEGER
  const sum = addInt64(old, by)
  if (sum === undefined) return WOULD_OVERFLOW
  store(context, key, field, String(sum))
  context.propagate()
  return integer(sum)
}

/** Replicas get the result, as with INCRBYFLOAT. */
export function hIncrByFloat(context: CommandContext, argv: readonly string[]): Reply {
  const [key, field, by] = [arg(argv, 1), arg(argv, 2), arg(argv, 3)]
  if (!isLongDouble(by)) return NOT_A_FLOAT
  if (/inf/i.test(by)) return INFINITE_INCREMENT
  const present = context.db.value(key)
  if (present !== undefined && present.type !== 'hash') return WRONG_TYPE
  const old = present?.fields.get(field) ?? '0'
  if (!isLongDouble(old)) return HASH_NOT_A_FLOAT
  const sum = addLongDoubles(old, by)
  if (sum === undefined) return NAN_OR_INFINITY
  store(context, key, field, sum)
  context.propagate(['HSET', key, field, sum])
  return bulk(sum)
}

function store(context: CommandContext, key: string, field: string, value: string): void {
  const hash = openHash(context, key)
  if (hash !== undefined) setField(hash, field, value)
}
