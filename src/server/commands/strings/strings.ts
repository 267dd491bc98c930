/** Strings: SET in all its forms, reading, and changing parts. For numbers in strings see counters.ts. */
import { bulk, bulks, integer, NULL, OK, type Reply } from '../../../resp/reply.ts'
import {
  type ExpireOption,
  isExpireOption,
  momentText,
  parseExpireAt,
  setExpiry,
} from '../../arguments/expire-time.ts'
import { isBackwards, parseInteger } from '../../arguments/numbers.ts'
import { maxStringBytes } from '../../arguments/string-limit.ts'
import { arg, command, type Family } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { deletion } from '../../effects.ts'
import {
  NOT_AN_INTEGER,
  OFFSET_OUT_OF_RANGE,
  SYNTAX_ERROR,
  TOO_LONG,
  WRONG_TYPE,
  wrongArity,
} from '../../errors.ts'
import { LONG_BYTES, lengthOf, viewOf } from '../../values/long-string.ts'
import { conditionalCommands } from './conditional.ts'
import { counterCommands } from './counters.ts'
import { lcs } from './lcs.ts'
import { mSetEx } from './msetex.ts'
import { hasGet, set, setString } from './set.ts'
import { openLong, writeString } from './string-writing.ts'

const ZERO = integer(0)
const ONE = integer(1)
const EMPTY = bulk('')

function get({ db }: CommandContext, argv: readonly string[]): Reply {
  const value = db.value(arg(argv, 1))
  if (value === undefined) return NULL
  return value.type === 'string' ? bulk(value.bytes) : WRONG_TYPE
}

function setNx(context: CommandContext, argv: readonly string[]): Reply {
  const key = arg(argv, 1)
  if (context.db.find(key) !== undefined) return ZERO
  context.db.put(key, { type: 'string', bytes: arg(argv, 2) })
  context.notify('set', key)
  context.propagate()
  return ONE
}

function setEx(option: ExpireOption, name: string) {
  return (context: CommandContext, argv: readonly string[]): Reply => {
    const [key, bytes] = [arg(argv, 1), arg(argv, 3)]
    const atMs = parseExpireAt(option, argv[2], context.now.wallMs, name)
    if (typeof atMs !== 'number') return atMs
    context.db.find(key)
    context.db.put(key, { type: 'string', bytes }, atMs)
    context.notify('set', key)
    context.notify('expire', key)
    context.propagate(['SET', key, bytes, 'PXAT', momentText(atMs)])
    return OK
  }
}

function getSet(context: CommandContext, argv: readonly string[]): Reply {
  const [key, bytes] = [arg(argv, 1), arg(argv, 2)]
  const old = context.db.source(key)
  if (old !== undefined && old.type !== 'string') return WRONG_TYPE
  const reply = old === undefined ? NULL : bulk(old.bytes)
  // As in SET … GET.
  if (old === undefined) context.db.find(key)
  context.db.put(key, { type: 'string', bytes })
  context.notify('set', key)
  context.propagate(['SET', key, bytes])
  return reply
}

function getDel(context: CommandContext, argv: readonly string[]): Reply {
  const key = arg(argv, 1)
  const value = context.db.source(key)
  if (value !== undefined && value.type !== 'string') return WRONG_TYPE
  // On a writable replica an expired key has no value, and is deleted all the same.
  if (context.db.removeNamed(key)) {
    context.notify('del', key)
    context.propagate(deletion(key, context.node.settings.flag('lazyfree-lazy-user-del')))
  }
  return value === undefined ? NULL : bulk(value.bytes)
}

function mget({ db }: CommandContext, argv: readonly string[]): Reply {
  const texts: (string | undefined)[] = []
  for (let at = 1; at < argv.length; at++) {
    const value = db.value(arg(argv, at))
    texts.push(value?.type === 'string' ? value.bytes : undefined)
  }
  return bulks(texts)
}

