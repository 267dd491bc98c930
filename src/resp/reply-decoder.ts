/**
 * What a server answers, RESP2 and RESP3, in any number of pieces. Open aggregates are kept on a stack
 * of our own, so that no depth of nesting can exhaust the engine's; and nothing is allocated from an
 * announced count. Unlike requests, replies are checked to the byte: a server that sends a broken one
 * cannot be trusted, and no error could be sent back to it.
 *
 * Not supported: RESP3's streamed strings and aggregates, which no server sends. Attributes are
 * dropped.
 */
import { unreachable } from '../base/assert.ts'
import { parseInt64 } from '../base/decimal.ts'
import { MAX_BULK_BYTES, MAX_UNREAD_BYTES, RespInput } from './input.ts'
import { noByteString, type Reply } from './reply.ts'

/** The stream no longer makes sense; `text` says why. Close the connection. */
export interface Malformed {
  readonly kind: 'malformed'
  readonly text: string
}

export interface ReplyLimits {
  readonly maxBulkBytes: number
  /** For one whole top-level reply. */
  readonly maxReplyBytes: number
  /**
   * Aggregates within aggregates. No reply of Redis comes near this limit; code that reads replies may
   * recurse.
   */
  readonly maxNesting: number
  /**
   * Values in one whole top-level reply, including what its headers announce: in memory each costs
   * ten times the four bytes it may take on the wire.
   */
  readonly maxItems: number
}

const DEFAULT_LIMITS: ReplyLimits = {
  maxBulkBytes: MAX_BULK_BYTES,
  maxReplyBytes: 1024 * 1024 * 1024,
  maxNesting: 32,
  maxItems: Number.POSITIVE_INFINITY,
}

type AggregateKind = 'array' | 'set' | 'push' | 'map' | 'attribute'

/** An aggregate that still misses some of its items. */
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
/** No server can hold more items than this. */
const MAX_COUNT = 2 ** 32
const AGGREGATES: Readonly<Record<string, AggregateKind>> = {
  '*': 'array',
  '~': 'set',
  '>': 'push',
  '%': 'map',
  '|': 'attribute',
}
const BULKS: Readonly<Record<string, BulkKind>> = { $: 'bulk', '!': 'blobError', '=': 'verbatim' }

/** Feed it with `push`, then call `next` until it returns undefined. The first fault ends it. */
export class ReplyDecoder {
  #limits: ReplyLimits
  readonly #input = new RespInput()
  readonly #open: Frame[] = []
  /** The counted string whose header has been read. */
  #bulk: BulkHeader | undefined
  #consumedBytes = 0
  /** How many values the current reply has announced. */
  #announcedItems = 0
  /** More bytes were pushed than fit before `next` was called, and the last ones were dropped. */
  #hasOverflowed = false
  #hasEnded = false

  constructor(limits: Partial<ReplyLimits> = {}) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits }
  }

  /** Bytes received that do not belong to a returned reply. */
  get pendingBytes(): number {
    return this.#input.receivedBytes - this.#consumedBytes
  }

  /** Sets other limits, from the next reply on. */
  allow(limits: ReplyLimits): void {
    this.#limits = limits
  }

  /** Throws a TypeError if it gets a Buffer. */
  push(bytes: string): void {
    if (typeof bytes !== 'string') throw noByteString('ReplyDecoder')
    if (this.#hasEnded || this.#hasOverflowed) return
    this.#hasOverflowed = this.#input.unreadBytes + bytes.length > MAX_UNREAD_BYTES
    if (!this.#hasOverflowed) this.#input.push(bytes)
  }

  /** The next whole reply; undefined if it has not arrived yet. */
  next(): Reply | Malformed | undefined {
    while (!this.#hasEnded && !this.#input.isStarved) {
      const value = this.#bulk === undefined ? this.#readLine() : this.#readBody(this.#bulk)
      if (value?.kind === 'malformed') return this.#deliver(value)
      const reply = value === undefined ? undefined : this.#settle(value)
      if (reply !== undefined) return this.#deliver(reply)
    }
    return this.#isTooLarge() ? this.#deliver(malformed('reply too large')) : undefined
  }

  /** Ends the decoding and returns what was received and not read: a snapshot may follow a reply. */
  takeRest(): string {
    this.#hasEnded = true
    return this.#input.takeRest()
  }

  #deliver(reply: Reply | Malformed): Reply | Malformed {
    this.#consumedBytes = this.#input.readBytes
    this.#announcedItems = 0
    if (reply.kind === 'malformed') this.#hasEnded = true
    return reply
  }

  #isTooLarge(): boolean {
    if (this.#hasEnded) return false
    return this.#hasOverflowed || this.pendingBytes > this.#limits.maxReplyBytes
  }

  #readLine(): Reply | Malformed | undefined {
    // A master that is too busy to answer PSYNC yet keeps the connection alive with newlines.
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
    const count = readLength(text, MAX_COUNT)
    if (count === undefined) return malformed('invalid aggregate length')
    if (this.#open.length >= this.#limits.maxNesting) return malformed('nested too deeply')
    const isPaired = kind === 'map' || kind === 'attribute'
    const missing = isPaired ? 2 * count : count
    this.#announcedItems += missing
    if (this.#announcedItems > this.#limits.maxItems) {
      return malformed(`more than ${this.#limits.maxItems} values in one reply`)
    }
    const frame: Frame = { kind, items: [], missing }
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

  /** Adds a value to the aggregate it belongs to; returns the top-level reply if this completes one. */
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

/** Undefined for an attribute, which describes the next value and is of no use to us. */
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

/** A count or length that is neither negative nor above `max`. */
function readLength(text: string, max: number): number | undefined {
  const value = parseInt64(text)
  return value !== undefined && value >= 0 && value <= max ? Number(value) : undefined
}

function malformed(text: string): Malformed {
  return { kind: 'malformed', text }
}
