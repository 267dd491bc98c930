/**
 * How far a group has read, in entries: what XINFO shows as entries-read and lag. Counting is exact as
 * long as entries are removed at the front only; an entry deleted from the middle ahead of the group
 * makes the count unknown until the group is past it. The rules are those of Redis 7.0.
 */
import type { StreamEntries } from './stream.ts'
import { type ConsumerGroup, UNKNOWN_ENTRIES_READ } from './stream-group.ts'
import { MIN_ID, type StreamId } from './stream-id.ts'

/** How many entries were ever added up to the id; UNKNOWN_ENTRIES_READ if that cannot be known. */
export function entriesReadAt(stream: StreamEntries, id: StreamId): bigint {
  const { entriesAdded, firstId, lastId, length, maxDeletedId } = stream
  if (entriesAdded === 0n) return 0n
  if (id === lastId || (length === 0 && id < lastId)) return entriesAdded
  if (id > lastId) return UNKNOWN_ENTRIES_READ
  const isWhole = maxDeletedId === MIN_ID || maxDeletedId < firstId
  if (!isWhole || id > firstId) return UNKNOWN_ENTRIES_READ
  return entriesAdded - BigInt(length) + (id === firstId ? 1n : 0n)
}

/** How many entries the group has not read yet; undefined if that cannot be known. */
export function lagOf(stream: StreamEntries, group: ConsumerGroup): bigint | undefined {
  if (stream.entriesAdded === 0n) return 0n
  const isCounted = group.entriesRead !== UNKNOWN_ENTRIES_READ && !hasGapFrom(stream, group.lastId)
  const read = isCounted ? group.entriesRead : entriesReadAt(stream, group.lastId)
  return read === UNKNOWN_ENTRIES_READ ? undefined : stream.entriesAdded - read
}

/** The group has read up to the entry. */
export function advance(stream: StreamEntries, group: ConsumerGroup, id: StreamId): void {
  if (id <= group.lastId) return
  if (group.entriesRead !== UNKNOWN_ENTRIES_READ && !hasGapFrom(stream, id)) group.entriesRead++
  else if (stream.entriesAdded > 0n) group.entriesRead = entriesReadAt(stream, id)
  group.lastId = id
}

/** Whether an entry at or after the id was deleted, while entries before it are still there. */
function hasGapFrom({ length, firstId, maxDeletedId }: StreamEntries, id: StreamId): boolean {
  if (length === 0 || maxDeletedId === MIN_ID || firstId > maxDeletedId) return false
  return id <= maxDeletedId
}
