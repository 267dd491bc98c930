/** Hashes: fields and values under one key. */
import { array, bulk, bulks, integer, NULL, OK, type Reply } from '../../../resp/reply.ts'
import { arg, command, type Family } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { INVALID_CURSOR, WRONG_TYPE, wrongArity } from '../../errors.ts'
import { isCursor } from '../../keyspace/scan.ts'
import { encodingOf } from '../../values/encoding.ts'
import type { HashValue } from '../../values/value.ts'
import { scanElements, scanReply } from '../keys/scanning.ts'
import { hIncrBy, hIncrByFloat } from './hash-counters.ts'
import { openHash, removeField, setField } from './hash-fields.ts'
import { hRandField } from './hash-random.ts'

const ZERO = integer(0)
const ONE = integer(1)
const EMPTY = array([])

/** Answers from an existing hash, or with what stands for a missing one. */
function reading(missing: Reply, answer: (hash: HashValue, argv: readonly string[]) => Reply) {
  return ({ db }: CommandContext, argv: readonly string[]): Reply => {
    const hash = db.value(arg(argv, 1))
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
const hGetAll = reading({ kind: 'map', entries: [] }, ({ fields }) => ({
  kind: 'map',
  entries: [...fields].map(([field, value]) => [bulk(field), bulk(value)] as const),
}))

function hMget({ db }: CommandContext, argv: readonly string[]): Reply {
  const hash = db.value(arg(argv, 1))
  if (hash !== undefined && hash.type !== 'hash') return WRONG_TYPE
  return array(argv.slice(2).map((field) => bulkOrNull(hash?.fields.get(field))))
}

function bulkOrNull(bytes: string | undefined): Reply {
  return bytes === undefined ? NULL : bulk(bytes)
}

/** HSET and HMSET differ in the reply only. */
function hSetting(name: string, reply: (added: number) => Reply) {
  return (context: CommandContext, argv: readonly string[]): Reply => {
    if (argv.length % 2 !== 0) return wrongArity(name)
    const hash = openHash(context, arg(argv, 1))
    if (hash === undefined) return WRONG_TYPE
    let added = 0
    for (let at = 2; at < argv.length; at += 2) {
      if (setField(hash, arg(argv, at), arg(argv, at + 1))) added++
    }
    context.propagate()
    return reply(added)
  }
}

const hSet = hSetting('hset', integer)
const hMset = hSetting('hmset', () => OK)

function hSetNx(context: CommandContext, argv: readonly string[]): Reply {
  const [key, field] = [arg(argv, 1), arg(argv, 2)]
  const present = context.db.value(key)
  if (present?.type === 'hash' && present.fields.has(field)) return ZERO
  const hash = openHash(context, key)
  if (hash === undefined) return WRONG_TYPE
  setField(hash, field, arg(argv, 3))
  context.propagate()
  return ONE
}

function hDel(context: CommandContext, argv: readonly string[]): Reply {
  const key = arg(argv, 1)
  const hash = context.db.value(key)
  if (hash === undefined) return ZERO
  if (hash.type !== 'hash') return WRONG_TYPE
  const present = argv.slice(2).filter((field) => hash.fields.has(field))
  if (present.length === 0) return ZERO
  context.db.changing(key)
  let deleted = 0
  for (const field of present) if (removeField(hash, field)) deleted++
  if (hash.fields.size === 0) context.db.remove(key)
  context.propagate()
  return integer(deleted)
}

function hScan(context: CommandContext, argv: readonly string[]): Reply {
  if (!isCursor(arg(argv, 2))) return INVALID_CURSOR
  const hash = context.db.value(arg(argv, 1))
  if (hash === undefined) return scanReply('0', [])
  if (hash.type !== 'hash') return WRONG_TYPE
  const isPacked = encodingOf(hash, context.node.settings) === 'listpack'
  const page = scanElements(context, argv, hash.fields, isPacked)
  if ('kind' in page) return page
  const pairs = page.keys.flatMap((field) => [field, hash.fields.get(field) ?? ''])
  return scanReply(page.cursor, pairs)
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
    command('hgetall', 2, 'readonly', READ, hGetAll),
    command('hkeys', 2, 'readonly', READ, hKeys),
    command('hvals', 2, 'readonly', READ, hVals),
    command('hlen', 2, 'readonly fast', LOOK, hLen),
    command('hexists', 3, 'readonly fast', LOOK, hExists),
    command('hstrlen', 3, 'readonly fast', LOOK, hStrLen),
    command('hdel', -3, 'write fast', ['1 RW delete'], hDel),
    command('hincrby', 4, CHANGED, ['1 RW access update'], hIncrBy),
    command('hincrbyfloat', 4, CHANGED, ['1 RW access update'], hIncrByFloat),
    command('hrandfield', -2, 'readonly', READ, hRandField),
    command('hscan', -3, 'readonly', READ, hScan),
  ],
}
