/**
 * Commands of Redis 7.4 and 8 that name fields behind FIELDS and their number: HEXPIRE and its kin give single fields
 * a time to live, HGETEX, HSETEX and HGETDEL read, set or take several at once. Replicas are told moments and results
 * in words that Redis 7.4 knows: HSET, HDEL, HPEXPIREAT, HPERSIST.
 */
import { bulks, error, integer, list, type Reply } from '../../../resp/reply.ts'
import {
  type ExpireOption,
  type ExpireUnit,
  isExpireOption,
  isPast,
  milliseconds,
  parseMoment,
  seconds,
} from '../../arguments/expire-time.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg, command } from '../../catalogue/command.ts'
import { VARYING } from '../../catalogue/command-traits.ts'
import type { CommandContext } from '../../context.ts'
import { invalidExpireTime, NOT_AN_INTEGER, WRONG_TYPE, wrongArity } from '../../errors.ts'
import type { HashValue } from '../../values/value.ts'
import { dropFields, openHash, persistField, setField } from './hash-fields.ts'

const FIELDS_MISSING = error(
  'ERR Mandatory argument FIELDS is missing or not at the right position',
)
const WRONG_COUNT = error('ERR The `numfields` parameter must match the number of arguments')
const BAD_COUNT = error('ERR Number of fields must be a positive integer')
const BAD_EXPIRE_COUNT = error('ERR Parameter `numFields` should be greater than 0')
const NEGATIVE_TIME = error('ERR invalid expire time, must be >= 0')
const TWO_CONDITIONS = error('ERR Only one of FXX or FNX arguments can be specified')
const TWO_EXPIRIES = error(
  'ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified',
)
const NO_EXPIRY_GIVEN = error('ERR missing expire time')
const BAD_SET_COUNT = error('ERR invalid number of fields')

/** What each field is answered with. */
const NO_FIELD = -2
const NO_EXPIRY = -1
const NOT_MET = 0
const DONE = 1
const DELETED = 2

/** The last moment a field can be given. */
const LAST_MS = 2 ** 46 - 1

type Condition = 'NX' | 'XX' | 'GT' | 'LT'

// Arguments

/** The words behind `FIELDS count`, which begins at `at`. */
function fieldsFrom(argv: readonly string[], at: number, badCount: Reply): string[] | Reply {
  if (argv[at]?.toUpperCase() !== 'FIELDS') return FIELDS_MISSING
  const count = parseInteger(argv[at + 1])
  if (count === undefined || count < 1) return badCount
  const fields = argv.slice(at + 2)
  return fields.length === count ? fields : WRONG_COUNT
}

/** Wall-clock milliseconds. */
function momentOf(text: string | undefined, unit: ExpireUnit, nowMs: number): number | Reply {
  const baseMs = unit.isRelative ? nowMs : 0
  const atMs = parseMoment(text, unit.milliseconds, baseMs)
  if (atMs === 'no integer') return NOT_AN_INTEGER
  if (text?.startsWith('-') === true) return NEGATIVE_TIME
  return atMs === 'out of range' || atMs > LAST_MS ? invalidExpireTime(unit.name) : atMs
}

function unitOf(option: ExpireOption, name: string): ExpireUnit {
  const unit = option === 'EX' || option === 'EXAT' ? seconds : milliseconds
  return unit(name, option === 'EX' || option === 'PX')
}

/** The hash at a key; undefined: there is none. */
function hashAt({ db }: CommandContext, key: string): HashValue | undefined | Reply {
  const value = db.liveValue(key)
  return value === undefined || value.type === 'hash' ? value : WRONG_TYPE
}

function isReply(found: object | undefined): found is Reply {
  return found !== undefined && 'kind' in found
}

// Giving fields a time to live

