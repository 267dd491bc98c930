import type { Deadlines } from '../../src/server/values/deadlines.ts'
import type { StreamEntries } from '../../src/server/values/stream.ts'
import { byName, type ConsumerGroup } from '../../src/server/values/stream-group.ts'
import { idText } from '../../src/server/values/stream-id.ts'
import type { HashValue, Value } from '../../src/server/values/value.ts'

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
      return value.expiries === undefined ? [...value.fields] : timed(value, value.expiries)
    case 'zset':
      return [...value.set]
    case 'stream':
      return streamContents(value.stream)
  }
}

/** Fields that expire have a third part. */
function timed({ fields }: HashValue, expiries: Deadlines): unknown {
  return [...fields].map(([field, text]) => {
    const atMs = expiries.get(field)
    return atMs === undefined ? [field, text] : [field, text, atMs]
  })
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
