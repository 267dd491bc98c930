/** XSETID: what a stream's past has been, for those who build one anew. */
import { OK, type Reply } from '../../../resp/reply.ts'
import { parseExact } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
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
import { findStream, isReply } from './streams-common.ts'

interface Counters {
  readonly lastId: StreamId
  entriesAdded: bigint | undefined
  maxDeletedId: StreamId
}

export function xSetId(context: CommandContext, argv: readonly string[]): Reply {
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
