/** What XREAD and XREADGROUP ask for, from their words. */
import type { Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import {
  NOT_AN_INTEGER,
  SYNTAX_ERROR,
  TIMEOUT_NEGATIVE,
  TIMEOUT_NOT_AN_INTEGER,
} from '../../errors.ts'
import type { Db } from '../../keyspace/db.ts'
import type { Stream } from '../../values/stream.ts'
import {
  GROUP_IN_XREAD,
  INVALID_ID,
  LAST_ID_IN_XREADGROUP,
  MISSING_GROUP,
  NEW_ID_IN_XREAD,
  NOACK_IN_XREAD,
  noSuchKeyOrGroup,
  UNBALANCED_STREAMS,
} from '../../values/stream-errors.ts'
import { MAX_ID, MIN_ID, parseId, type StreamId } from '../../values/stream-id.ts'
import { findStream, isReply, parseCount } from './streams-common.ts'
import type { Reader } from './streams-delivery.ts'

/** Instead of an id: what the group has not handed to anybody. No entry comes after the greatest id. */
export const NEW = MAX_ID

export interface Source {
  readonly key: string
  readonly after: StreamId
}

export interface ReadRequest {
  readonly sources: readonly Source[]
  /** Entries of each stream at most; 0: all. */
  readonly count: number
  /** Undefined: does not wait; 0: for ever. */
  readonly timeoutMs: number | undefined
  /** Undefined: XREAD. */
  readonly reader: Reader | undefined
}

interface Draft {
  readonly isInGroup: boolean
  count: number
  timeoutMs: number | undefined
  noAck: boolean
  names: readonly [group: string, consumer: string] | undefined
}

export function parseRead(db: Db, argv: readonly string[]): ReadRequest | Reply {
  const draft: Draft = {
    isInGroup: arg(argv, 0).toLowerCase() === 'xreadgroup',
    count: 0,
    timeoutMs: undefined,
    noAck: false,
    names: undefined,
  }
  let at = 1
  while (argv[at]?.toUpperCase() !== 'STREAMS' || at + 1 === argv.length) {
    const words = at < argv.length ? takeOption(draft, argv, at) : SYNTAX_ERROR
    if (typeof words !== 'number') return words
    at += words
  }
  const words = argv.slice(at + 1)
  if (words.length % 2 === 1) return UNBALANCED_STREAMS
  const { names, noAck, count, timeoutMs, isInGroup } = draft
  if (isInGroup && names === undefined) return MISSING_GROUP
  const reader = names && { group: names[0], consumer: names[1], noAck }
  const sources = parseSources(db, words, reader)
  return 'kind' in sources ? sources : { sources, count, timeoutMs, reader }
}

/** How many words the option has. */
function takeOption(draft: Draft, argv: readonly string[], at: number): number | Reply {
  const left = argv.length - at - 1
  const option = arg(argv, at).toUpperCase()
  if (option === 'BLOCK' && left > 0) return takeTimeout(draft, argv[at + 1])
  if (option === 'COUNT' && left > 0) {
    const count = parseCount(argv[at + 1])
    if (count === undefined) return NOT_AN_INTEGER
    draft.count = count
    return 2
  }
  if (option === 'GROUP' && left > 1) {
    if (!draft.isInGroup) return GROUP_IN_XREAD
    draft.names = [arg(argv, at + 1), arg(argv, at + 2)]
    return 3
  }
  if (option !== 'NOACK') return SYNTAX_ERROR
  if (!draft.isInGroup) return NOACK_IN_XREAD
  draft.noAck = true
  return 1
}

function takeTimeout(draft: Draft, text: string | undefined): number | Reply {
  const timeoutMs = parseInteger(text)
  if (timeoutMs === undefined) return TIMEOUT_NOT_AN_INTEGER
  if (timeoutMs < 0) return TIMEOUT_NEGATIVE
  draft.timeoutMs = timeoutMs
  return 2
}

/** The first half of the words are keys, the second half says after which id each is read. */
function parseSources(
  db: Db,
  words: readonly string[],
  reader: Reader | undefined,
): Source[] | Reply {
  const count = words.length / 2
  const sources: Source[] = []
  for (let at = 0; at < count; at++) {
    const key = arg(words, at)
    const stream = findStream(db, key)
    if (stream !== undefined && isReply(stream)) return stream
    if (reader !== undefined && stream?.groups.has(reader.group) !== true) {
      return noSuchKeyOrGroup(key, reader.group, ' in XREADGROUP with GROUP option')
    }
    const after = parseAfter(arg(words, count + at), stream, reader !== undefined)
    if (typeof after !== 'string') return after
    sources.push({ key, after })
  }
  return sources
}

function parseAfter(
  text: string,
  stream: Stream | undefined,
  isInGroup: boolean,
): StreamId | Reply {
  if (text === '$') return isInGroup ? LAST_ID_IN_XREADGROUP : (stream?.lastId ?? MIN_ID)
  if (text === '>') return isInGroup ? NEW : NEW_ID_IN_XREAD
  return parseId(text) ?? INVALID_ID
}