/** HEXPIRE, HPEXPIRE, HEXPIREAT, HPEXPIREAT. */
function expireFields(unit: ExpireUnit) {
  return (context: CommandContext, argv: readonly string[]): Reply => {
    const key = arg(argv, 1)
    const hash = hashAt(context, key)
    if (isReply(hash)) return hash
    const atMs = momentOf(argv[2], unit, context.now.wallMs)
    if (typeof atMs !== 'number') return atMs
    const condition = conditionOf(argv[3])
    const fields = fieldsFrom(argv, condition === undefined ? 3 : 4, BAD_EXPIRE_COUNT)
    if (isReply(fields)) return fields
    const answers = expireEach(context, key, hash, fields, { atMs, condition })
    return list(answers, integer)
  }
}

function conditionOf(word: string | undefined): Condition | undefined {
  const name = word?.toUpperCase()
  return name === 'NX' || name === 'XX' || name === 'GT' || name === 'LT' ? name : undefined
}

interface NewExpiry {
  readonly atMs: number
  readonly condition?: Condition | undefined
}

/** Changes the fields and tells it; returns what each is answered with. */
function expireEach(
  context: CommandContext,
  key: string,
  hash: HashValue | undefined,
  fields: readonly string[],
  { atMs, condition }: NewExpiry,
): number[] {
  const expiries = context.db.entries.get(key)?.value as HashValue | undefined
  const isOver = isPast(context, atMs)
  const changed = new Set<string>()
  const answers = fields.map((field) => {
    if (hash?.fields.has(field) !== true || (isOver && changed.has(field))) return NO_FIELD
    const oldMs = changed.has(field) ? atMs : expiries?.expiries?.get(field)
    if (!isMet(condition, oldMs, atMs)) return NOT_MET
    changed.add(field)
    return isOver ? DELETED : DONE
  })
  if (changed.size === 0) return answers
  if (isOver) takeFields(context, key, [...changed])
  else giveExpiry(context, key, [...changed], atMs)
  return answers
}

function isMet(condition: Condition | undefined, oldMs: number | undefined, atMs: number): boolean {
  if (condition === undefined) return true
  // No expiry counts as the longest.
  if (oldMs === undefined) return condition === 'NX' || condition === 'LT'
  if (condition === 'GT') return atMs > oldMs
  return condition === 'LT' ? atMs < oldMs : condition === 'XX'
}

function takeFields(context: CommandContext, key: string, fields: readonly string[]): void {
  dropFields(context, key, fields)
  context.propagate(['HDEL', key, ...fields])
}

function giveExpiry(
  context: CommandContext,
  key: string,
  fields: readonly string[],
  atMs: number,
): void {
  context.db.expireFieldsAt(key, fields, atMs)
  context.notify('hexpire', key)
  context.propagate(['HPEXPIREAT', key, String(atMs), 'FIELDS', String(fields.length), ...fields])
}

/** HTTL, HPTTL, HEXPIRETIME, HPEXPIRETIME: seconds are rounded up. */
function remaining(unit: ExpireUnit) {
  return (context: CommandContext, argv: readonly string[]): Reply => {
    const hash = hashAt(context, arg(argv, 1))
    if (isReply(hash)) return hash
    const fields = fieldsFrom(argv, 2, BAD_COUNT)
    if (isReply(fields)) return fields
    const own = context.db.entries.get(arg(argv, 1))?.value as HashValue | undefined
    const baseMs = unit.isRelative ? context.now.wallMs : 0
    const answers = fields.map((field) => {
      if (hash?.fields.has(field) !== true) return NO_FIELD
      const atMs = own?.expiries?.get(field)
      return atMs === undefined ? NO_EXPIRY : Math.ceil((atMs - baseMs) / unit.milliseconds)
    })
    return list(answers, integer)
  }
}

function persist(context: CommandContext, argv: readonly string[]): Reply {
  const key = arg(argv, 1)
  const hash = hashAt(context, key)
  if (isReply(hash)) return hash
  const fields = fieldsFrom(argv, 2, BAD_COUNT)
  if (isReply(fields)) return fields
  const isThere = fields.map((field) => hash?.fields.has(field) === true)
  const persisted = persistEach(context, key, hash, fields)
  const answers = fields.map((field, at) => {
    if (!isThere[at]) return NO_FIELD
    return persisted.delete(field) ? DONE : NO_EXPIRY
  })
  return list(answers, integer)
}

