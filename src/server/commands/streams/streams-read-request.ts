/** The requests of XREAD and XREADGROUP, parsed from their words. */
import { error, type Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import type { KeyRange } from '../../catalogue/key-spec.ts'
import {
  NOT_AN_INTEGER,
  SYNTAX_ERROR,
  TIMEOUT_NEGATIVE,
  TIMEOUT_NOT_AN_INTEGER,
} from '../../errors.ts'
import type { Db } from '../../keyspace/db.ts'
import type { StreamEntries } from '../../values/stream.ts'
import {
  GROUP_IN_XREAD,
  INVALID_ID,
  MISSING_GROUP,
  meaninglessInXreadgroup,
  NEW_ID_IN_XREAD,
  NOACK_IN_XREAD,
  noSuchKeyOrGroup,
  UNBALANCED_STREAMS,
} from '../../values/stream-errors.ts'
import { idBefore, MAX_ID, MIN_ID, parseId, type StreamId } from '../../values/stream-id.ts'
import { isReply, parseCount, readStream } from './streams-common.ts'
import type { Reader } from './streams-delivery.ts'

/**
 * In place of an id (`>`): what the group has not delivered to any consumer. No entry comes after the
 * greatest id.
 */
export const NEW = MAX_ID

export interface ReadSource {
  readonly key: string
  readonly after: StreamId
}

export interface ReadRequest {
  readonly sources: readonly ReadSource[]
  /** How many entries of each stream at most; 0 means all. */
  readonly count: number
  /** Undefined does not wait; 0 waits for ever. */
  readonly timeoutMs: number | undefined
  /** Undefined for XREAD. */
  readonly reader: Reader | undefined
}

interface Draft {
  readonly isInGroup: boolean
  count: number
  timeoutMs: number | undefined
  noAck: boolean
  names: readonly [group: string, consumer: string] | undefined
}

/** How many words the options have. A group may be called like one, so they are not searched but read. */
const OPTION_WORDS = new Map([
  ['BLOCK', 2],
  ['COUNT', 2],
  ['GROUP', 3],
  ['NOACK', 1],
])

/** For COMMAND GETKEYS and ACL, of words that may be wrong: the first half of those after STREAMS. */
export function readKeys(argv: readonly string[]): KeyRange | undefined {
  let at = 1
  for (;;) {
    const words = OPTION_WORDS.get(argv[at]?.toUpperCase() ?? '')
    if (words === undefined) break
    at += words
  }
  if (argv[at]?.toUpperCase() !== 'STREAMS') return undefined
  const count = Math.floor((argv.length - at - 1) / 2)
  return count === 0 ? undefined : { first: at + 1, last: at + count }
}

/** `isInScript`: a script calls it, and may not wait. */
export function parseRead(
  db: Db,
  argv: readonly string[],
  isInScript: boolean,
): ReadRequest | Reply {
  const draft: Draft = {
    isInGroup: arg(argv, 0).toLowerCase() === 'xreadgroup',
    count: 0,
    timeoutMs: undefined,
    noAck: false,
    names: undefined,
  }
  let at = 1
  while (argv[at]?.toUpperCase() !== 'STREAMS' || at + 1 === argv.length) {
    const wouldWait = argv[at]?.toUpperCase() === 'BLOCK' && at + 1 < argv.length
    if (isInScript && wouldWait) {
      return error(`ERR ${arg(argv, 0)} command is not allowed with BLOCK option from scripts`)
    }
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

/** The first half of the words are keys, the second half the ids after which each is read. */
function parseSources(
  db: Db,
  words: readonly string[],
  reader: Reader | undefined,
): ReadSource[] | Reply {
  const count = words.length / 2
  const sources: ReadSource[] = []
  for (let at = 0; at < count; at++) {
    const key = arg(words, at)
    const stream = readStream(db, key)
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

/** In place of an id (`+`, since Redis 7.4): the last entry is read, or the first one that comes. */
function beforeLast(stream: StreamEntries | undefined): StreamId {
  const last = stream?.lastEntry?.id
  return (last && idBefore(last)) ?? MIN_ID
}

function parseAfter(
  text: string,
  stream: StreamEntries | undefined,
  isInGroup: boolean,
): StreamId | Reply {
  if (isInGroup && (text === '$' || text === '+')) return meaninglessInXreadgroup(text)
  if (text === '$') return stream?.lastId ?? MIN_ID
  if (text === '+') return beforeLast(stream)
  if (text === '>') return isInGroup ? NEW : NEW_ID_IN_XREAD
  return parseId(text) ?? INVALID_ID
}
