/**
 * How far a group has got, in entries: what XINFO shows as entries-read and lag. Counting is exact as
 * long as entries only go from the front; an entry deleted from the middle ahead of the group makes the
 * count unknown until the group is past it. The rules are those of Redis 7.0.
 */
import type { Stream } from './stream.ts'
import { type Group, UNKNOWN_ENTRIES_READ } from './stream-group.ts'
import { MIN_ID, type StreamId } from './stream-id.ts'

/** How many entries were ever added up to the id; UNKNOWN_ENTRIES_READ: nobody can say. */
export function entriesReadAt(stream: Stream, id: StreamId): bigint {
  const { entriesAdded, firstId, lastId, length, maxDeletedId } = stream
  if (entriesAdded === 0n) return 0n
  if (id === lastId || (length === 0 && id < lastId)) return entriesAdded
  if (id > lastId) return UNKNOWN_ENTRIES_READ
  const isWhole = maxDeletedId === MIN_ID || maxDeletedId < firstId
  if (!isWhole || id > firstId) return UNKNOWN_ENTRIES_READ
  return entriesAdded - BigInt(length) + (id === firstId ? 1n : 0n)
}

/** How many entries the group has not read yet; undefined: nobody can say. */
export function lagOf(stream: Stream, group: Group): bigint | undefined {
  if (stream.entriesAdded === 0n) return 0n
  const isCounted = group.entriesRead !== UNKNOWN_ENTRIES_READ && !hasGapFrom(stream, group.lastId)
  const read = isCounted ? group.entriesRead : entriesReadAt(stream, group.lastId)
  return read === UNKNOWN_ENTRIES_READ ? undefined : stream.entriesAdded - read
}

/** The group has got as far as the entry. */
export function advance(stream: Stream, group: Group, id: StreamId): void {
  if (id <= group.lastId) return
  if (group.entriesRead !== UNKNOWN_ENTRIES_READ && !hasGapFrom(stream, id)) group.entriesRead++
  else if (stream.entriesAdded > 0n) group.entriesRead = entriesReadAt(stream, id)
  group.lastId = id
}

/** Whether an entry was deleted at or after the id, with entries before it that are still there. */
function hasGapFrom({ length, firstId, maxDeletedId }: Stream, id: StreamId): boolean {
  if (length === 0 || maxDeletedId === MIN_ID || firstId > maxDeletedId) return false
  return id <= maxDeletedId
}
