/**
 * A snapshot as commands that rebuild the data, for users who want an append-only file without RDB in it
 * [aof-use-rdb-preamble]. No command has more than a few dozen elements, so that a loading server can do
 * other work in between.
 */
import { unreachable } from '../../base/assert.ts'
import { doubleText } from '../../base/double-text.ts'
import { encodeCommand } from '../../resp/encode.ts'
import type { Entry } from '../keyspace/db.ts'
import type { Pieces, SnapshotForm } from '../rdb/snapshot.ts'
import {
  FieldReading,
  type Hold,
  ItemReading,
  MemberReading,
  type Reading,
  ScoreReading,
} from '../values/reading.ts'
import type { StreamEntries } from '../values/stream.ts'
import { byName, type ConsumerGroup } from '../values/stream-group.ts'
import { idText } from '../values/stream-id.ts'
import type { HashValue, Value } from '../values/value.ts'
import { timeNote } from './log-writer.ts'

type Argv = readonly string[]

const MAX_ELEMENTS = 64
const MAX_ELEMENT_BYTES = 1024 * 1024
/** Makes an empty stream; the last id follows. */
const EMPTY_STREAM = ['MAXLEN', '0', '0-1', 'x', 'y']

/** `unixSecond`: the time to note, or undefined for none. */
export function commandForm(functions: Iterable<string>, unixSecond?: number): SnapshotForm {
  let header = unixSecond === undefined ? '' : timeNote(unixSecond)
  for (const source of functions) header += encodeCommand(['FUNCTION', 'LOAD', source])
  return {
    header,
    select: (db) => encodeCommand(['SELECT', String(db)]),
    record: recordOf,
  }
}

function recordOf(key: string, { value, expireAtMs }: Entry): CommandPieces {
  const { commands, hold } = valueCommands(key, value)
  return new CommandPieces(withExpiry(commands, key, expireAtMs), hold)
}

function* withExpiry(
  commands: Iterable<Argv>,
  key: string,
  expireAtMs: number | undefined,
): IterableIterator<Argv> {
  yield* commands
  if (expireAtMs !== undefined) yield ['PEXPIREAT', key, String(expireAtMs)]
}

interface ValueCommands {
  readonly commands: Iterable<Argv>
  /** The hold on the value they are made from. */
  readonly hold: Hold
}

/** For a value that is read in one piece, or from a copy. */
const NO_HOLD: Hold = { freeze: () => undefined, release: () => true }

function valueCommands(key: string, value: Value): ValueCommands {
  switch (value.type) {
    case 'string':
      return { commands: [['SET', key, value.bytes]], hold: NO_HOLD }
    case 'list':
      return grouped(['RPUSH', key], new ItemReading(value.items), (item) => [item])
    case 'set':
      return grouped(['SADD', key], new MemberReading(value), (member) => [member])
    case 'hash':
      return hashCommands(key, value)
    case 'zset':
      return grouped(['ZADD', key], new ScoreReading(value.set), ([member, score]) => {
        return [doubleText(score), member]
      })
    case 'stream':
      // A stream has too many parts to stop in the middle of reading it.
      return { commands: streamCommands(key, value.stream.frozen()), hold: NO_HOLD }
    default:
      return unreachable(value)
  }
}

function grouped<T>(start: Argv, reading: Reading<T>, words: (element: T) => Argv): ValueCommands {
  return { commands: inGroups(start, reading, words), hold: reading }
}

function hashCommands(key: string, value: HashValue): ValueCommands {
  const hasExpiries = value.expiries !== undefined
  const reading = new FieldReading(value)
  const fields = inGroups(['HMSET', key], reading, (pair) => pair)
  return { commands: hasExpiries ? withFieldExpiries(key, reading, fields) : fields, hold: reading }
}

/** After each few fields, when those of them expire that do so by themselves. */
function* withFieldExpiries(
  key: string,
  reading: FieldReading,
  commands: Iterable<Argv>,
): Iterable<Argv> {
  for (const command of commands) {
    yield command
    const byMoment = new Map<number, string[]>()
    for (let at = 2; at < command.length; at += 2) {
      const field = command[at] as string
      const atMs = reading.expiryOf(field)
      if (atMs === undefined) continue
      const others = byMoment.get(atMs)
      if (others === undefined) byMoment.set(atMs, [field])
      else others.push(field)
    }
    for (const [atMs, fields] of byMoment) {
      yield ['HPEXPIREAT', key, String(atMs), 'FIELDS', String(fields.length), ...fields]
    }
  }
}

/** Commands with a few elements each; an element can be several words. */
function* inGroups<T>(
  start: Argv,
  reading: Reading<T>,
  wordsOf: (element: T) => Argv,
): Iterable<Argv> {
  let words: string[] = []
  let count = 0
  let bytes = 0
  for (let next = reading.next(); next !== undefined; next = reading.next()) {
    const element = wordsOf(next)
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

function* streamCommands(key: string, stream: StreamEntries): Iterable<Argv> {
  if (stream.length === 0) yield ['XADD', key, ...EMPTY_STREAM]
  for (const { id, pairs } of stream.range()) yield ['XADD', key, idText(id), ...pairs]
  const counters = ['ENTRIESADDED', String(stream.entriesAdded)]
  const deleted = ['MAXDELETEDID', idText(stream.maxDeletedId)]
  yield ['XSETID', key, idText(stream.lastId), ...counters, ...deleted]
  for (const [name, group] of byName(stream.groups)) yield* groupCommands(key, name, group)
}

function* groupCommands(key: string, name: string, group: ConsumerGroup): Iterable<Argv> {
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

/**
 * Commands as bytes, some at a time. The words of a command are not joined first: together they may be
 * longer than one string can be. The commands are made as they are needed, from a value that may change
 * if `freeze` is called before.
 */
const SETTLED_BYTES = 4096

class CommandPieces implements Pieces {
  readonly #commands: Iterator<readonly string[]>
  /** The hold on the value the commands are made from. */
  readonly #hold: Hold
  #argv: readonly string[] = []
  /** Index of the next word. */
  #at = 0
  /** Encoded and not returned yet. */
  #start = ''

  constructor(commands: Iterator<readonly string[]>, hold: Hold) {
    this.#commands = commands
    this.#hold = hold
  }

  next(maxBytes: number): string | undefined {
    let piece = this.#start
    this.#start = ''
    while (piece.length < maxBytes) {
      const word = this.#argv[this.#at++]
      if (word !== undefined) piece += `$${word.length}\r\n${word}\r\n`
      else if (this.#beginCommand()) piece += `*${this.#argv.length}\r\n`
      else break
    }
    return piece === '' ? undefined : piece
  }

  freeze(): void {
    this.#hold.freeze()
  }

  settle(): string | Pieces {
    this.#start = this.next(SETTLED_BYTES) ?? ''
    if (this.#start.length < SETTLED_BYTES) return this.#start
    this.freeze()
    return this
  }

  release(): boolean {
    return this.#hold.release()
  }

  #beginCommand(): boolean {
    const step = this.#commands.next()
    this.#argv = step.done === true ? [] : step.value
    this.#at = 0
    return step.done !== true
  }
}
