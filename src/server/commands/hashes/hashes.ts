/** Hashes: fields and values under one key. */
import {
  array,
  bulk,
  bulks,
  error,
  integer,
  list,
  NULL,
  OK,
  type Reply,
} from '../../../resp/reply.ts'
import { addLongDoubles, isLongDouble } from '../../arguments/long-double.ts'
import { addInt64, parseExact } from '../../arguments/numbers.ts'
import { arg, command, type Family } from '../../catalogue/command.ts'
import { UNORDERED, VARYING } from '../../catalogue/command-traits.ts'
import type { CommandContext } from '../../context.ts'
import {
  HASH_NOT_A_FLOAT,
  HASH_NOT_AN_INTEGER,
  INVALID_CURSOR,
  NAN_OR_INFINITY,
  NOT_A_FLOAT,
  NOT_AN_INTEGER,
  OUT_OF_RANGE,
  SYNTAX_ERROR,
  WOULD_OVERFLOW,
  WRONG_TYPE,
  wrongArity,
} from '../../errors.ts'
import { isCursor } from '../../keyspace/scan.ts'
import { CountedFields } from '../../values/counted.ts'
import { encodingOf } from '../../values/encoding.ts'
import { LiveFields } from '../../values/live-fields.ts'
import { pickKey } from '../../values/sampler.ts'
import type { HashValue, Value } from '../../values/value.ts'
import { scanElements, scanReply, withoutNoValues } from '../keys/scanning.ts'
import { drawKeys, isTooMany, parseDraws } from '../random-draws.ts'
import { fieldListCommands, tellFields } from './field-lists.ts'
import { dropFields, openHash, setField } from './hash-fields.ts'

const ZERO = integer(0)
const ONE = integer(1)
const EMPTY = array([])

/** Answers from an existing hash, or with `missing` if there is none. */
function reading(missing: Reply, answer: (hash: HashValue, argv: readonly string[]) => Reply) {
  return ({ db }: CommandContext, argv: readonly string[]): Reply => {
    const hash = db.liveValue(arg(argv, 1))
    if (hash === undefined) return missing
    return hash.type === 'hash' ? answer(hash, argv) : WRONG_TYPE
  }
}

const hGet = reading(NULL, ({ fields }, argv) => bulkOrNull(fields.get(arg(argv, 2))))
const hExists = reading(ZERO, ({ fields }, argv) => (fields.has(arg(argv, 2)) ? ONE : ZERO))
const hLen = reading(ZERO, ({ fields }) => integer(fields.size))
const hKeys = reading(EMPTY, ({ fields }) => bulks([...fields.keys()]))
const hVals = reading(EMPTY, ({ fields }) => bulks([...fields.values()]))
const hStrLen = reading(ZERO, ({ fields }, argv) => integer(fields.get(arg(argv, 2))?.length ?? 0))
const hGetAll = reading({ kind: 'map', entries: [] }, ({ fields }) => {
  const texts: string[] = []
  for (const [field, value] of fields) texts.push(field, value)
  return { kind: 'bulks', of: 'map', texts }
})

function hMget({ db }: CommandContext, argv: readonly string[]): Reply {
  const hash = db.liveValue(arg(argv, 1))
  if (hash !== undefined && hash.type !== 'hash') return WRONG_TYPE
  return bulks(argv.slice(2).map((field) => hash?.fields.get(field)))
}

function bulkOrNull(bytes: string | undefined): Reply {
  return bytes === undefined ? NULL : bulk(bytes)
}

/** HSET and HMSET differ only in the reply. */
function hSetting(name: string, reply: (added: number) => Reply) {
  return (context: CommandContext, argv: readonly string[]): Reply => {
    if (argv.length % 2 !== 0) return wrongArity(name)
    const hash = openHash(context, arg(argv, 1))
    if (hash === undefined) return WRONG_TYPE
    let added = 0
    for (let at = 2; at < argv.length; at += 2) {
      if (setField(hash, arg(argv, at), arg(argv, at + 1))) added++
    }
    context.notify('hset', arg(argv, 1))
    context.propagate(undefined, (argv.length - 2) / 2)
    return reply(added)
  }
}

