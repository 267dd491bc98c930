/**
 * A node of a stream as the elements of a listpack. It begins with the counts of entries and of deleted
 * ones, the fields of the first entry and a zero. Each entry then says whether it is deleted, whether it
 * has those fields, how its id differs from the node's, its content, and how many elements that took, so
 * that the node can be read from its end.
 */

import { idMs, idSeq, type StreamId, streamId, type Uint64 } from '../values/stream-id.ts'
import { StreamNode } from '../values/stream-node.ts'
import {
  LISTPACK_END,
  LISTPACK_FRAME_BYTES,
  type ListpackElement,
  listpackBytesOf,
  listpackElement,
  listpackHeader,
} from './listpack-writer.ts'
import { rdbLength, rdbString } from './rdb-encode.ts'

const DELETED = 1
const SAME_FIELDS = 2

const DAMAGED = 'a damaged stream node'
const OUT_OF_ORDER = 'stream ids out of order'

/** The node, or what is wrong with it. */
export function readStreamNode(masterId: StreamId, items: readonly string[]): StreamNode | string {
  const [live, deleted, fieldCount] = items.slice(0, 3).map(integerOf)
  if (live === undefined || deleted === undefined || fieldCount === undefined) return DAMAGED
  if (!(fieldCount >= 1 && 3 + fieldCount < items.length)) return DAMAGED
  const begin = 3 + fieldCount
  if (items[begin] !== '0') return DAMAGED
  const node = new StreamNode(masterId, items.slice(3, begin))
  const reading: Reading = { node, items, at: begin + 1, last: undefined }
  while (reading.at < items.length) {
    const problem = readEntry(reading)
    if (problem !== undefined) return problem
  }
  return node.length === live && node.deletedCount === deleted ? node : DAMAGED
}

interface Reading {
  readonly node: StreamNode
  readonly items: readonly string[]
  at: number
  /** The last id of the entries that are not deleted. */
  last: StreamId | undefined
}

function readEntry(reading: Reading): string | undefined {
  const { node, items, at, last } = reading
  const flags = integerOf(items[at])
  if (!(flags >= 0 && flags <= (DELETED | SAME_FIELDS))) return DAMAGED
  const id = idOf(node.masterId, items[at + 1], items[at + 2])
  const hasFields = (flags & SAME_FIELDS) === 0
  const pairCount = hasFields ? integerOf(items[at + 3]) : node.fields.length
  const from = at + (hasFields ? 4 : 3)
  const end = from + (hasFields ? 2 * pairCount : pairCount)
  if (id === undefined || !(pairCount >= 1) || !(end < items.length)) return DAMAGED
  if (items[end] !== String(end - at)) return DAMAGED
  const isDeleted = (flags & DELETED) !== 0
  // A deleted entry may have any id: XSETID can take a stream back behind it.
  if (!isDeleted && last !== undefined && id <= last) return OUT_OF_ORDER
  const texts = items.slice(from, end)
  node.append(id, hasFields ? texts : texts.flatMap((text, n) => [node.fields[n] ?? '', text]))
  if (isDeleted) node.remove(node.length - 1, 1)
  else reading.last = id
  reading.at = end + 1
  return undefined
}

/** Differences wrap around at 64 bits. */
function idOf(
  masterId: StreamId,
  ms: string | undefined,
  seq: string | undefined,
): StreamId | undefined {
  const [top, bottom] = [sum(idMs(masterId), ms), sum(idSeq(masterId), seq)]
  return top === undefined || bottom === undefined ? undefined : streamId(top, bottom)
}

function sum(base: Uint64, text: string | undefined): Uint64 | undefined {
  if (text === undefined || !INTEGER.test(text)) return undefined
  const quick = typeof base === 'number' ? base + Number(text) : -1
  if (quick >= 0 && Number.isSafeInteger(quick)) return quick
  return BigInt.asUintN(64, BigInt(base) + BigInt(text))
}

/** NaN for a text that is none, as the empty one. */
function integerOf(text: string | undefined): number {
  return text !== undefined && INTEGER.test(text) ? Number(text) : Number.NaN
}

/** A listpack's integers have 64 bits; a text that looks like a longer one is not a number. */
const INTEGER = /^-?\d{1,19}$/

/** The node's id and its listpack, in pieces: entries may be large. Deleted ones are left out. */
export function* streamNodeRecord(node: StreamNode): Generator<string, void, void> {
  const { length, fields, masterId } = node
  const front = [length, 0, fields.length, ...fields, 0]
  let bytes = LISTPACK_FRAME_BYTES
  let count = 0
  for (const elements of runsOf(node, front)) {
    count += elements.length
    for (const element of elements) bytes += listpackBytesOf(element)
  }
  yield rdbString(masterId) + rdbLength(bytes) + listpackHeader(bytes, count)
  for (const elements of runsOf(node, front)) yield elements.map(listpackElement).join('')
  yield LISTPACK_END
}

function* runsOf(
  node: StreamNode,
  front: readonly ListpackElement[],
): Iterable<readonly ListpackElement[]> {
  yield front
  for (let at = 0; at < node.length; at++) yield node.elementsAt(at)
}
