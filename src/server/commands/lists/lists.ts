/** Lists: both ends and the middle. For the blocking forms see lists-blocking.ts. */
import {
  array,
  bulk,
  bulks,
  integer,
  NULL,
  NULL_ARRAY,
  OK,
  type Reply,
} from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg, command, type Family } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import {
  INDEX_OUT_OF_RANGE,
  MUST_BE_POSITIVE,
  NO_SUCH_KEY,
  NOT_AN_INTEGER,
  SYNTAX_ERROR,
  WRONG_TYPE,
  wrongArity,
} from '../../errors.ts'
import { Deque } from '../../values/deque.ts'
import {
  type ListEnd,
  notifyTaken,
  pushEvent,
  pushTo,
  takeItems,
} from '../../values/list-actions.ts'
import { lPos } from './list-position.ts'
import { lMove, lMPop, rPopLPush } from './lists-moving.ts'

const ZERO = integer(0)

/** LPUSH and RPUSH; with `needsList`, LPUSHX and RPUSHX. */
function push(side: ListEnd, needsList: boolean) {
  return (context: CommandContext, argv: readonly string[]): Reply => {
    const key = arg(argv, 1)
    const entry = context.db.find(key)
    const value = entry?.value
    if (value !== undefined && value.type !== 'list') return WRONG_TYPE
    if (value === undefined && needsList) return ZERO
    if (value !== undefined) context.db.changing(key, entry)
    const items = value?.items ?? new Deque()
    for (let at = 2; at < argv.length; at++) pushTo(items, side, arg(argv, at))
    if (value === undefined) context.db.put(key, { type: 'list', items })
    context.notify(pushEvent(side), key)
    context.propagate(undefined, argv.length - 2)
    return integer(items.length)
  }
}

/** LPOP and RPOP: one element, or with a count an array of them. */
function pop(side: ListEnd, name: string) {
  return (context: CommandContext, argv: readonly string[]): Reply => {
    if (argv.length > 3) return wrongArity(name)
    const count = argv.length === 3 ? parseInteger(argv[2]) : 1
    if (count === undefined || count < 0) return MUST_BE_POSITIVE
    const key = arg(argv, 1)
    const list = context.db.value(key)
    if (list === undefined) return argv.length === 3 ? NULL_ARRAY : NULL
    if (list.type !== 'list') return WRONG_TYPE
    if (count === 0) return array([])
    const items = takeItems(context, key, list, side, count)
    notifyTaken(context, key, list, side)
    context.propagate(undefined, items.length)
    return argv.length === 3 ? bulks(items) : bulk(items[0] ?? '')
  }
}

function lLen({ db }: CommandContext, argv: readonly string[]): Reply {
  const list = db.value(arg(argv, 1))
  if (list === undefined) return ZERO
  return list.type === 'list' ? integer(list.items.length) : WRONG_TYPE
}

/** Counted from the end if negative; may be outside of the list. */
function placeOf(index: number, length: number): number {
  return index < 0 ? length + index : index
}

function lIndex({ db }: CommandContext, argv: readonly string[]): Reply {
  const list = db.value(arg(argv, 1))
  if (list === undefined) return NULL
  if (list.type !== 'list') return WRONG_TYPE
  const index = parseInteger(argv[2])
  if (index === undefined) return NOT_AN_INTEGER
  const item = list.items.at(placeOf(index, list.items.length))
  return item === undefined ? NULL : bulk(item)
}

function lSet(context: CommandContext, argv: readonly string[]): Reply {
  const key = arg(argv, 1)
  const list = context.db.value(key)
  if (list === undefined) return NO_SUCH_KEY
  if (list.type !== 'list') return WRONG_TYPE
  const index = parseInteger(argv[2])
  if (index === undefined) return NOT_AN_INTEGER
  const place = placeOf(index, list.items.length)
  if (place < 0 || place >= list.items.length) return INDEX_OUT_OF_RANGE
  context.db.changing(key)
  list.items.set(place, arg(argv, 3))
  context.notify('lset', key)
  context.propagate()
  return OK
}

interface Range {
  readonly from: number
  readonly to: number
}

/** `start stop` within a list, both included; empty if `stop` is smaller than `start`. */
function parseRange(argv: readonly string[]): { start: number; stop: number } | undefined {
  const start = parseInteger(argv[2])
  const stop = parseInteger(argv[3])
  return start === undefined || stop === undefined ? undefined : { start, stop }
}

function within({ start, stop }: { start: number; stop: number }, length: number): Range {
  return {
    from: Math.max(0, placeOf(start, length)),
    to: Math.min(length - 1, placeOf(stop, length)),
  }
}

