import type { StreamEntries } from '../../src/server/values/stream.ts'
import { byName, type ConsumerGroup } from '../../src/server/values/stream-group.ts'
import { idText } from '../../src/server/values/stream-id.ts'
import type { Value } from '../../src/server/values/value.ts'

/** What a value holds, in a form tests can compare and print. */
export function contentsOf(value: Value): unknown {
  switch (value.type) {
    case 'string':
      return value.bytes
    case 'list':
      return [...value.items]
    case 'set':
      return [...value.members]
    case 'hash':
      return [...value.fields]
    case 'zset':
      return [...value.set]
    case 'stream':
      return streamContents(value.stream)
  }
}

function streamContents(stream: StreamEntries): unknown {
  return {
    entries: [...stream.range()].map(({ id, pairs }) => [idText(id), ...pairs]),
    lastId: idText(stream.lastId),
    maxDeletedId: idText(stream.maxDeletedId),
    entriesAdded: stream.entriesAdded,
    groups: byName(stream.groups).map(([name, group]) => [name, groupContents(group)]),
  }
}

function groupContents(group: ConsumerGroup): unknown {
  const consumers = byName(group.consumers).map(([name, { seenAtMs, pending }]) => [
    name,
    seenAtMs,
    [...pending.entries()].map(([id, each]) => [idText(id), each.deliveredAtMs, each.deliveries]),
  ])
  const pending = [...group.pending.entries()].map(([id, { consumer }]) => [
    idText(id),
    consumer.name,
  ])
  return { lastId: idText(group.lastId), entriesRead: group.entriesRead, pending, consumers }
}
