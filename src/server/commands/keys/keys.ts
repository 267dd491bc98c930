/** Commands on keys of any type: deleting, renaming, copying, moving between databases. */
import { integer, OK, type Reply, simple } from '../../../resp/reply.ts'
import { isInt32, parseInteger } from '../../arguments/numbers.ts'
import { arg, command, type Family } from '../../catalogue/command.ts'
import { DANGEROUS, ON_ALL_SHARDS, SUM_OF_SHARDS } from '../../catalogue/command-traits.ts'
import type { CommandContext } from '../../context.ts'
import {
  BAD_FIRST_DB,
  BAD_SECOND_DB,
  DB_OUT_OF_RANGE,
  NO_SUCH_KEY,
  NOT_AN_INT32,
  NOT_AN_INTEGER,
  SAME_OBJECT,
  SYNTAX_ERROR,
} from '../../errors.ts'
import type { Db } from '../../keyspace/db.ts'
import type { Blocking } from '../../sessions/blocking.ts'
import { copyValue } from '../../values/value.ts'
import { replyToFlush } from '../node/saving.ts'
import { objectCommand } from './object.ts'
import { keys, randomKey, scan } from './scanning.ts'

const ZERO = integer(0)
const ONE = integer(1)

/** DEL and UNLINK are the same: memory is freed by the garbage collector. */
function del(context: CommandContext, argv: readonly string[]): Reply {
  const { db } = context
  let deleted = 0
  for (let at = 1; at < argv.length; at++) {
    const key = arg(argv, at)
    if (!db.removeNamed(key)) continue
    context.notify('del', key)
    deleted++
  }
  if (deleted > 0) context.propagate(undefined, deleted)
  return integer(deleted)
}

/** EXISTS and TOUCH: a key that is named twice counts twice. */
function exists({ db }: CommandContext, argv: readonly string[]): Reply {
  let present = 0
  for (let at = 1; at < argv.length; at++) if (db.find(arg(argv, at)) !== undefined) present++
  return integer(present)
}

function type({ db }: CommandContext, argv: readonly string[]): Reply {
  return simple(db.value(arg(argv, 1))?.type ?? 'none')
}

function rename(context: CommandContext, argv: readonly string[]): Reply {
  const [source, target] = [arg(argv, 1), arg(argv, 2)]
  if (context.db.find(source) === undefined) return NO_SUCH_KEY
  if (source !== target) renameTo(context, source, target)
  return OK
}

function renameNx(context: CommandContext, argv: readonly string[]): Reply {
  const [source, target] = [arg(argv, 1), arg(argv, 2)]
  if (context.db.find(source) === undefined) return NO_SUCH_KEY
  if (source === target || context.db.find(target) !== undefined) return ZERO
  renameTo(context, source, target)
  return ONE
}

function renameTo(context: CommandContext, source: string, target: string): void {
  const { db } = context
  // The target's own expiry is checked first, so that replicas learn if it has expired.
  db.find(target)
  moveEntry(db, source, db, target)
  context.notify('rename_from', source)
  context.notify('rename_to', target)
  context.propagate()
}

/** Moves the value, its expiry and its usage from one key to another. */
function moveEntry(from: Db, source: string, to: Db, target: string): void {
  const entry = from.entries.get(source)
  if (entry === undefined) return
  const { value, expireAtMs, usage } = entry
  from.remove(source)
  to.remove(target)
  to.put(target, value, expireAtMs, usage)
}

interface CopyOptions {
  readonly db: Db
  readonly replaces: boolean
}

function copy(context: CommandContext, argv: readonly string[]): Reply {
  const [source, target] = [arg(argv, 1), arg(argv, 2)]
  const options = parseCopyOptions(context, argv)
  if ('kind' in options) return options
  if (options.db === context.db && source === target) return SAME_OBJECT
  const entry = context.db.findSource(source)
  if (entry === undefined) return ZERO
  if (options.db.find(target) !== undefined) {
    if (!options.replaces) return ZERO
    options.db.remove(target)
  }
  options.db.put(target, copyValue(entry.value), entry.expireAtMs)
  context.notify('copy_to', target, options.db)
  context.propagate()
  return ONE
}

function parseCopyOptions(context: CommandContext, argv: readonly string[]): CopyOptions | Reply {
  let { db } = context
  let replaces = false
  for (let at = 3; at < argv.length; at++) {
    const option = arg(argv, at).toUpperCase()
    if (option === 'REPLACE') {
      replaces = true
    } else if (option === 'DB' && at + 1 < argv.length) {
      const chosen = databaseAt(context, argv[++at])
      if ('kind' in chosen) return chosen
      db = chosen
    } else {
      return SYNTAX_ERROR
    }
  }
  return { db, replaces }
}

function databaseAt({ node }: CommandContext, word: string | undefined): Db | Reply {
  const index = parseInteger(word)
  if (index === undefined) return NOT_AN_INTEGER
  if (!isInt32(index)) return NOT_AN_INT32
  return node.keyspace.dbs[index] ?? DB_OUT_OF_RANGE
}