const hSet = hSetting('hset', integer)
const hMset = hSetting('hmset', () => OK)

function hSetNx(context: CommandContext, argv: readonly string[]): Reply {
  const [key, field] = [arg(argv, 1), arg(argv, 2)]
  const present = context.db.liveValue(key)
  if (present?.type === 'hash' && present.fields.has(field)) return ZERO
  const hash = openHash(context, key)
  if (hash === undefined) return WRONG_TYPE
  setField(hash, field, arg(argv, 3))
  context.notify('hset', key)
  context.propagate()
  return ONE
}

function hDel(context: CommandContext, argv: readonly string[]): Reply {
  const key = arg(argv, 1)
  const hash = context.db.liveValue(key)
  if (hash === undefined) return ZERO
  if (hash.type !== 'hash') return WRONG_TYPE
  const present = argv.slice(2).filter((field) => hash.fields.has(field))
  if (present.length === 0) return ZERO
  const deleted = dropFields(context, key, present)
  context.propagate(undefined, deleted)
  return integer(deleted)
}

function hScan(context: CommandContext, argv: readonly string[]): Reply {
  if (!isCursor(arg(argv, 2))) return INVALID_CURSOR
  const key = arg(argv, 1)
  const live = context.db.liveValue(key)
  // A cursor goes on with the fields themselves, of which some may be hidden.
  const hash = live === undefined ? undefined : context.db.entries.get(key)?.value
  if (live === undefined || hash === undefined) return scanReply('0', [])
  if (live.type !== 'hash' || hash.type !== 'hash') return WRONG_TYPE
  const encoding = encodingOf(hash, context.node.settings)
  const isPacked = encoding === 'listpack' || encoding === 'listpackex'
  const [words, hidesValues] = withoutNoValues(argv)
  const page = scanElements(context, words, hash.fields, isPacked)
  if ('kind' in page) return page
  const found = page.keys.filter((field) => live.fields.has(field))
  if (hidesValues) return scanReply(page.cursor, found)
  return scanReply(
    page.cursor,
    found.flatMap((field) => [field, valueIn(live, field)]),
  )
}

const READ = ['1 RO access']
const LOOK = ['1 RO']
const CHANGED = 'write denyoom fast'

export const hashFamily: Family = {
  group: 'hash',
  category: '@hash',
  commands: [
    command('hset', -4, CHANGED, ['1 RW update'], hSet),
    command('hmset', -4, CHANGED, ['1 RW update'], hMset),
    command('hsetnx', 4, CHANGED, ['1 RW insert'], hSetNx),
    command('hget', 3, 'readonly fast', READ, hGet),
    command('hmget', -3, 'readonly fast', READ, hMget),
    command('hgetall', 2, 'readonly', READ, hGetAll, UNORDERED),
    command('hkeys', 2, 'readonly', READ, hKeys, UNORDERED),
    command('hvals', 2, 'readonly', READ, hVals, UNORDERED),
    command('hlen', 2, 'readonly fast', LOOK, hLen),
    command('hexists', 3, 'readonly fast', LOOK, hExists),
    command('hstrlen', 3, 'readonly fast', LOOK, hStrLen),
    command('hdel', -3, 'write fast', ['1 RW delete'], hDel),
    command('hincrby', 4, CHANGED, ['1 RW access update'], hIncrBy),
    command('hincrbyfloat', 4, CHANGED, ['1 RW access update'], hIncrByFloat),
    command('hrandfield', -2, 'readonly', READ, hRandField, VARYING),
    command('hscan', -3, 'readonly', READ, hScan, VARYING),
    ...fieldListCommands,
  ],
}

