/**
 * Streams in RDB records: the nodes with their entries, the counters, then the groups with their pending
 * entries. The form has grown twice; what an older one does not say is assumed as Redis assumes it.
 * Nothing is trusted: ids must grow, counts must be right, and what is pending with a consumer must be
 * pending in its group, or the record is damaged. A stream may be empty.
 */
import { StreamEntries } from '../values/stream.ts'
import {
  byName,
  type Consumer,
  ConsumerGroup,
  UNKNOWN_ENTRIES_READ,
} from '../values/stream-group.ts'
import { idMs, idSeq, MIN_ID, type StreamId, streamId, type Uint64 } from '../values/stream-id.ts'
import { entriesReadAt } from '../values/stream-progress.ts'
import type { StreamValue } from '../values/value.ts'
import { int64Bytes, int64Number } from './bytes.ts'
import { readListpack } from './packed.ts'
import { rdbLength, rdbString } from './rdb-encode.ts'
import { TYPE, unsupportedType } from './rdb-format.ts'
import { damage, type Parse, type RdbInput } from './rdb-input.ts'
import { readStreamNode, streamNodeRecord } from './rdb-stream-node.ts'

const ID_BYTES = 16

/** Since which type of record a field exists. */
function hasCounters(type: number): boolean {
  return type !== TYPE.streamV1
}

function hasActiveTimes(type: number): boolean {
  return type === TYPE.streamV3
}

/** Reads the value after its type byte. */
export function* readStream(input: RdbInput, type: number): Parse<StreamValue> {
  if (type !== TYPE.streamV1 && type !== TYPE.stream && type !== TYPE.streamV3) {
    return yield* damage(unsupportedType(type))
  }
  const stream = new StreamEntries()
  for (let nodes = yield* input.length(); nodes > 0; nodes--) yield* readNode(input, stream)
  yield* readCounters(input, type, stream)
  for (let groups = yield* input.length(); groups > 0; groups--) {
    yield* readGroup(input, type, stream)
  }
  return { type: 'stream', stream }
}

function* readNode(input: RdbInput, stream: StreamEntries): Parse<void> {
  const masterId = yield* input.string()
  if (masterId.length !== ID_BYTES) return yield* damage('a stream node with a damaged id')
  const items = readListpack(yield* input.string())
  if (items === undefined) return yield* damage('a damaged listpack')
  const node = readStreamNode(masterId, items)
  if (typeof node === 'string') return yield* damage(node)
  if (node.length === 0) return
  const last = stream.lastEntry?.id
  if (last !== undefined && node.firstId <= last) return yield* damage('stream ids out of order')
  stream.appendNode(node)
}

function* readCounters(input: RdbInput, type: number, stream: StreamEntries): Parse<void> {
  const length = yield* input.length()
  if (length !== stream.length) return yield* damage('a stream with the wrong length')
  stream.lastId = yield* readId(input)
  if ((stream.lastEntry?.id ?? MIN_ID) > stream.lastId) {
    return yield* damage('a stream with an entry after its last id')
  }
  stream.entriesAdded = BigInt(length)
  if (!hasCounters(type)) return
  // The first id is that of the first entry, so it is not needed.
  yield* readId(input)
  stream.maxDeletedId = yield* readId(input)
  stream.entriesAdded = yield* input.length64()
}

/** Both halves are lengths. */
function* readId(input: RdbInput): Parse<StreamId> {
  const ms = yield* input.length64()
  return streamId(ms, yield* input.length64())
}

function* readGroup(input: RdbInput, type: number, stream: StreamEntries): Parse<void> {
  const name = yield* input.string()
  if (stream.groups.has(name)) return yield* damage('a stream with a group twice')
  const lastId = yield* readId(input)
  const read = hasCounters(type)
    ? BigInt.asIntN(64, yield* input.length64())
    : entriesReadAt(stream, lastId)
  const group = new ConsumerGroup(lastId, read < 0n ? UNKNOWN_ENTRIES_READ : read)
  const pending = yield* readPending(input)
  for (let consumers = yield* input.length(); consumers > 0; consumers--) {
    yield* readConsumer(input, type, group, pending)
  }
  if (pending.size > 0) return yield* damage('a pending stream entry without a consumer')
  stream.groups.set(name, group)
}