function move(context: CommandContext, argv: readonly string[]): Reply {
  const key = arg(argv, 1)
  const target = databaseAt(context, argv[2])
  if ('kind' in target) return target
  if (target === context.db) return SAME_OBJECT
  if (context.db.find(key) === undefined || target.find(key) !== undefined) return ZERO
  moveEntry(context.db, key, target, key)
  context.notify('move_from', key)
  context.notify('move_to', key, target)
  context.propagate()
  return ONE
}

function swapDb(context: CommandContext, argv: readonly string[]): Reply {
  const { keyspace, blocking } = context.node
  const first = parseInteger(argv[1])
  if (first === undefined || !isInt32(first)) return BAD_FIRST_DB
  const second = parseInteger(argv[2])
  if (second === undefined || !isInt32(second)) return BAD_SECOND_DB
  const [a, b] = [keyspace.dbs[first], keyspace.dbs[second]]
  if (a === undefined || b === undefined) return DB_OUT_OF_RANGE
  if (a !== b) keyspace.swap(a, b)
  for (const db of [a, b]) noteAwaited(blocking, db)
  context.propagate()
  return OK
}

/** All keys of a database may have changed: clients that wait for one are to check. */
function noteAwaited(blocking: Blocking, { index }: Db): void {
  for (const key of blocking.awaitedKeys(index)) blocking.noteKey(index, key)
}

function dbSize({ db }: CommandContext): Reply {
  return integer(db.entries.size)
}

/** Whether the words are `ASYNC`, `SYNC` or none; both mean the same here. */
function isFlushMode(argv: readonly string[]): boolean {
  if (argv.length === 1) return true
  const mode = argv[1]?.toUpperCase()
  return argv.length === 2 && (mode === 'ASYNC' || mode === 'SYNC')
}

/** Replicas get it even if there was nothing: they may have keys that we do not. */
function flushAll(context: CommandContext, argv: readonly string[]): Reply | undefined {
  if (!isFlushMode(argv)) return SYNTAX_ERROR
  context.node.tracking.allChanged()
  let deleted = 0
  for (const db of context.node.keyspace.dbs) deleted += emptied(context, db)
  context.propagate(undefined, deleted)
  return replyToFlush(context)
}

function flushDb(context: CommandContext, argv: readonly string[]): Reply {
  if (!isFlushMode(argv)) return SYNTAX_ERROR
  context.node.tracking.allChanged()
  context.propagate(undefined, emptied(context, context.db))
  return OK
}

/** How many keys it had. */
function emptied({ node }: CommandContext, db: Db): number {
  const { size } = db.entries
  db.empty()
  noteAwaited(node.blocking, db)
  return size
}

export const keyFamily: Family = {
  group: 'generic',
  category: '@keyspace',
  commands: [
    command('del', -2, 'write', ['1..-1 RM delete'], del, SUM_OF_SHARDS),
    command('unlink', -2, 'write fast', ['1..-1 RM delete'], del, SUM_OF_SHARDS),
    command('exists', -2, 'readonly fast no_touch', ['1..-1 RO'], exists, SUM_OF_SHARDS),
    command('touch', -2, 'readonly fast always_touch', ['1..-1 RO'], exists, SUM_OF_SHARDS),
    command('type', 2, 'readonly fast no_touch', ['1 RO'], type),
    command('keys', 2, 'readonly no_touch', [], keys, {
      ...DANGEROUS,
      tips: ['request_policy:all_shards', 'nondeterministic_output_order'],
    }),
    command('scan', -2, 'readonly no_touch touches_arbitrary_keys', [], scan, {
      tips: ['nondeterministic_output', 'request_policy:special'],
    }),
    command('randomkey', 1, 'readonly no_touch touches_arbitrary_keys', [], randomKey, {
      tips: ['request_policy:all_shards', 'nondeterministic_output'],
    }),
    command('rename', 3, 'write', ['1 RW access delete', '2 OW update'], rename),
    command('renamenx', 3, 'write fast', ['1 RW access delete', '2 OW insert'], renameNx),
    command('copy', -3, 'write denyoom', ['1 RO access', '2 OW update'], copy),
    command('move', 3, 'write fast', ['1 RW access update'], move),
    command('swapdb', 3, 'write fast', [], swapDb, { ...DANGEROUS, group: 'server' }),
    command('dbsize', 1, 'readonly fast', [], dbSize, {
      group: 'server',
      tips: ['request_policy:all_shards', 'response_policy:agg_sum'],
    }),
    command('flushdb', -1, 'write', [], flushDb, {
      ...DANGEROUS,
      ...ON_ALL_SHARDS,
      group: 'server',
    }),
    command('flushall', -1, 'write', [], flushAll, {
      ...DANGEROUS,
      ...ON_ALL_SHARDS,
      group: 'server',
    }),
    objectCommand,
  ],
}