function mset(context: CommandContext, argv: readonly string[]): Reply {
  if (argv.length % 2 === 0) return wrongArity('mset')
  setPairs(context, argv)
  return OK
}

function msetNx(context: CommandContext, argv: readonly string[]): Reply {
  if (argv.length % 2 === 0) return wrongArity('msetnx')
  for (let at = 1; at < argv.length; at += 2) {
    if (context.db.find(arg(argv, at)) !== undefined) return ZERO
  }
  setPairs(context, argv)
  return ONE
}

function setPairs(context: CommandContext, argv: readonly string[]): void {
  for (let at = 1; at < argv.length; at += 2) {
    setString(context, arg(argv, at), arg(argv, at + 1))
  }
  context.propagate(undefined, (argv.length - 1) / 2)
}

function append(context: CommandContext, argv: readonly string[]): Reply {
  const [key, bytes] = [arg(argv, 1), arg(argv, 2)]
  const entry = context.db.find(key)
  const value = entry?.value
  if (value !== undefined && value.type !== 'string') return WRONG_TYPE
  const oldLength = value === undefined ? 0 : lengthOf(value)
  const length = oldLength + bytes.length
  if (entry !== undefined && length > maxStringBytes(context.node.settings)) return TOO_LONG
  if (oldLength > LONG_BYTES) openLong(context, key, entry).write(oldLength, bytes)
  else writeString(context.db, key, entry, (value?.bytes ?? '') + bytes, value && 'raw')
  context.notify('append', key)
  context.propagate()
  return integer(length)
}

function strLen({ db }: CommandContext, argv: readonly string[]): Reply {
  const value = db.value(arg(argv, 1))
  if (value === undefined) return ZERO
  return value.type === 'string' ? integer(lengthOf(value)) : WRONG_TYPE
}

function setRange(context: CommandContext, argv: readonly string[]): Reply {
  const [key, part] = [arg(argv, 1), arg(argv, 3)]
  const offset = parseInteger(argv[2])
  if (offset === undefined) return NOT_AN_INTEGER
  if (offset < 0) return OFFSET_OUT_OF_RANGE
  const entry = context.db.find(key)
  const value = entry?.value
  if (value !== undefined && value.type !== 'string') return WRONG_TYPE
  const oldLength = value === undefined ? 0 : lengthOf(value)
  if (part === '') return integer(oldLength)
  const end = offset + part.length
  if (end > maxStringBytes(context.node.settings)) return TOO_LONG
  const isLong = Math.max(oldLength, end) > LONG_BYTES
  if (isLong) openLong(context, key, entry).write(offset, part)
  else writeString(context.db, key, entry, overwrite(value?.bytes ?? '', offset, part), 'raw')
  context.notify('setrange', key)
  context.propagate()
  return integer(Math.max(oldLength, end))
}

/** The gap between the old end and `offset` becomes zero bytes. */
function overwrite(bytes: string, offset: number, part: string): string {
  return bytes.slice(0, offset).padEnd(offset, '\0') + part + bytes.slice(offset + part.length)
}

/** GETRANGE and SUBSTR. */
function getRange({ db, node }: CommandContext, argv: readonly string[]): Reply {
  const start = parseInteger(argv[2])
  const end = parseInteger(argv[3])
  if (start === undefined || end === undefined) return NOT_AN_INTEGER
  const value = db.value(arg(argv, 1))
  if (value === undefined) return EMPTY
  if (value.type !== 'string') return WRONG_TYPE
  const length = lengthOf(value)
  if (isBackwards(arg(argv, 2), arg(argv, 3))) return EMPTY
  const from = start < 0 ? Math.max(0, length + start) : start
  const to = end < 0 ? Math.max(0, length + end) : end
  const bytes = viewOf(value)
  if (typeof bytes === 'string') return bulk(bytes.slice(from, to + 1))
  return bulk(node.byteCodec.text(bytes.subarray(from, to + 1)))
}