/** Returns those that had an expiry. */
function persistEach(
  context: CommandContext,
  key: string,
  live: HashValue | undefined,
  fields: readonly string[],
): Set<string> {
  const hash = context.db.entries.get(key)?.value
  if (hash?.type !== 'hash' || live === undefined) return new Set()
  const had = fields.filter(
    (field) => live.fields.has(field) && hash.expiries?.get(field) !== undefined,
  )
  const persisted = new Set(had)
  if (persisted.size === 0) return persisted
  context.db.changing(key)
  for (const field of persisted) persistField(hash, field)
  context.notify('hpersist', key)
  context.propagate(['HPERSIST', key, 'FIELDS', String(persisted.size), ...persisted])
  return persisted
}

// Reading, setting and taking several fields

/** `HGETDEL key FIELDS count field …`. */
function hGetDel(context: CommandContext, argv: readonly string[]): Reply {
  const key = arg(argv, 1)
  const hash = hashAt(context, key)
  if (isReply(hash)) return hash
  const fields = fieldsFrom(argv, 2, BAD_COUNT)
  if (isReply(fields)) return fields
  // A field that is named twice is gone the second time.
  const values = fields.map((field, at) =>
    fields.indexOf(field) < at ? undefined : hash?.fields.get(field),
  )
  const present = fields.filter((_, at) => values[at] !== undefined)
  if (present.length > 0) takeFields(context, key, present)
  return bulks(values)
}

/** `HGETEX key [EX s | PX ms | EXAT s | PXAT ms | PERSIST] FIELDS count field …`. */
function hGetEx(context: CommandContext, argv: readonly string[]): Reply {
  const key = arg(argv, 1)
  const hash = hashAt(context, key)
  if (isReply(hash)) return hash
  const option = arg(argv, 2).toUpperCase()
  const isTimed = isExpireOption(option)
  const atMs = isTimed ? momentOf(argv[3], unitOf(option, 'hgetex'), context.now.wallMs) : undefined
  if (typeof atMs === 'object') return atMs
  const fields = fieldsFrom(argv, isTimed ? 4 : option === 'PERSIST' ? 3 : 2, BAD_COUNT)
  if (isReply(fields)) return fields
  const isOver = atMs !== undefined && isPast(context, atMs)
  const values = fields.map((field, at) =>
    isOver && fields.indexOf(field) < at ? undefined : hash?.fields.get(field),
  )
  if (option === 'PERSIST') persistEach(context, key, hash, fields)
  else if (atMs !== undefined) expireEach(context, key, hash, fields, { atMs })
  return bulks(values)
}

interface SetOptions {
  /** Wall-clock milliseconds. */
  readonly atMs: number | undefined
  readonly keepsExpiry: boolean
  readonly condition: 'FNX' | 'FXX' | undefined
  /** Where the first field stands. */
  readonly from: number
}

/** `HSETEX key [FNX | FXX] [EX s | PX ms | EXAT s | PXAT ms | KEEPTTL] FIELDS count field value …`. */
function hSetEx(context: CommandContext, argv: readonly string[]): Reply {
  const options = parseSetOptions(argv, context.now.wallMs)
  if (isReply(options)) return options
  const key = arg(argv, 1)
  const live = hashAt(context, key)
  if (isReply(live)) return live
  const pairs = argv.slice(options.from)
  const fields = pairs.filter((_, at) => at % 2 === 0)
  const { condition, atMs } = options
  const has = (field: string) => live?.fields.has(field) === true
  if (condition === 'FXX' && !fields.every(has)) return integer(NOT_MET)
  if (condition === 'FNX' && fields.some(has)) return integer(NOT_MET)
  const hash = openHash(context, key) as HashValue
  for (let at = 0; at < pairs.length; at += 2) {
    const keeps = options.keepsExpiry && has(arg(pairs, at))
    setField(hash, arg(pairs, at), arg(pairs, at + 1), keeps)
  }
  context.notify('hset', key)
  tellFields(context, key, fields)
  if (atMs !== undefined) expireEach(context, key, hash, fields, { atMs })
  return integer(DONE)
}

