/**
 * Handing entries to a consumer of a group: new ones, which are then pending with it, and those it already
 * has. Replicas are told of each delivery as an XCLAIM that comes to the same.
 */
import { array, NULL_ARRAY, type Reply } from '../../../resp/reply.ts'
import type { Scene } from '../../sessions/scene.ts'
import type { Stream } from '../../values/stream.ts'
import type { Consumer, Group, Pending } from '../../values/stream-group.ts'
import { idAfter, idText, type StreamId } from '../../values/stream-id.ts'
import { advance } from '../../values/stream-progress.ts'
import { entryReply, idReply } from './streams-common.ts'

/** Who reads, by the names XREADGROUP gives. */
export interface Reader {
  readonly group: string
  readonly consumer: string
  /** What it reads is not pending: it is as good as acknowledged. */
  readonly noAck: boolean
}

/** The entries that are new to the group, `count` at most (0: all). */
export function deliverNew(
  scene: Scene,
  key: string,
  { stream, group }: { readonly stream: Stream; readonly group: Group },
  reader: Reader,
  count: number,
): Reply {
  const consumer = enter(scene, key, group, reader)
  const start = idAfter(group.lastId)
  const replies: Reply[] = []
  for (const entry of start === undefined ? [] : stream.range(start)) {
    advance(stream, group, entry.id)
    replies.push(entryReply(entry))
    if (!reader.noAck) {
      const pending = group.assign(entry.id, consumer, scene.now.wallMs, 1)
      tellClaim(scene, key, reader.group, group, idText(entry.id), pending)
    }
    if (replies.length === count) break
  }
  if (reader.noAck && replies.length > 0) tellPosition(scene, key, reader.group, group)
  return array(replies)
}

/** What is pending with the consumer after `id`, deleted entries without their contents. */
export function deliverAgain(
  scene: Scene,
  key: string,
  { stream, group }: { readonly stream: Stream; readonly group: Group },
  reader: Reader,
  after: StreamId,
  count: number,
): Reply {
  const consumer = enter(scene, key, group, reader)
  const start = idAfter(after)
  const replies: Reply[] = []
  for (const [id, { deliveries }] of start === undefined ? [] : consumer.pending.entries(start)) {
    const entry = stream.get(id)
    if (entry === undefined) {
      replies.push(array([idReply(id), NULL_ARRAY]))
    } else {
      group.assign(id, consumer, scene.now.wallMs, deliveries + 1)
      replies.push(entryReply(entry))
    }
    if (replies.length === count) break
  }
  return array(replies)
}

/** The consumer, who is created when first heard of. Replicas hear of him with his first entry. */
export function seenConsumer(scene: Scene, group: Group, name: string): Consumer {
  const known = group.consumers.get(name)
  if (known === undefined) return group.addConsumer(name, scene.now.wallMs)
  known.seenAtMs = scene.now.wallMs
  return known
}

function enter(scene: Scene, key: string, group: Group, reader: Reader): Consumer {
  scene.db.changingAside(key)
  const isNew = !group.consumers.has(reader.consumer)
  if (isNew && reader.noAck) {
    scene.propagate(['XGROUP', 'CREATECONSUMER', key, reader.group, reader.consumer])
  }
  return seenConsumer(scene, group, reader.consumer)
}

/** An entry is pending with a consumer: how replicas are told, whatever brought it about. */
export function tellClaim(
  scene: Scene,
  key: string,
  groupName: string,
  group: Group,
  id: string,
  { consumer, deliveredAtMs, deliveries }: Pending,
): void {
  scene.propagate([
    ...['XCLAIM', key, groupName, consumer.name, '0', id],
    ...['TIME', String(deliveredAtMs), 'RETRYCOUNT', String(deliveries)],
    ...['FORCE', 'JUSTID', 'LASTID', idText(group.lastId)],
  ])
}

/** How far the group has read. */
export function tellPosition(scene: Scene, key: string, name: string, group: Group): void {
  const read = String(group.entriesRead)
  scene.propagate(['XGROUP', 'SETID', key, name, idText(group.lastId), 'ENTRIESREAD', read])
}