function lRange({ db }: CommandContext, argv: readonly string[]): Reply {
  const given = parseRange(argv)
  if (given === undefined) return NOT_AN_INTEGER
  const list = db.value(arg(argv, 1))
  if (list === undefined) return array([])
  if (list.type !== 'list') return WRONG_TYPE
  const { from, to } = within(given, list.items.length)
  return bulks(list.items.slice(from, to))
}

function lTrim(context: CommandContext, argv: readonly string[]): Reply {
  const given = parseRange(argv)
  if (given === undefined) return NOT_AN_INTEGER
  const key = arg(argv, 1)
  const list = context.db.value(key)
  if (list === undefined) return OK
  if (list.type !== 'list') return WRONG_TYPE
  const { length } = list.items
  const { from, to } = within(given, length)
  // Trimming nothing changes nothing, and counts as a change all the same.
  if (from > to) {
    context.db.remove(key)
  } else {
    context.db.changing(key)
    list.items.trim(from, to)
  }
  context.notify('ltrim', key)
  if (from > to) context.notify('del', key)
  const left = Math.max(0, to - from + 1)
  if (left < length) context.propagate(undefined, length - left)
  return OK
}

function lRem(context: CommandContext, argv: readonly string[]): Reply {
  const [key, item] = [arg(argv, 1), arg(argv, 3)]
  const count = parseInteger(argv[2])
  if (count === undefined) return NOT_AN_INTEGER
  const list = context.db.value(key)
  if (list === undefined) return ZERO
  if (list.type !== 'list') return WRONG_TYPE
  const places = placesToRemove(list.items, item, count)
  if (places.length === 0) return ZERO
  context.db.changing(key)
  list.items.remove(places)
  if (list.items.length === 0) context.db.remove(key)
  context.notify('lrem', key)
  if (list.items.length === 0) context.notify('del', key)
  context.propagate(undefined, places.length)
  return integer(places.length)
}

/** The first `count` matches if positive, the last if negative, all if 0; in ascending order. */
function placesToRemove(items: Deque, item: string, count: number): readonly number[] {
  const wanted = count === 0 ? items.length : Math.abs(count)
  const places: number[] = []
  for (let step = 0; step < items.length && places.length < wanted; step++) {
    const place = count < 0 ? items.length - 1 - step : step
    if (items.at(place) === item) places.push(place)
  }
  return count < 0 ? places.reverse() : places
}

function lInsert(context: CommandContext, argv: readonly string[]): Reply {
  const [key, where, pivot] = [arg(argv, 1), arg(argv, 2).toUpperCase(), arg(argv, 3)]
  if (where !== 'BEFORE' && where !== 'AFTER') return SYNTAX_ERROR
  const list = context.db.value(key)
  if (list === undefined) return ZERO
  if (list.type !== 'list') return WRONG_TYPE
  let place = 0
  while (place < list.items.length && list.items.at(place) !== pivot) place++
  if (place === list.items.length) return integer(-1)
  context.db.changing(key)
  list.items.insert(where === 'BEFORE' ? place : place + 1, arg(argv, 4))
  context.notify('linsert', key)
  context.propagate()
  return integer(list.items.length)
}

const ADDED = ['1 RW insert']
const READ = ['1 RO access']
const TAKEN = ['1 RW access delete']
const MOVED = ['1 RW access delete', '2 RW insert']

export const listFamily: Family = {
  group: 'list',
  category: '@list',
  commands: [
    command('lpush', -3, 'write denyoom fast', ADDED, push('LEFT', false)),
    command('rpush', -3, 'write denyoom fast', ADDED, push('RIGHT', false)),
    command('lpushx', -3, 'write denyoom fast', ADDED, push('LEFT', true)),
    command('rpushx', -3, 'write denyoom fast', ADDED, push('RIGHT', true)),
    command('lpop', -2, 'write fast', TAKEN, pop('LEFT', 'lpop')),
    command('rpop', -2, 'write fast', TAKEN, pop('RIGHT', 'rpop')),
    command('llen', 2, 'readonly fast', ['1 RO'], lLen),
    command('lindex', 3, 'readonly', READ, lIndex),
    command('lset', 4, 'write denyoom grows_by_input', ['1 RW update'], lSet),
    command('lrange', 4, 'readonly', READ, lRange),
    command('ltrim', 4, 'write', ['1 RW delete'], lTrim),
    command('lrem', 4, 'write', ['1 RW delete'], lRem),
    command('linsert', 5, 'write denyoom grows_by_input', ADDED, lInsert),
    command('lpos', -3, 'readonly', READ, lPos),
    command('lmove', 5, 'write denyoom', MOVED, lMove),
    command('rpoplpush', 3, 'write denyoom', MOVED, rPopLPush),
    command('lmpop', -4, 'write', ['1# RW access delete'], lMPop),
  ],
}
