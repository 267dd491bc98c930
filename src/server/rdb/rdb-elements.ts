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
import type { StreamValue, Value } from '../values/value.ts'
import { doubleBytes } from './double-bytes.ts'
import { rdbStream } from './rdb-stream.ts'

export interface Elements extends Hold {
  /**
   * Whether the element returned last is already in the form of records, and not a byte string to encode;
   * false by default.
   */
  readonly isEncoded?: boolean
  /** Undefined at the end. */
  next(): string | undefined
}

export function elementsOf(value: Value): Elements {
  switch (value.type) {
    case 'string':
      return oneText(value.bytes)
    case 'list':
      return new ItemReading(value.items)
    case 'set':
      return new MemberReading(value)
    case 'hash':
      return new HashElements(new FieldReading(value))
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

/** Fields and values alternate. */
class HashElements implements Elements {
  readonly #reading: FieldReading
  /** The value of the field returned last. */
  #value: string | undefined

  constructor(reading: FieldReading) {
    this.#reading = reading
  }

  next(): string | undefined {
    const value = this.#value
    this.#value = undefined
    if (value !== undefined) return value
    const pair = this.#reading.next()
    this.#value = pair?.[1]
    return pair?.[0]
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
