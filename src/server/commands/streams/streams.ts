/** The stream commands: a log of entries with ids, read by position or distributed within groups. */
import { array, NULL_ARRAY, OK, type Reply } from '../../../resp/reply.ts'
import { parseExact } from '../../arguments/numbers.ts'
import { arg, command, type Family } from '../../catalogue/command.ts'
import { VARYING } from '../../catalogue/command-traits.ts'
import { foundBy } from '../../catalogue/key-spec.ts'
import type { CommandContext } from '../../context.ts'
import { NO_SUCH_KEY, NOT_AN_INTEGER, SYNTAX_ERROR } from '../../errors.ts'
import {
  BELOW_GIVEN_MAX_DELETED,
  BELOW_TOP_ENTRY,
  ENTRIES_ADDED_TOO_SMALL,
  INVALID_ID,
  NEGATIVE_ENTRIES_ADDED,
} from '../../values/stream-errors.ts'
import { MIN_ID, parseId, type StreamId } from '../../values/stream-id.ts'
import { xAdd, xDel, xLen, xTrim } from './streams-adding.ts'
import { xAutoClaim, xClaim } from './streams-claiming.ts'
import {
  entriesReply,
  findStream,
  isReply,
  parseCount,
  parseEnd,
  parseStart,
} from './streams-common.ts'
import { xAck, xGroup } from './streams-groups.ts'
import { xInfo } from './streams-info.ts'
import { xPending } from './streams-pending.ts'
import { readKeys } from './streams-read-request.ts'
import { xRead } from './streams-reading.ts'

const UPDATED = ['1 RW update']
const DELETED = ['1 RW delete']
const READ = ['1 RO access']
const READ_BY_ANY = [foundBy(readKeys, 'STREAMS@1..-1 RO access')]
const READ_BY_GROUP = [foundBy(readKeys, 'STREAMS@4..-1 RO access')]

export const streamFamily: Family = {
  group: 'stream',
  category: '@stream',
  commands: [
    command('xadd', -5, 'write denyoom fast', UPDATED, xAdd, VARYING),
    command('xtrim', -4, 'write', DELETED, xTrim, VARYING),
    command('xdel', -3, 'write fast', DELETED, xDel),
    command('xlen', 2, 'readonly fast', ['1 RO'], xLen),
    command('xsetid', -3, 'write denyoom fast', UPDATED, xSetId),
    command('xrange', -4, 'readonly', READ, xRange),
    command('xrevrange', -4, 'readonly', READ, xRevRange),
    command('xread', -4, 'readonly blocking', READ_BY_ANY, xRead),
    command('xreadgroup', -7, 'write blocking', READ_BY_GROUP, xRead),
    command('xack', -4, 'write fast', UPDATED, xAck),
    command('xpending', -3, 'readonly', READ, xPending, VARYING),
    command('xclaim', -6, 'write fast', UPDATED, xClaim, VARYING),
    command('xautoclaim', -6, 'write fast', DELETED, xAutoClaim, VARYING),
    xGroup,
    xInfo,
  ],
}

/** XRANGE and XREVRANGE. */
function xRange({ db }: CommandContext, argv: readonly string[]): Reply {
  return range({ db }, argv, arg(argv, 2), arg(argv, 3), false)
}

/** The interval is given from its end to its beginning. */
function xRevRange({ db }: CommandContext, argv: readonly string[]): Reply {
  return range({ db }, argv, arg(argv, 3), arg(argv, 2), true)
}

function range(
  { db }: Pick<CommandContext, 'db'>,
  argv: readonly string[],
  from: string,
  to: string,
  isBackwards: boolean,
): Reply {
  const start = parseStart(from)
  if (typeof start !== 'string') return start
  const end = parseEnd(to)
  if (typeof end !== 'string') return end
  const count = parseCountOption(argv)
  if (typeof count === 'object') return count
  const stream = findStream(db, arg(argv, 1))
  if (stream === undefined) return array([])
  if (isReply(stream)) return stream
  if (count === 0) return NULL_ARRAY
  const entries = isBackwards ? stream.backwards(start, end) : stream.range(start, end)
  return entriesReply(entries, count ?? 0)
}

/** If there are several, the last counts; undefined if there is none. */
function parseCountOption(argv: readonly string[]): number | Reply | undefined {
  let count: number | undefined
  for (let at = 4; at < argv.length; at += 2) {
    if (arg(argv, at).toUpperCase() !== 'COUNT' || at + 1 === argv.length) return SYNTAX_ERROR
    count = parseCount(argv[at + 1])
    if (count === undefined) return NOT_AN_INTEGER
  }
  return count
}

/** XSETID: sets the counters of a stream's past, for programs that rebuild one. */
interface Counters {
  readonly lastId: StreamId
  entriesAdded: bigint | undefined
  maxDeletedId: StreamId
}

function xSetId(context: CommandContext, argv: readonly string[]): Reply {
  const counters = parseCounters(argv)
  if ('kind' in counters) return counters
  const key = arg(argv, 1)
  const stream = findStream(context.db, key)
  if (stream === undefined) return NO_SUCH_KEY
  if (isReply(stream)) return stream
  const { lastId, entriesAdded, maxDeletedId } = counters
  if (stream.lastEntry !== undefined && lastId < stream.lastEntry.id) return BELOW_TOP_ENTRY
  if (entriesAdded !== undefined && stream.length > entriesAdded) return ENTRIES_ADDED_TOO_SMALL
  context.db.changingAside(key)
  stream.lastId = lastId
  if (entriesAdded !== undefined) stream.entriesAdded = entriesAdded
  if (maxDeletedId !== MIN_ID) stream.maxDeletedId = maxDeletedId
  context.notify('xsetid', key)
  context.propagate()
  return OK
}

function parseCounters(argv: readonly string[]): Counters | Reply {
  const lastId = parseId(arg(argv, 2))
  if (lastId === undefined) return INVALID_ID
  const counters: Counters = { lastId, entriesAdded: undefined, maxDeletedId: MIN_ID }
  for (let at = 3; at < argv.length; at += 2) {
    const wrong = takeCounter(counters, arg(argv, at), argv[at + 1])
    if (wrong !== undefined) return wrong
  }
  return counters
}

function takeCounter(counters: Counters, option: string, value: string | undefined) {
  switch (value === undefined ? '' : option.toUpperCase()) {
    case 'ENTRIESADDED': {
      const added = parseExact(value ?? '')
      if (added === undefined) return NOT_AN_INTEGER
      if (added < 0) return NEGATIVE_ENTRIES_ADDED
      counters.entriesAdded = BigInt(added)
      return undefined
    }
    case 'MAXDELETEDID': {
      const id = parseId(value ?? '')
      if (id === undefined) return INVALID_ID
      if (counters.lastId < id) return BELOW_GIVEN_MAX_DELETED
      counters.maxDeletedId = id
      return undefined
    }
    default:
      return SYNTAX_ERROR
  }
}
