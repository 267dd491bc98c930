/**
 * Delivering entries to a consumer of a group: new ones, which are then pending with it, and those it
 * already has. Replicas get each delivery as an XCLAIM with the same result. For [save] they are no changes:
 * as in Redis, a new consumer is one, and so is each stream that XREADGROUP reads without waiting.
 */
import { array, list, NULL_ARRAY, type Reply } from '../../../resp/reply.ts'
import type { EffectContext, ToldEffect } from '../../sessions/effect-context.ts'
import type { StreamEntries, StreamEntry } from '../../values/stream.ts'
import type { Consumer, ConsumerGroup, Pending } from '../../values/stream-group.ts'
import { idAfter, idText, type StreamId } from '../../values/stream-id.ts'
import { advance } from '../../values/stream-progress.ts'
import { entryReply, idReply } from './streams-common.ts'

/** The reader, by the names that XREADGROUP gives. */
export interface Reader {
  readonly group: string
  readonly consumer: string
  /** Entries it reads do not become pending, as if acknowledged at once. */
  readonly noAck: boolean
}

/** The entries that are new to the group, `count` at most (0 means all). */
export function deliverNew(
  scene: EffectContext,
  key: string,
  { stream, group }: { readonly stream: StreamEntries; readonly group: ConsumerGroup },
  reader: Reader,
  count: number,
): Reply {
  const consumer = enter(scene, key, group, reader)
  const start = idAfter(group.lastId)
  const delivered: StreamEntry[] = []
  for (const entry of start === undefined ? [] : stream.range(start)) {
    advance(stream, group, entry.id)
    delivered.push(entry)
    if (!reader.noAck) {
      const pending = group.assign(entry.id, consumer, scene.now.wallMs, 1)
      scene.propagate(claimEffect(key, reader.group, group, entry.id, pending), 0)
    }
    if (delivered.length === count) break
  }
  if (reader.noAck && delivered.length > 0) {
    scene.propagate(positionEffect(key, reader.group, group), 0)
  }
  return list(delivered, entryReply)
}

/** The entries pending with the consumer after `id`; deleted ones without their contents. */
export function deliverAgain(
  scene: EffectContext,
  key: string,
  { stream, group }: { readonly stream: StreamEntries; readonly group: ConsumerGroup },
  reader: Reader,
  after: StreamId,
  count: number,
): Reply {
  const consumer = enter(scene, key, group, reader)
  const start = idAfter(after)
  const delivered: (StreamEntry | StreamId)[] = []
  for (const [id, { deliveries }] of start === undefined ? [] : consumer.pending.entries(start)) {
    const entry = stream.get(id)
    if (entry === undefined) {
      delivered.push(id)
    } else {
      group.assign(id, consumer, scene.now.wallMs, deliveries + 1)
      delivered.push(entry)
    }
    if (delivered.length === count) break
  }
  return list(delivered, entryOrGoneReply)
}

function entryOrGoneReply(entry: StreamEntry | StreamId): Reply {
  return typeof entry === 'string' ? array([idReply(entry), NULL_ARRAY]) : entryReply(entry)
}

/** The consumer, created when it is first named. Replicas get it with its first entry. */
export function seenConsumer(
  scene: EffectContext,
  key: string,
  group: ConsumerGroup,
  name: string,
): Consumer {
  const known = group.consumers.get(name)
  if (known === undefined) {
    scene.notify('xgroup-createconsumer', key)
    scene.countChanges(1)
    return group.addConsumer(name, scene.now.wallMs)
  }
  known.seenAtMs = scene.now.wallMs
  return known
}

function enter(scene: EffectContext, key: string, group: ConsumerGroup, reader: Reader): Consumer {
  scene.db.changingAside(key)
  const isNew = !group.consumers.has(reader.consumer)
  if (isNew && reader.noAck) {
    scene.propagate(['XGROUP', 'CREATECONSUMER', key, reader.group, reader.consumer], 0)
  }
  return seenConsumer(scene, key, group, reader.consumer)
}

/** Tells replicas that an entry is pending with a consumer, whatever caused it. `text`: the id as a client sent it. */
export function claimEffect(
  key: string,
  groupName: string,
  group: ConsumerGroup,
  id: StreamId,
  { consumer, deliveredAtMs, deliveries }: Pending,
  text?: string,
): ToldEffect {
  return () => [
    ...['XCLAIM', key, groupName, consumer.name, '0', text ?? idText(id)],
    ...['TIME', String(deliveredAtMs), 'RETRYCOUNT', String(deliveries)],
    ...['FORCE', 'JUSTID', 'LASTID', idText(group.lastId)],
  ]
}

/** Tells replicas how far the group has read. */
export function positionEffect(key: string, name: string, group: ConsumerGroup): ToldEffect {
  const read = String(group.entriesRead)
  return ['XGROUP', 'SETID', key, name, idText(group.lastId), 'ENTRIESREAD', read]
}
