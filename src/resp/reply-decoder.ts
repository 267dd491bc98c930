/**
 * What a server answers, RESP2 and RESP3, in any number of pieces. Open aggregates are kept on a stack
 * of our own, so that no depth of nesting can exhaust the engine's; and nothing is allocated from an
 * announced count. Unlike requests, replies are checked to the byte: who sends a broken one is not to
 * be believed, and there is nobody to tell.
 *
 * Not read: RESP3's streamed strings and aggregates, which no server sends. Attributes are dropped.
 */
import { unreachable } from '../base/assert.ts'
import { parseInt64 } from '../base/decimal.ts'
import { Input, MAX_BULK_BYTES, MAX_UNREAD_BYTES } from './input.ts'
import type { Reply } from './reply.ts'

/** The stream makes no sense any more; `text` says why. Close the connection. */
export interface Malformed {
  readonly kind: 'malformed'
  readonly text: string
}

export interface ReplyLimits {
  readonly maxBulkBytes: number
  /** One whole top-level reply. */
  readonly maxReplyBytes: number
  /** Aggregates within aggregates. No reply of Redis comes near it; readers of replies may recurse. */
  readonly maxNesting: number
}

const DEFAULT_LIMITS: ReplyLimits = {
  maxBulkBytes: MAX_BULK_BYTES,
  maxReplyBytes: 1024 * 1024 * 1024,
  maxNesting: 32,
}

type AggregateKind = 'array' | 'set' | 'push' | 'map' | 'attribute'

/** An aggregate that misses some of its items. */
interface Frame {
  readonly kind: AggregateKind
  readonly items: Reply[]
  missing: number
}

type BulkKind = 'bulk' | 'blobError' | 'verbatim'

interface BulkHeader {
  readonly kind: BulkKind
  readonly length: number
}

const LINE_FEED = 10
/** More items than this no server can hold. */
const MAX_ITEMS = 2 ** 32
const AGGREGATES: Readonly<Record<string, AggregateKind>> = {
  '*': 'array',
  '~': 'set',
  '>': 'push',
  '%': 'map',
  '|': 'attribute',
}
const BULKS: Readonly<Record<string, BulkKind>> = { $: 'bulk', '!': 'blobError', '=': 'verbatim' }

/** Feed with `push`, then call `next` until it gives undefined. Ends with the first fault. */
export class ReplyDecoder {
  readonly #limits: ReplyLimits
  readonly #input = new Input()
  readonly #open: Frame[] = []
  /** The counted string whose header has been read. */
  #bulk: BulkHeader | undefined
  #consumedBytes = 0
  /** Somebody sent faster than `next` was called, and what came last was dropped. */
  #hasOverflowed = false
  #hasEnded = false

