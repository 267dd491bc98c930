/**
 * A pipeline names its keys before their turns come. Where there are many keys, a look-up waits for about six
 * reads of memory that is in no cache of the processor, and each of them needs the one before. Looking ahead
 * reads the same places for many keys at once, so that these waits overlap, and the look-ups that follow
 * find all of it in the cache.
 *
 * The same holds for the elements of a large hash, set or sorted set, if the requests of a pipeline name one after the
 * other. The keys and elements that are found are kept for the requests and their look-ups (key-table/foreseen-keys.ts).
 *
 * Nothing else depends on what is found: a request that is not understood here, or whose first argument is no key,
 * only gains nothing.
 */
import { SHORT_WORD_BYTES } from '../../resp/input.ts'
import type { CommandInfo } from '../catalogue/command-info.ts'
import type { ForeseenKeys } from '../key-table/foreseen-keys.ts'
import type { KeySpans, KeyTable } from '../key-table/key-table.ts'
import type { Entry, EntryTable } from '../keyspace/entry-table.ts'
import { tableIn } from '../values/large.ts'
import { lengthOf } from '../values/long-string.ts'

/** So many keys are looked up at once: what is read for them stays in the nearer caches. */
const KEYS_AT_ONCE = 64
/** Looking ahead for fewer costs more than it saves. */
const MIN_KEYS = 4
/** A smaller table stays in the caches by itself. */
const MIN_TABLE_KEYS = 4096

const ASTERISK = 0x2a
const DIGIT_0 = 0x30
/** CR, as far from the digit 0. */
const LINE_END = 0x0d - DIGIT_0
/** CR LF. */
const LINE_END_BYTES = 2

/** A shorter text has too few requests to look ahead for. */
const SHORTEST_PIPELINE = 128

/** With a single key, or two, they are not worth a look at their names. */
const FEWEST_WORDS = 4

/** What it needs to know of a command. */
type Keyed = Pick<CommandInfo, 'firstKey' | 'lastKey' | 'keyStep'>
/** And of a table. */
type ReadAhead = Pick<EntryTable, 'size' | 'get' | 'preload'>

/** Requests that look like the first one of the input, which names an element of a large collection. */
interface Alike {
  readonly words: number
  readonly keyBytes: number
  /** Which word is the element. */
  readonly place: number
}

