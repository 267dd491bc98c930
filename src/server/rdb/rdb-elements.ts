/**
 * The elements of a value one after the other, for a writer that stops between them while commands go
 * on. As long as nobody changes the value they are read from it; when somebody is about to, `freeze`
 * takes what is left aside. That copies references, not texts: it is several times faster than writing
 * everything down at once, which is why it is done here and not with `copyValue`.
 */
import { unreachable } from '../../base/assert.ts'
import type { Deque } from '../values/deque.ts'
import type { Scored, SortedSet } from '../values/sorted-set.ts'
import type { StreamValue, Value } from '../values/value.ts'
import { doubleBytes } from './double-bytes.ts'
import { rdbStream } from './rdb-stream.ts'

export interface Elements {
  /** Whether the last one is as records hold it, and not a byte string yet to be encoded. */
  readonly isEncoded: boolean
  /** Undefined at the end. */
  next(): string | undefined
  freeze(): void
}

export function elementsOf(value: Value): Elements {
  switch (value.type) {
    case 'string':
      return new ListElements([value.bytes])
    case 'list':
      return new ListElements(value.items)
    case 'set':
      return new SetElements(value.members)
    case 'hash':
      return new HashElements(value.fields)
    case 'zset':
      return new ZsetElements(value.set)
    case 'stream':
      return new StreamElements(value)
    default:
      return unreachable(value)
  }
}

class ListElements implements Elements {
  readonly isEncoded = false
  #items: Pick<Deque, 'at'>
  #at = 0

  constructor(items: Pick<Deque, 'at'>) {
    this.#items = items
  }

  next(): string | undefined {
    return this.#items.at(this.#at++)
  }

  freeze(): void {
    const rest: string[] = []
    for (let item = this.next(); item !== undefined; item = this.next()) rest.push(item)
    this.#items = rest
    this.#at = 0
  }
}

class SetElements implements Elements {
  readonly isEncoded = false
  #rest: IterableIterator<string>

  constructor(members: ReadonlySet<string>) {
    this.#rest = members.values()
  }

  next(): string | undefined {
    return following(this.#rest)
  }

  freeze(): void {
    this.#rest = [...this.#rest].values()
  }
}

/** Fields and values in turn. */
class HashElements implements Elements {
  readonly isEncoded = false
  #hash: ReadonlyMap<string, string>
  #fields: IterableIterator<string>
  #values: IterableIterator<string>
  #taken = 0

  constructor(hash: ReadonlyMap<string, string>) {
    this.#hash = hash
    this.#fields = hash.keys()
    this.#values = hash.values()
  }

  next(): string | undefined {
    return following(this.#taken++ % 2 === 0 ? this.#fields : this.#values)
  }

  /** Engines copy what an iterator gives several times faster if it has not given anything yet. */
  freeze(): void {
    const hash = this.#hash
    const values = Math.floor(this.#taken / 2)
    this.#fields = [...hash.keys()].slice(this.#taken - values).values()
    this.#values = [...hash.values()].slice(values).values()
    this.#hash = new Map()
  }
}

/** Members and scores in turn. */
class ZsetElements implements Elements {
  readonly #set: SortedSet
  #rest: IterableIterator<Scored>
  #taken = 0
  /** The score that follows the member given last. */
  #score: number | undefined

  constructor(set: SortedSet) {
    this.#set = set
    this.#rest = set[Symbol.iterator]()
  }

  get isEncoded(): boolean {
    return this.#score === undefined
  }

  next(): string | undefined {
    const score = this.#score
    this.#score = undefined
    if (score !== undefined) return doubleBytes(score)
    const scored = following(this.#rest)
    if (scored === undefined) return undefined
    this.#taken++
    this.#score = scored[1]
    return scored[0]
  }

  freeze(): void {
    this.#rest = this.#set.frozen(this.#taken)
  }
}

/**
 * A stream has too many parts to be left half read, and is changed more often than anything else. So it
 * is written from a copy, which shares its entries.
 */
class StreamElements implements Elements {
  readonly isEncoded = true
  readonly #rest: IterableIterator<string>

  constructor(value: StreamValue) {
    this.#rest = rdbStream({ type: 'stream', stream: value.stream.copy() })
  }

  next(): string | undefined {
    return following(this.#rest)
  }

  freeze(): void {}
}

function following<T>(rest: Iterator<T>): T | undefined {
  const step = rest.next()
  return step.done === true ? undefined : step.value
}
