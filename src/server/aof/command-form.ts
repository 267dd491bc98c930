/**
 * A snapshot as commands that make the data anew, for those who want an append-only file without RDB in
 * it [aof-use-rdb-preamble]. No command has more than a few dozen elements, so that whoever loads it can
 * do something else in between.
 */
import { unreachable } from '../../base/assert.ts'
import { doubleText } from '../../base/double-text.ts'
import { encodeCommand } from '../../resp/encode.ts'
import type { Entry } from '../keyspace/db.ts'
import type { SnapshotForm } from '../rdb/snapshot.ts'
import type { Stream } from '../values/stream.ts'
import { byName, type Group } from '../values/stream-group.ts'
import { idText } from '../values/stream-id.ts'
import type { Value } from '../values/value.ts'
import { CommandPieces } from './command-pieces.ts'

type Argv = readonly string[]

const MAX_ELEMENTS = 64
const MAX_ELEMENT_BYTES = 1024 * 1024
/** Gives an empty stream; the last id follows. */
const EMPTY_STREAM = ['MAXLEN', '0', '0-1', 'x', 'y']

export function commandForm(functions: Iterable<string>): SnapshotForm {
  let header = ''
  for (const source of functions) header += encodeCommand(['FUNCTION', 'LOAD', source])
  return {
    header,
    select: (db) => encodeCommand(['SELECT', String(db)]),
    record: (key, entry) => new CommandPieces(commandsOf(key, entry)),
  }
}

function* commandsOf(key: string, { value, expireAtMs }: Entry): IterableIterator<Argv> {
  yield* valueCommands(key, value)
  if (expireAtMs !== undefined) yield ['PEXPIREAT', key, String(expireAtMs)]
}

function valueCommands(key: string, value: Value): Iterable<Argv> {
  switch (value.type) {
    case 'string':
      return [['SET', key, value.bytes]]
    case 'list':
      return grouped(['RPUSH', key], singles(value.items))
    case 'set':
      return grouped(['SADD', key], singles(value.members))
    case 'hash':
      return grouped(['HMSET', key], value.fields)
    case 'zset':
      return grouped(['ZADD', key], scores(value.set))
    case 'stream':
      // Too many parts to be left half read.
      return streamCommands(key, value.stream.copy())
    default:
      return unreachable(value)
  }
}

function* singles(items: Iterable<string>): Iterable<Argv> {
  for (const item of items) yield [item]
}

function* scores(members: Iterable<readonly [string, number]>): Iterable<Argv> {
  for (const [member, score] of members) yield [doubleText(score), member]
}

/** Commands with some elements each; an element can be several words. */
function* grouped(start: Argv, elements: Iterable<Argv>): Iterable<Argv> {
  let words: string[] = []
  let count = 0
  let bytes = 0
  for (const element of elements) {
    words.push(...element)
    for (const word of element) bytes += word.length
    if (++count < MAX_ELEMENTS && bytes < MAX_ELEMENT_BYTES) continue
    yield [...start, ...words]
    words = []
    count = 0
    bytes = 0
  }
  if (words.length > 0) yield [...start, ...words]
}

function* streamCommands(key: string, stream: Stream): Iterable<Argv> {
  if (stream.length === 0) yield ['XADD', key, ...EMPTY_STREAM]
  for (const { id, pairs } of stream.range()) yield ['XADD', key, idText(id), ...pairs]
  const counters = ['ENTRIESADDED', String(stream.entriesAdded)]
  const deleted = ['MAXDELETEDID', idText(stream.maxDeletedId)]
  yield ['XSETID', key, idText(stream.lastId), ...counters, ...deleted]
  for (const [name, group] of byName(stream.groups)) yield* groupCommands(key, name, group)
}

function* groupCommands(key: string, name: string, group: Group): Iterable<Argv> {
  const read = ['ENTRIESREAD', String(group.entriesRead)]
  yield ['XGROUP', 'CREATE', key, name, idText(group.lastId), ...read]
  for (const [consumer, { pending }] of byName(group.consumers)) {
    yield ['XGROUP', 'CREATECONSUMER', key, name, consumer]
    for (const [id, { deliveredAtMs, deliveries }] of pending.entries()) {
      const claim = ['XCLAIM', key, name, consumer, '0', idText(id)]
      const delivery = ['TIME', String(deliveredAtMs), 'RETRYCOUNT', String(deliveries)]
      yield [...claim, ...delivery, 'JUSTID', 'FORCE']
    }
  }
}