/** HRANDFIELD: one field, several different ones, or (with a negative count) several with repeats. */
function hRandField(context: CommandContext, argv: readonly string[]): Reply {
  const { db, node } = context
  if (argv.length === 2) {
    const hash = drawable(db.liveValue(arg(argv, 1)))
    if (hash === undefined) return NULL
    return hash.type === 'hash' ? bulk(pickKey(hash, hash.fields, node.rng)) : WRONG_TYPE
  }
  const count = parseDraws(argv[2])
  if (typeof count !== 'number') return count
  const withValues = argv[3]?.toUpperCase() === 'WITHVALUES'
  if (argv.length > 4 || (argv.length === 4 && !withValues)) return SYNTAX_ERROR
  if (isTooMany(count, withValues)) return OUT_OF_RANGE
  return drawFields(context, arg(argv, 1), count, withValues)
}

/** Fields are drawn from what is really there: if some are only hidden, from a copy without them. */
function drawable(value: Value | undefined): Value | undefined {
  if (value?.type !== 'hash' || !(value.fields instanceof LiveFields)) return value
  return { type: 'hash', fields: new CountedFields(value.fields) }
}

function drawFields(
  { db, node, session }: CommandContext,
  key: string,
  count: number,
  withValues: boolean,
): Reply {
  const hash = drawable(db.liveValue(key))
  if (hash === undefined) return array([])
  if (hash.type !== 'hash') return WRONG_TYPE
  const fields = drawKeys(hash, hash.fields, count, node.rng)
  if (!withValues) return bulks(fields)
  const pairs = fields.map((field) => [field, valueIn(hash, field)])
  return session.protocol === 3 ? list(pairs, bulks) : bulks(pairs.flat())
}

function valueIn(hash: HashValue, field: string): string {
  return hash.fields.get(field) ?? ''
}

/** Numbers in the fields of hashes. */
const INFINITE_INCREMENT = error('ERR value is NaN or Infinity')

function hIncrBy(context: CommandContext, argv: readonly string[]): Reply {
  const [key, field] = [arg(argv, 1), arg(argv, 2)]
  const by = parseExact(arg(argv, 3))
  if (by === undefined) return NOT_AN_INTEGER
  const present = context.db.liveValue(key)
  if (present !== undefined && present.type !== 'hash') return WRONG_TYPE
  const old = parseExact(present?.fields.get(field) ?? '0')
  if (old === undefined) return HASH_NOT_AN_INTEGER
  const sum = addInt64(old, by)
  if (sum === undefined) return WOULD_OVERFLOW
  store(context, key, field, String(sum), present?.fields.has(field) === true)
  context.notify('hincrby', key)
  context.propagate()
  return integer(sum)
}

/** Replicas get the result, as with INCRBYFLOAT. */
function hIncrByFloat(context: CommandContext, argv: readonly string[]): Reply {
  const [key, field, by] = [arg(argv, 1), arg(argv, 2), arg(argv, 3)]
  if (!isLongDouble(by)) return NOT_A_FLOAT
  if (/inf/i.test(by)) return INFINITE_INCREMENT
  const present = context.db.liveValue(key)
  if (present !== undefined && present.type !== 'hash') return WRONG_TYPE
  const old = present?.fields.get(field) ?? '0'
  if (!isLongDouble(old)) return HASH_NOT_A_FLOAT
  const sum = addLongDoubles(old, by)
  if (sum === undefined) return NAN_OR_INFINITY
  store(context, key, field, sum, present?.fields.has(field) === true)
  context.notify('hincrbyfloat', key)
  tellFields(context, key, [field])
  return bulk(sum)
}

/** A number keeps the expiry of its field. */
function store(
  context: CommandContext,
  key: string,
  field: string,
  value: string,
  keeps: boolean,
): void {
  const hash = openHash(context, key)
  if (hash !== undefined) setField(hash, field, value, keeps)
}
