/** What the stream commands share: finding a stream or a group, and formatting ids and entries. */
import { array, bulk, bulks, list, type Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { WRONG_TYPE } from '../../errors.ts'
import type { Db } from '../../keyspace/db.ts'
import type { StreamEntries, StreamEntry } from '../../values/stream.ts'
import { INVALID_END, INVALID_ID, INVALID_START } from '../../values/stream-errors.ts'
import type { ConsumerGroup } from '../../values/stream-group.ts'
import {
  idAfter,
  idBefore,
  idText,
  MAX_UINT64,
  parseId,
  parseIdOrEdge,
  type StreamId,
  type Uint64,
} from '../../values/stream-id.ts'
import type { Value } from '../../values/value.ts'

/** Undefined if there is no such key. */
export function findStream(db: Db, key: string): StreamEntries | Reply | undefined {
  return streamOf(db.value(key))
}

/** The same for a command that reads, and may write elsewhere. */
export function readStream(db: Db, key: string): StreamEntries | Reply | undefined {
  return streamOf(db.source(key))
}

export function streamOf(value: Value | undefined): StreamEntries | Reply | undefined {
  if (value === undefined) return undefined
  return value.type === 'stream' ? value.stream : WRONG_TYPE
}

export interface OpenGroup {
  readonly stream: StreamEntries
  readonly group: ConsumerGroup
}

/** `missing`: the reply if there is no such key or no such group. */
export function findGroup(db: Db, key: string, name: string, missing: Reply): OpenGroup | Reply {
  return openGroup(readStream(db, key), name, missing, missing)
}

/** The same in a stream that was looked up; `noKey` and `noGroup`: the replies if it, or the group, is missing. */
export function openGroup(
  stream: StreamEntries | Reply | undefined,
  name: string,
  noKey: Reply,
  noGroup: Reply,
): OpenGroup | Reply {
  if (stream === undefined) return noKey
  if (isReply(stream)) return stream
  const group = stream.groups.get(name)
  return group === undefined ? noGroup : { stream, group }
}

export function isReply(found: object): found is Reply {
  return 'kind' in found
}

export function idReply(id: StreamId): Reply {
  return bulk(idText(id))
}

export function entryReply({ id, pairs }: StreamEntry): Reply {
  return array([idReply(id), bulks(pairs)])
}

/** Up to `count` entries; 0 means all. */
export function entriesReply(entries: Iterable<StreamEntry>, count: number): Reply {
  const found: StreamEntry[] = []
  for (const entry of entries) {
    found.push(entry)
    if (found.length === count) break
  }
  return list(found, entryReply)
}

/** The words from `at` on as ids. */
export function parseIds(argv: readonly string[], at: number): StreamId[] | Reply {
  const ids: StreamId[] = []
  for (const text of argv.slice(at)) {
    const id = parseId(text)
    if (id === undefined) return INVALID_ID
    ids.push(id)
  }
  return ids
}

/** The first id of an interval: an id, `-`, or `(` and an id that is excluded. */
export function parseStart(text: string): StreamId | Reply {
  const bound = parseBound(text, 0)
  if (bound === undefined) return INVALID_ID
  return bound.isExcluded ? (idAfter(bound.id) ?? INVALID_START) : bound.id
}

/** The last id. Without a sequence number it includes all of that millisecond. */
export function parseEnd(text: string): StreamId | Reply {
  const bound = parseBound(text, MAX_UINT64)
  if (bound === undefined) return INVALID_ID
  return bound.isExcluded ? (idBefore(bound.id) ?? INVALID_END) : bound.id
}

interface Bound {
  readonly id: StreamId
  readonly isExcluded: boolean
}

function parseBound(text: string, missingSeq: Uint64): Bound | undefined {
  const isExcluded = text.length > 1 && text.startsWith('(')
  const id = isExcluded ? parseId(text.slice(1), missingSeq) : parseIdOrEdge(text, missingSeq)
  return id === undefined ? undefined : { id, isExcluded }
}

/** A count; a negative one is 0; undefined if it is no integer. */
export function parseCount(text: string | undefined): number | undefined {
  const count = parseInteger(text)
  return count === undefined ? undefined : Math.max(0, count)
}

/** As Redis counts in 64 bits: a time in the future, or too far back for them, is now. */
export function idleMs(nowMs: number, sinceMs: number): number {
  const idle = nowMs - sinceMs
  return idle < 0 || idle >= 2 ** 63 ? 0 : idle
}