/** When and how often each entry was delivered; the consumers say to which of them. */
type Deliveries = Map<StreamId, { readonly atMs: number; readonly times: number }>

function* readPending(input: RdbInput): Parse<Deliveries> {
  const pending: Deliveries = new Map()
  for (let left = yield* input.length(); left > 0; left--) {
    const id = yield* input.bytes(ID_BYTES)
    if (pending.has(id)) return yield* damage('a pending stream entry twice in a group')
    const atMs = yield* readTime(input)
    const times = Number(yield* input.length64())
    pending.set(id, { atMs, times: Math.min(times, Number.MAX_SAFE_INTEGER) })
  }
  return pending
}

/** Moves the consumer's entries out of `pending`. */
function* readConsumer(
  input: RdbInput,
  type: number,
  group: ConsumerGroup,
  pending: Deliveries,
): Parse<void> {
  const name = yield* input.string()
  if (group.consumers.has(name)) return yield* damage('a stream consumer twice in a group')
  const consumer = group.addConsumer(name, yield* readTime(input))
  if (hasActiveTimes(type)) yield* readTime(input)
  for (let left = yield* input.length(); left > 0; left--) {
    yield* assign(yield* input.bytes(ID_BYTES), consumer, group, pending)
  }
}

function* assign(
  id: StreamId,
  consumer: Consumer,
  group: ConsumerGroup,
  pending: Deliveries,
): Parse<void> {
  const delivery = pending.get(id)
  if (delivery === undefined) {
    return yield* damage('a stream entry pending with a consumer but not in its group')
  }
  group.assign(id, consumer, delivery.atMs, delivery.times)
  pending.delete(id)
}

/** Wall-clock milliseconds. */
function* readTime(input: RdbInput): Parse<number> {
  return int64Number(yield* input.bytes(8), 0)
}

/** How many pending entries or consumers go into one piece. */
const PIECE_ITEMS = 500

/** The value after its type byte and key, in pieces. */
export function* rdbStream({ stream }: StreamValue): Generator<string, void, void> {
  const nodes = stream.nodes.filter(({ length }) => length > 0)
  yield rdbLength(nodes.length)
  for (const node of nodes) yield* streamNodeRecord(node)
  yield rdbLength(stream.length) + idLengths(stream.lastId) + idLengths(stream.firstId)
  yield idLengths(stream.maxDeletedId) + rdbLength64(stream.entriesAdded)
  yield rdbLength(stream.groups.size)
  for (const [name, group] of byName(stream.groups)) yield* groupRecord(name, group)
}

function* groupRecord(name: string, group: ConsumerGroup): Generator<string, void, void> {
  const { lastId, entriesRead, pending, consumers } = group
  yield rdbString(name) + idLengths(lastId) + rdbLength64(entriesRead) + rdbLength(pending.size)
  yield* inPieces(pending.entries(), ([id, { deliveredAtMs, deliveries }]) => {
    return id + int64Bytes(deliveredAtMs) + rdbLength64(deliveries)
  })
  yield rdbLength(consumers.size)
  for (const [consumer, { seenAtMs, pending: own }] of byName(consumers)) {
    yield rdbString(consumer) + int64Bytes(seenAtMs) + rdbLength(own.size)
    yield* inPieces(own.entries(), ([id]) => id)
  }
}

function* inPieces<T>(
  items: Iterable<T>,
  encode: (item: T) => string,
): Generator<string, void, void> {
  let piece: string[] = []
  for (const item of items) {
    piece.push(encode(item))
    if (piece.length < PIECE_ITEMS) continue
    yield piece.join('')
    piece = []
  }
  yield piece.join('')
}

/** Both halves as lengths. */
function idLengths(id: StreamId): string {
  return rdbLength64(idMs(id)) + rdbLength64(idSeq(id))
}

/** A length of 64 bits, in which negative numbers wrap around. */
export function rdbLength64(value: Uint64): string {
  if (value >= 0 && value < 2 ** 32) return rdbLength(Number(value))
  const bits = BigInt.asUintN(64, BigInt(value))
  // Big-endian, as the halves of ids are.
  return `\x81${streamId(bits, 0).slice(0, 8)}`
}