function parseSetOptions(argv: readonly string[], nowMs: number): SetOptions | Reply {
  let [condition, expiry]: (string | undefined)[] = []
  let atMs: number | undefined
  for (let at = 2; at < argv.length; at++) {
    const word = arg(argv, at).toUpperCase()
    if (word === 'FIELDS') {
      const from = pairsFrom(argv, at)
      if (typeof from !== 'number') return from
      const keepsExpiry = expiry === 'KEEPTTL'
      return { atMs, keepsExpiry, condition: condition as SetOptions['condition'], from }
    }
    if (word === 'FNX' || word === 'FXX') {
      if (condition !== undefined) return TWO_CONDITIONS
      condition = word
    } else if (word === 'KEEPTTL' || isExpireOption(word)) {
      if (expiry !== undefined) return TWO_EXPIRIES
      expiry = word
      if (word === 'KEEPTTL') continue
      if (++at === argv.length) return NO_EXPIRY_GIVEN
      const moment = momentOf(argv[at], unitOf(word, 'hsetex'), nowMs)
      if (typeof moment !== 'number') return moment
      atMs = moment
    } else {
      return error(`ERR unknown argument: ${arg(argv, at)}`)
    }
  }
  return wrongArity('hsetex')
}

/** Where the pairs begin behind `FIELDS count`, which stands at `at`. */
function pairsFrom(argv: readonly string[], at: number): number | Reply {
  if (at >= argv.length - 3) return wrongArity('hsetex')
  const count = parseInteger(argv[at + 1])
  if (count === undefined || count < 1 || count > 2 ** 31 - 1) return BAD_SET_COUNT
  return argv.length - at - 2 === 2 * count ? at + 2 : wrongArity('hsetex')
}

/** Tells replicas the values of fields, and when those expire that do: setting them takes that away. */
export function tellFields(context: CommandContext, key: string, fields: readonly string[]): void {
  const hash = context.db.entries.get(key)?.value
  if (hash?.type !== 'hash') return
  const pairs = fields.flatMap((field) => [field, hash.fields.get(field) ?? ''])
  context.propagate(['HSET', key, ...pairs])
  for (const field of new Set(fields)) {
    const atMs = hash.expiries?.get(field)
    if (atMs === undefined) continue
    context.propagate(['HPEXPIREAT', key, String(atMs), 'FIELDS', '1', field])
  }
}

const UPDATED = ['1 RW update']
const READ = ['1 RO access']
const LOOK = 'readonly fast'
const TIMED = 'write denyoom fast'

export const fieldListCommands = [
  command('hexpire', -6, TIMED, UPDATED, expireFields(seconds('hexpire', true))),
  command('hpexpire', -6, TIMED, UPDATED, expireFields(milliseconds('hpexpire', true))),
  command('hexpireat', -6, TIMED, UPDATED, expireFields(seconds('hexpireat', false))),
  command('hpexpireat', -6, TIMED, UPDATED, expireFields(milliseconds('hpexpireat', false))),
  command('httl', -5, LOOK, READ, remaining(seconds('httl', true)), VARYING),
  command('hpttl', -5, LOOK, READ, remaining(milliseconds('hpttl', true)), VARYING),
  command('hexpiretime', -5, LOOK, READ, remaining(seconds('hexpiretime', false))),
  command('hpexpiretime', -5, LOOK, READ, remaining(milliseconds('hpexpiretime', false))),
  command('hpersist', -5, 'write fast', UPDATED, persist),
  command('hgetdel', -5, 'write fast', ['1 RW access delete'], hGetDel),
  command('hgetex', -5, 'write fast', ['1 RW access update'], hGetEx),
  command('hsetex', -6, TIMED, UPDATED, hSetEx),
]