const READ = ['1 RO access']
const CHANGED = 'write denyoom'
const REPLACED = `${CHANGED} grows_by_input`

const SET_KEY = ['1 RW access update variable_flags']

export const stringFamily: Family = {
  group: 'string',
  category: '@string',
  commands: [
    command('get', 2, 'readonly fast', READ, get),
    command('set', -3, REPLACED, SET_KEY, set, { readsKeys: hasGet }),
    command('setnx', 3, `${CHANGED} fast`, ['1 OW insert'], setNx),
    command('setex', 4, REPLACED, ['1 OW update'], setEx('EX', 'setex')),
    command('psetex', 4, REPLACED, ['1 OW update'], setEx('PX', 'psetex')),
    command('getset', 3, `${CHANGED} fast`, ['1 RW access update'], getSet),
    command('getdel', 2, 'write fast', ['1 RW access delete'], getDel),
    command('getex', -2, 'write fast', ['1 RW access update'], getEx),
    command('mget', -2, 'readonly fast', ['1..-1 RO access'], mget, {
      tips: ['request_policy:multi_shard'],
    }),
    command('mset', -3, REPLACED, ['1..-1/2 OW update'], mset, {
      tips: ['request_policy:multi_shard', 'response_policy:all_succeeded'],
    }),
    command('msetnx', -3, REPLACED, ['1..-1/2 OW insert'], msetNx, {
      tips: ['request_policy:multi_shard', 'response_policy:agg_min'],
    }),
    command('msetex', -4, REPLACED, ['1/2# OW update'], mSetEx, {
      tips: ['request_policy:multi_shard', 'response_policy:all_succeeded'],
    }),
    command('append', 3, `${CHANGED} fast`, ['1 RW insert'], append),
    command('strlen', 2, 'readonly fast', ['1 RO'], strLen),
    command('setrange', 4, CHANGED, ['1 RW update'], setRange, { stretchesBy: 'bytes' }),
    command('getrange', 4, 'readonly', READ, getRange),
    command('substr', 4, 'readonly', READ, getRange),
    command('lcs', -3, 'readonly', ['1..2 RO access'], lcs),
    ...counterCommands,
    ...conditionalCommands,
  ],
}

// GETEX: reads a string and changes its expiry.

/** `option` undefined: the expiry stays as it is. */
type Change =
  | { readonly option: ExpireOption; readonly text: string }
  | { readonly option: 'PERSIST' }
  | { readonly option: undefined }

function getEx(context: CommandContext, argv: readonly string[]): Reply {
  const change = parseChange(argv)
  if (change === undefined) return SYNTAX_ERROR
  const key = arg(argv, 1)
  const entry = context.db.findSource(key)
  if (entry === undefined) return NULL
  if (entry.value.type !== 'string') return WRONG_TYPE
  const reply = bulk(entry.value.bytes)
  if (change.option === 'PERSIST') {
    if (entry.expireAtMs !== undefined) {
      context.db.setExpiry(key, entry, undefined)
      context.notify('persist', key)
      context.propagate(['PERSIST', key])
    }
  } else if (change.option !== undefined) {
    // An invalid time is reported only if the string exists.
    const atMs = parseExpireAt(change.option, change.text, context.now.wallMs, 'getex')
    if (typeof atMs !== 'number') return atMs
    setExpiry(context, key, entry, atMs)
  }
  return reply
}

/** The same option may be repeated, and the last one counts; another option contradicts it. */
function parseChange(argv: readonly string[]): Change | undefined {
  let change: Change = { option: undefined }
  for (let at = 2; at < argv.length; at++) {
    const option = arg(argv, at).toUpperCase()
    if (change.option !== undefined && change.option !== option) return undefined
    if (option === 'PERSIST') {
      change = { option }
    } else {
      const text = argv[++at]
      if (!isExpireOption(option) || text === undefined) return undefined
      change = { option, text }
    }
  }
  return change
}
