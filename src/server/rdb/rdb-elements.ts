/**
 * The elements of a value one after another in the form of records, for a writer that stops between them
 * while commands go on (see values/reading.ts).
 */
import { unreachable } from '../../base/assert.ts'
import {
  FieldReading,
  type Hold,
  ItemReading,
  MemberReading,
  ScoreReading,
} from '../values/reading.ts'
import type { HashValue, StreamValue, Value } from '../values/value.ts'
import { int64Bytes } from './bytes.ts'
import { doubleBytes } from './double-bytes.ts'
import { NO_EXPIRY_MS, type RdbDialect } from './rdb-format.ts'
import { rdbLength64, rdbStream } from './rdb-stream.ts'

export interface Elements extends Hold {
  /**
   * Whether the element returned last is already in the form of records, and not a byte string to encode;
   * false by default.
   */
  readonly isEncoded?: boolean
  /** Undefined at the end. */
  next(): string | undefined
}

export function elementsOf(value: Value, dialect: RdbDialect): Elements {
  switch (value.type) {
    case 'string':
      return oneText(value.bytes)
    case 'list':
      return new ItemReading(value.items)
    case 'set':
      return new MemberReading(value)
    case 'hash':
      return dialect === 'valkey' && value.expiries !== undefined
        ? new ValkeyHashElements(value)
        : new HashElements(value)
    case 'zset':
      return new ZsetElements(new ScoreReading(value.set))
    case 'stream':
      return new StreamElements(value)
    default:
      return unreachable(value)
  }
}

/** A string is never changed, only replaced. */
function oneText(bytes: string): Elements {
  let left: string | undefined = bytes
  return {
    next() {
      const text = left
      left = undefined
      return text
    },
    freeze: () => undefined,
    release: () => true,
  }
}

/** Fields and values alternate; if some expire, each field comes after when it does, counted from the first that does. */
class HashElements implements Elements {
  readonly #reading: FieldReading
  /** Wall-clock milliseconds; undefined: no field expires. */
  readonly #baseMs: number | undefined
  /** The field returned next. */
  #field: string | undefined
  /** The value of the field returned last. */
  #value: string | undefined
  isEncoded = false

  constructor(value: HashValue) {
    this.#reading = new FieldReading(value)
    this.#baseMs = value.expiries?.soonest()?.atMs
  }

  next(): string | undefined {
    this.isEncoded = false
    const [field, value] = [this.#field, this.#value]
    this.#field = undefined
    if (field !== undefined) return field
    this.#value = undefined
    if (value !== undefined) return value
    const pair = this.#reading.next()
    this.#value = pair?.[1]
    if (pair === undefined || this.#baseMs === undefined) return pair?.[0]
    this.#field = pair[0]
    this.isEncoded = true
    return this.#expiryOf(pair[0], this.#baseMs)
  }

  freeze(): void {
    this.#reading.freeze()
  }

  release(): boolean {
    return this.#reading.release()
  }

  /** 0 is none, 1 the first moment. */
  #expiryOf(field: string, baseMs: number): string {
    const atMs = this.#reading.expiryOf(field)
    return rdbLength64(atMs === undefined ? 0 : atMs - baseMs + 1)
  }
}

/** A hash of which some fields expire, as Valkey writes it: each field, its value and its expiry. */
class ValkeyHashElements implements Elements {
  readonly #reading: FieldReading
  /** Of the field returned last: its expiry and its value, which is returned first. */
  #left: string[] = []
  isEncoded = false

  constructor(value: HashValue) {
    this.#reading = new FieldReading(value)
  }

  next(): string | undefined {
    const next = this.#left.pop()
    this.isEncoded = next !== undefined && this.#left.length === 0
    if (next !== undefined) return next
    const pair = this.#reading.next()
    if (pair === undefined) return undefined
    const [field, value] = pair
    this.#left = [int64Bytes(this.#reading.expiryOf(field) ?? NO_EXPIRY_MS), value]
    return field
  }

  freeze(): void {
    this.#reading.freeze()
  }

  release(): boolean {
    return this.#reading.release()
  }
}

/** Members and scores alternate. */
class ZsetElements implements Elements {
  readonly #reading: ScoreReading
  /** The score of the member returned last. */
  #score: number | undefined

  constructor(reading: ScoreReading) {
    this.#reading = reading
  }

  get isEncoded(): boolean {
    return this.#score === undefined
  }

  next(): string | undefined {
    const score = this.#score
    this.#score = undefined
    if (score !== undefined) return doubleBytes(score)
    const scored = this.#reading.next()
    this.#score = scored?.[1]
    return scored?.[0]
  }

  freeze(): void {
    this.#reading.freeze()
  }

  release(): boolean {
    return this.#reading.release()
  }
}

/**
 * A stream has too many parts to stop in the middle of one, and changes more often than anything else.
 * So it is read from a frozen copy from the start, which shares everything that does not change.
 */
class StreamElements implements Elements {
  readonly isEncoded = true
  readonly #rest: Iterator<string>

  constructor(value: StreamValue) {
    this.#rest = rdbStream({ type: 'stream', stream: value.stream.frozen() })
  }

  next(): string | undefined {
    const step = this.#rest.next()
    return step.done === true ? undefined : step.value
  }

  freeze(): void {}

  release(): boolean {
    return true
  }
}