export class LookAhead {
  /** By name, in lower and in upper case: how many words the keys of a command are apart of which every argument may be one. */
  readonly #keysApart: ReadonlyMap<string, number>
  readonly #initials: ReadonlySet<number>
  readonly #longestName: number
  readonly #spans: KeySpans = {
    count: 0,
    from: new Int32Array(KEYS_AT_ONCE),
    to: new Int32Array(KEYS_AT_ONCE),
    hashes: new Int32Array(KEYS_AT_ONCE),
    keys: new Array(KEYS_AT_ONCE).fill(undefined),
  }
  readonly #foreseen: ForeseenKeys
  readonly #found: unknown[] = []
  #text = ''
  #at = 0
  /** What is read must be used for something, or the compiler leaves it out. */
  #sum = 0

  constructor(commands: ReadonlyMap<string, Keyed>, foreseen: ForeseenKeys) {
    this.#foreseen = foreseen
    const many = [...commands].filter(([, one]) => one.firstKey === 1 && one.lastKey === -1)
    this.#keysApart = new Map(
      many.flatMap(([name, { keyStep }]) => [
        [name, keyStep],
        [name.toUpperCase(), keyStep],
      ]),
    )
    const names = [...this.#keysApart.keys()]
    this.#initials = new Set(names.map((name) => name.charCodeAt(0)))
    this.#longestName = Math.max(...names.map((name) => name.length))
  }

  /** `text`: what a client sent; requests that begin in it are looked at. */
  at(table: ReadAhead, text: string): void {
    this.#foreseen.clear()
    this.#text = text
    this.#at = 0
    if (text.length >= SHORTEST_PIPELINE) this.#readElements(table)
    if (table.size >= MIN_TABLE_KEYS) this.#readKeys(table)
    this.#text = ''
  }

  #readKeys(table: ReadAhead): void {
    do this.#findKeys()
    while (this.#spans.count >= MIN_KEYS && this.#preload(table, entrySize))
  }

  /** If the first request names an element of a large collection: of those after it that do, too. */
  #readElements(table: ReadAhead): void {
    const words = this.#number()
    this.#skipWord()
    const from = this.#at
    const keyBytes = this.#number()
    const key = this.#text.slice(this.#at, this.#at + keyBytes)
    this.#at = from
    for (let word = 1; word < words && this.#at < this.#text.length; word++) this.#skipWord()
    const value = this.#text.charCodeAt(this.#at) === ASTERISK ? table.get(key)?.value : undefined
    const elements = value && tableIn(value)
    if (elements === undefined) {
      this.#at = 0
      return
    }
    // ZADD and ZINCRBY name the score first.
    const alike = { words, keyBytes, place: value?.type === 'zset' && words === 4 ? 3 : 2 }
    do this.#findElements(alike)
    while (this.#spans.count >= MIN_KEYS && this.#preload(elements, elementSize))
  }

  /** The elements that the next requests name, up to one that is not like the first. */
  #findElements(alike: Alike): void {
    const spans = this.#spans
    spans.count = 0
    while (spans.count < KEYS_AT_ONCE && this.#text.charCodeAt(this.#at) === ASTERISK) {
      const from = this.#at
      if (!this.#isAlike(alike)) {
        this.#at = from
        return
      }
      for (let word = 2; word < alike.words && this.#at < this.#text.length; word++) {
        if (word === alike.place) this.#noteKey()
        else this.#skipWord()
      }
    }
  }

  /** Reads a request to the end of its key. Whether that is the same key is not worth a look. */
  #isAlike({ words, keyBytes }: Alike): boolean {
    if (this.#number() !== words) return false
    this.#skipWord()
    if (this.#number() !== keyBytes) return false
    this.#at += keyBytes + LINE_END_BYTES
    return true
  }

  /** Returns whether there may be more. `size`: reads what commands read of a value first. */
  #preload<V>(table: Pick<KeyTable<V>, 'preload'>, size: (value: V) => number): boolean {
    const found: (V | undefined)[] = this.#found as V[]
    const { count } = this.#spans
    table.preload(this.#text, this.#spans, found)
    for (let at = 0; at < count; at++) {
      const value = found[at]
      if (value !== undefined) this.#sum ^= size(value)
    }
    found.fill(undefined)
    for (let at = 0; at < count; at++) this.#foresee(at)
    return count === KEYS_AT_ONCE
  }

  #foresee(at: number): void {
    const { from, to, hashes, keys } = this.#spans
    const key = keys[at]
    const place = from[at] as number
    if (key === undefined || key.length <= SHORT_WORD_BYTES) return
    if (this.#text.slice(place, to[at]) !== key) return
    this.#foreseen.add(place, key, hashes[at] as number)
  }

  /** The keys of the next requests, up to one that is not understood or goes on beyond the text. */
  #findKeys(): void {
    const spans = this.#spans
    spans.count = 0
    while (spans.count < KEYS_AT_ONCE && this.#text.charCodeAt(this.#at) === ASTERISK) {
      const words = this.#number()
      const apart = this.#distance(words)
      for (let word = 1; word < words && this.#at < this.#text.length; word++) {
        if ((word - 1) % apart === 0) this.#noteKey()
        else this.#skipWord()
      }
    }
  }

  /** The next word is the name of a command: how many words its keys are apart. Most have one key. */
  #distance(words: number): number {
    const length = this.#number()
    const from = this.#at
    this.#at += length + LINE_END_BYTES
    // Most requests are told by this: their names are not looked up.
    if (words < FEWEST_WORDS || length > this.#longestName) return words
    if (!this.#initials.has(this.#text.charCodeAt(from))) return words
    return this.#keysApart.get(this.#text.slice(from, from + length)) ?? words
  }

  #noteKey(): void {
    const spans = this.#spans
    const end = this.#number() + this.#at
    if (end < this.#text.length && spans.count < KEYS_AT_ONCE) {
      spans.from[spans.count] = this.#at
      spans.to[spans.count++] = end
    }
    this.#at = end + LINE_END_BYTES
  }

  #skipWord(): void {
    const length = this.#number()
    this.#at += length + LINE_END_BYTES
  }

  /** The number in the present line, after a sign. Where there is none, the rest of the text is given up. */
  #number(): number {
    const text = this.#text
    let value = 0
    for (let at = this.#at + 1; at < text.length; at++) {
      const digit = text.charCodeAt(at) - DIGIT_0
      if (digit >= 0 && digit <= 9) {
        value = value * 10 + digit
      } else {
        this.#at = at + LINE_END_BYTES
        return digit === LINE_END ? value : this.#giveUp()
      }
    }
    return this.#giveUp()
  }

  #giveUp(): number {
    this.#at = this.#text.length
    return 0
  }
}

function entrySize({ value }: Entry): number {
  return value.type === 'string' ? lengthOf(value) : 1
}

function elementSize(value: unknown): number {
  return typeof value === 'string' ? value.length : 1
}