  constructor(limits: Partial<ReplyLimits> = {}) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits }
  }

  push(bytes: string): void {
    if (this.#hasEnded || this.#hasOverflowed) return
    this.#hasOverflowed = this.#input.unreadBytes + bytes.length > MAX_UNREAD_BYTES
    if (!this.#hasOverflowed) this.#input.push(bytes)
  }

  /** The next whole reply; undefined: not here yet. */
  next(): Reply | Malformed | undefined {
    while (!this.#hasEnded && !this.#input.isStarved) {
      const value = this.#bulk === undefined ? this.#readLine() : this.#readBody(this.#bulk)
      if (value?.kind === 'malformed') return this.#deliver(value)
      const reply = value === undefined ? undefined : this.#settle(value)
      if (reply !== undefined) return this.#deliver(reply)
    }
    return this.#isTooLarge() ? this.#deliver(malformed('reply too large')) : undefined
  }

  /** Ends the decoding and gives what has been received and not been read: a snapshot follows a reply. */
  takeRest(): string {
    this.#hasEnded = true
    return this.#input.takeRest()
  }

  #deliver(reply: Reply | Malformed): Reply | Malformed {
    this.#consumedBytes = this.#input.readBytes
    if (reply.kind === 'malformed') this.#hasEnded = true
    return reply
  }

  #isTooLarge(): boolean {
    const pendingBytes = this.#input.receivedBytes - this.#consumedBytes
    if (this.#hasEnded) return false
    return this.#hasOverflowed || pendingBytes > this.#limits.maxReplyBytes
  }

  #readLine(): Reply | Malformed | undefined {
    // A master that is busy before it can answer PSYNC keeps the connection alive with newlines.
    if (this.#open.length === 0 && this.#input.peek() === LINE_FEED) {
      this.#input.skip(1)
      return undefined
    }
    const line = this.#input.readLine('\n', 0)
    if (line === 'waiting') return undefined
    if (line === 'tooLong') return malformed('line too long')
    if (!line.endsWith('\r')) return malformed('line without CRLF')
    return this.#readToken(line.charAt(0), line.slice(1, -1))
  }

  #readToken(type: string, text: string): Reply | Malformed | undefined {
    const aggregate = AGGREGATES[type]
    if (aggregate !== undefined) return this.#openAggregate(aggregate, text)
    const bulk = BULKS[type]
    if (bulk !== undefined) return this.#openBulk(bulk, text)
    return readScalar(type, text)
  }

  #openAggregate(kind: AggregateKind, text: string): Reply | Malformed | undefined {
    if (kind === 'array' && text === '-1') return { kind: 'nullArray' }
    const count = readLength(text, MAX_ITEMS)
    if (count === undefined) return malformed('invalid aggregate length')
    if (this.#open.length >= this.#limits.maxNesting) return malformed('nested too deeply')
    const isPaired = kind === 'map' || kind === 'attribute'
    const frame: Frame = { kind, items: [], missing: isPaired ? 2 * count : count }
    if (count === 0) return closeAggregate(frame)
    this.#open.push(frame)
    return undefined
  }

  #openBulk(kind: BulkKind, text: string): Reply | Malformed | undefined {
    if (kind === 'bulk' && text === '-1') return { kind: 'null' }
    const length = readLength(text, Math.min(this.#limits.maxBulkBytes, MAX_BULK_BYTES))
    if (length === undefined) return malformed('invalid bulk length')
    this.#bulk = { kind, length }
    return undefined
  }

  #readBody(bulk: BulkHeader): Reply | Malformed | undefined {
    if (!this.#input.hasBulk(bulk.length)) return undefined
    if (!this.#input.isBulkTerminated(bulk.length)) return malformed('bulk without CRLF')
    this.#bulk = undefined
    return readBulkValue(bulk.kind, this.#input.takeBulk(bulk.length))
  }

  /** Hands a value to the aggregate it belongs to; gives the top-level reply if that completes one. */
  #settle(value: Reply): Reply | undefined {
    let settled: Reply | undefined = value
    while (settled !== undefined) {
      const frame = this.#open.at(-1)
      if (frame === undefined) return settled
      frame.items.push(settled)
      frame.missing--
      if (frame.missing > 0) return undefined
      this.#open.pop()
      settled = closeAggregate(frame)
    }
    return undefined
  }
}

/** Undefined for an attribute, which is about the next value and of no use to us. */
function closeAggregate(frame: Frame): Reply | undefined {
  switch (frame.kind) {
    case 'array':
    case 'set':
    case 'push':
      return { kind: frame.kind, items: frame.items }
    case 'map':
      return { kind: 'map', entries: pairs(frame.items) }
    case 'attribute':
      return undefined
    default:
      return unreachable(frame.kind)
  }
}

function pairs(items: readonly Reply[]): [Reply, Reply][] {
  const entries: [Reply, Reply][] = []
  for (let at = 0; at + 1 < items.length; at += 2) {
    entries.push([items[at] as Reply, items[at + 1] as Reply])
  }
  return entries
}

function readScalar(type: string, text: string): Reply | Malformed {
  switch (type) {
    case '+':
      return { kind: 'simple', text }
    case '-':
      return { kind: 'error', text }
    case ':':
      return readInteger(text)
    case '_':
      return text === '' ? { kind: 'null' } : malformed('invalid null')
    case ',':
      return readDouble(text)
    case '#':
      return readBoolean(text)
    case '(':
      return /^[+-]?\d+$/.test(text)
        ? { kind: 'bigNumber', digits: text }
        : malformed('invalid big number')
    default:
      return malformed(`unknown type byte ${JSON.stringify(type)}`)
  }
}

function readInteger(text: string): Reply | Malformed {
  const value = parseInt64(text.startsWith('+') ? text.slice(1) : text)
  return value === undefined ? malformed('invalid integer') : { kind: 'integer', value }
}

function readBoolean(text: string): Reply | Malformed {
  if (text !== 't' && text !== 'f') return malformed('invalid boolean')
  return { kind: 'boolean', value: text === 't' }
}

function readDouble(text: string): Reply | Malformed {
  if (text === 'inf') return { kind: 'double', value: Number.POSITIVE_INFINITY }
  if (text === '-inf') return { kind: 'double', value: Number.NEGATIVE_INFINITY }
  if (text === 'nan' || text === '-nan') return { kind: 'double', value: Number.NaN }
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text)) return malformed('invalid double')
  return { kind: 'double', value: Number(text) }
}

function readBulkValue(kind: BulkKind, bytes: string): Reply | Malformed {
  switch (kind) {
    case 'bulk':
      return { kind: 'bulk', bytes }
    case 'blobError':
      return { kind: 'error', text: bytes }
    case 'verbatim':
      return bytes.charAt(3) === ':'
        ? { kind: 'verbatim', format: bytes.slice(0, 3), text: bytes.slice(4) }
        : malformed('invalid verbatim string')
    default:
      return unreachable(kind)
  }
}

/** A count or length that is not negative and not above `max`. */
function readLength(text: string, max: number): number | undefined {
  const value = parseInt64(text)
  return value !== undefined && value >= 0 && value <= max ? Number(value) : undefined
}

function malformed(text: string): Malformed {
  return { kind: 'malformed', text }
}
