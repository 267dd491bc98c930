/**
 * XREAD and XREADGROUP: entries after those the reader knows, from several streams at once. With BLOCK
 * and nothing to read, the client waits for the first stream that gets an entry; readers do not remove
 * entries, so each waiting client gets them. A client that reads in a group waits until that group has
 * something new, and gets an error if stream or group are deleted.
 */

import { array, bulk, NULL_ARRAY, type Protocol, type Reply } from '../../../resp/reply.ts'
import type { CommandContext } from '../../context.ts'
import type { EffectContext } from '../../sessions/effect-context.ts'
import type { StreamEntries } from '../../values/stream.ts'
import { GROUP_GONE, STREAM_GONE } from '../../values/stream-errors.ts'
import { idAfter } from '../../values/stream-id.ts'
import type { Value } from '../../values/value.ts'
import { entriesReply } from './streams-common.ts'
import { deliverAgain, deliverNew, type Reader } from './streams-delivery.ts'
import { NEW, parseRead, type ReadRequest, type ReadSource } from './streams-read-request.ts'

/** So that a client that waited with an id too far back does not get a whole stream. */
const COUNT_AFTER_WAIT = 1000

/** XREAD and XREADGROUP; the request says which it is. */
export function xRead(context: CommandContext, argv: readonly string[]): Reply | undefined {
  const request = parseRead(context.db, argv, context.session.isScript)
  if ('kind' in request) return request
  const read: [string, Reply][] = []
  for (const source of request.sources) {
    const entries = readNow(context, request, source)
    if (entries !== undefined) read.push([source.key, entries])
  }
  if (read.length > 0) return streamsReply(read, context.session.protocol)
  return request.timeoutMs === undefined ? NULL_ARRAY : wait(context, request, request.timeoutMs)
}

/** Undefined if there is nothing to read; the stream is left out then. */
function readNow(
  scene: EffectContext,
  request: ReadRequest,
  { key, after }: ReadSource,
): Reply | undefined {
  const stream = streamIn(scene.db.source(key))
  if (stream === undefined) return undefined
  const { reader, count } = request
  if (reader === undefined) {
    const isBehind = after !== NEW && (stream.lastEntry?.id ?? '') > after
    return isBehind ? entriesReply(stream.range(idAfter(after)), count) : undefined
  }
  const group = stream.groups.get(reader.group)
  if (group === undefined) return undefined
  if (after === NEW && (stream.lastEntry?.id ?? '') <= group.lastId) return undefined
  scene.countChanges(1)
  if (after !== NEW) return deliverAgain(scene, key, { stream, group }, reader, after, count)
  return deliverNew(scene, key, { stream, group }, reader, count)
}

function streamIn(value: Value | undefined): StreamEntries | undefined {
  return value?.type === 'stream' ? value.stream : undefined
}

function streamsReply(read: readonly (readonly [string, Reply])[], protocol: Protocol): Reply {
  const entries = read.map(([key, reply]) => [bulk(key), reply] as const)
  return protocol === 3 ? { kind: 'map', entries } : array(entries.map((pair) => array(pair)))
}

function wait(
  { session, node, now, db }: CommandContext,
  request: ReadRequest,
  timeoutMs: number,
): Reply | undefined {
  if (!session.mayBlock) return NULL_ARRAY
  const count = request.count === 0 ? COUNT_AFTER_WAIT : request.count
  node.blocking.block(session, {
    deadlineMs: timeoutMs === 0 ? undefined : now.monoMs + timeoutMs,
    onTimeout: () => NULL_ARRAY,
    wait: {
      db: db.index,
      keys: request.sources.map(({ key }) => key),
      type: 'stream',
      serve: (scene, key) => {
        const entries = readLater(scene, key, { ...request, count })
        if (entries === undefined || entries.kind === 'error') return entries
        return streamsReply([[key, entries]], session.protocol)
      },
    },
  })
  return undefined
}

/** The reply for a client that has waited, when something happened to the key. */
function readLater(scene: EffectContext, key: string, request: ReadRequest): Reply | undefined {
  // The command counted its lookup when it came.
  const stream = streamIn(scene.db.value(key))
  const { reader, count } = request
  if (reader !== undefined) return readLaterInGroup(scene, key, stream, reader, count)
  const after = request.sources.find((source) => source.key === key)?.after
  if (stream === undefined || after === undefined || after === NEW) return undefined
  // We do not ask whether the entry still exists: even one that is gone already ends the wait.
  return stream.lastId > after ? entriesReply(stream.range(idAfter(after)), count) : undefined
}

function readLaterInGroup(
  scene: EffectContext,
  key: string,
  stream: StreamEntries | undefined,
  reader: Reader,
  count: number,
): Reply | undefined {
  if (stream === undefined) return STREAM_GONE
  const group = stream.groups.get(reader.group)
  if (group === undefined) return GROUP_GONE
  if (stream.lastId <= group.lastId) return undefined
  return deliverNew(scene, key, { stream, group }, reader, count)
}
