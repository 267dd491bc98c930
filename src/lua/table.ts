/**
 * Tables, in the layout of Lua 5.1: an array for the keys 1 to n, and a hash in which colliding
 * keys are chained through free places (Brent's variation). The layout is visible to scripts, in the
 * order of `pairs` and in the length of a list with holes, and through them in every JSON text a
 * script writes. So it is the same here, down to the hash of a string and the moment of a rehash.
 */
import { bestArraySize, countInteger, MAX_ARRAY_BITS } from './array-size.ts'
import type { LuaHeap } from './heap.ts'
import { LuaObject, type LuaValue } from './values.ts'

/** A place of the hash: key, value, and the place of the next key in its chain. */
const STRIDE = 3
const NO_NEXT = -1
const PLACE_BYTES = 40
const SLOT_BYTES = 16
const TABLE_BYTES = 96

type HashSlot = LuaValue | number

/**
 * What small tables begin with. A part of a list is as long as it says; for what is pushed to an empty
 * one the engine reserves sixteen places more, which most tables of scripts would never use.
 */
const NOTHING: LuaValue[] = []
const NILS: readonly LuaValue[] = Array.from({ length: 16 }, () => undefined)
const FREE_PLACES: readonly HashSlot[] = NILS.slice(0, 4).flatMap(() => [
  undefined,
  undefined,
  NO_NEXT,
])

const doubles = new Float64Array(1)
const words = new Uint32Array(doubles.buffer)

/** The hash of Lua 5.1 as Redis builds it, which looks at every byte. */
export function hashOfString(text: string): number {
  const length = text.length
  let hash = length
  for (let at = length - 1; at >= 0; at--) {
    hash ^= (hash << 5) + (hash >>> 2) + text.charCodeAt(at)
  }
  return hash >>> 0
}

export class LuaTable extends LuaObject {
  metatable: LuaTable | undefined
  isReadOnly = false
  /** The keys 1 to `array.length`, nil included. */
  array: LuaValue[] = NOTHING
  readonly #heap: LuaHeap
  /** Undefined: the hash is empty. */
  #places: HashSlot[] | undefined
  /** How many places there are; at least 1 in Lua, whose empty hash is a place that is never used. */
  #size = 1
  /** Places from here on are not free. */
  #free = 0

  constructor(heap: LuaHeap, arraySize = 0, hashSize = 0) {
    super(heap)
    this.#heap = heap
    heap.charge(TABLE_BYTES)
    if (arraySize > 0) this.#resizeArray(arraySize)
    if (hashSize > 0) this.#newHash(hashSize)
  }

  /** For a new table: what is in its list. The table keeps the array. */
  adoptList(values: LuaValue[]): void {
    if (values.length === 0) return
    this.#heap.charge(values.length * SLOT_BYTES)
    this.array = values
  }

  /** For a new table with room for one key: the key. */
  adoptField(key: string, value: LuaValue): void {
    this.#heap.charge(PLACE_BYTES)
    this.#places = [key, value, NO_NEXT]
    this.#free = 1
  }

  get typeName(): string {
    return 'table'
  }

  get(key: LuaValue): LuaValue {
    if (typeof key === 'string') return this.getString(key, 0)
    if (typeof key === 'number') return this.getNumber(key)
    if (key === undefined) return undefined
    const places = this.#places
    if (places === undefined) return undefined
    const at = this.#find(key, this.#mainPlace(key))
    return at < 0 ? undefined : (places[at + 1] as LuaValue)
  }

  /** `hash`: of the string, if it is known; otherwise 0. */
  getString(key: string, hash: number): LuaValue {
    const places = this.#places
    if (places === undefined) return undefined
    let at = ((hash === 0 ? hashOfString(key) : hash) & (this.#size - 1)) * STRIDE
    do {
      if (places[at] === key) return places[at + 1] as LuaValue
      at = places[at + 2] as number
    } while (at >= 0)
    return undefined
  }

  getNumber(key: number): LuaValue {
    const index = key - 1
    if (index >= 0 && index < this.array.length && (index | 0) === index) return this.array[index]
    const places = this.#places
    if (places === undefined) return undefined
    const at = this.#find(key, this.#mainPlace(key))
    return at < 0 ? undefined : (places[at + 1] as LuaValue)
  }

  /** The key is neither nil nor not a number; the caller has looked at `isReadOnly`. */
  set(key: LuaValue, value: LuaValue): void {
    if (typeof key === 'string') return this.setString(key, 0, value)
    if (typeof key === 'number') return this.setNumber(key, value)
    this.#put(key, value)
  }

  setString(key: string, known: number, value: LuaValue): void {
    const places = this.#places
    if (places !== undefined) {
      let at = ((known === 0 ? hashOfString(key) : known) & (this.#size - 1)) * STRIDE
      do {
        if (places[at] === key) {
          places[at + 1] = value
          return
        }
        at = places[at + 2] as number
      } while (at >= 0)
    }
    this.#insert(key, value)
  }

  setNumber(key: number, value: LuaValue): void {
    const index = key - 1
    if (index >= 0 && index < this.array.length && (index | 0) === index) this.array[index] = value
    else this.#put(key, value)
  }

  /** A border: n such that t[n] is not nil and t[n + 1] is. */
  length(): number {
    let above = this.array.length
    if (above > 0 && this.array[above - 1] === undefined) {
      let below = 0
      while (above - below > 1) {
        const middle = (below + above) >>> 1
        if (this.array[middle - 1] === undefined) above = middle
        else below = middle
      }
      return below
    }
    return this.#places === undefined ? above : this.#searchBeyond(above)
  }

  /**
   * The index that follows the key in the order of `next`, for `keyAt` and `valueAt`; negative: there
   * is no such key.
   */
  indexAfter(key: LuaValue): number {
    if (key === undefined) return 0
    const size = this.array.length
    if (typeof key === 'number' && key >= 1 && key <= size && Number.isInteger(key)) return key
    const at = this.#places === undefined ? -1 : this.#find(key, this.#mainPlace(key))
    return at < 0 ? -1 : size + at / STRIDE + 1
  }

  /** The first index from `from` on that holds a value; negative: there is none. */
  nextIndex(from: number): number {
    const size = this.array.length
    let at = from
    for (; at < size; at++) if (this.array[at] !== undefined) return at
    const places = this.#places
    if (places === undefined) return -1
    for (; at < size + this.#size; at++) {
      if (places[(at - size) * STRIDE + 1] !== undefined) return at
    }
    return -1
  }

  keyAt(index: number): LuaValue {
    const size = this.array.length
    if (index < size) return index + 1
    return this.#places?.[(index - size) * STRIDE] as LuaValue
  }

  valueAt(index: number): LuaValue {
    const size = this.array.length
    if (index < size) return this.array[index]
    return this.#places?.[(index - size) * STRIDE + 1] as LuaValue
  }

  /** Keys and values in the order of `next`. */
  *entries(): IterableIterator<readonly [LuaValue, LuaValue]> {
    for (let at = this.nextIndex(0); at >= 0; at = this.nextIndex(at + 1)) {
      yield [this.keyAt(at), this.valueAt(at)]
    }
  }

  /** Makes room for a list of this length, as a constructor does. */
  growArray(size: number): void {
    if (size > this.array.length) this.#resize(size, this.#places === undefined ? 0 : this.#size)
  }

  /** What it takes itself, without what it refers to. */
  get ownBytes(): number {
    const places = this.#places === undefined ? 0 : this.#size
    return TABLE_BYTES + this.array.length * SLOT_BYTES + places * PLACE_BYTES
  }

  // The hash

  #find(key: LuaValue, from: number): number {
    const places = this.#places as HashSlot[]
    let at = from
    do {
      if (places[at] === key) return at
      at = places[at + 2] as number
    } while (at >= 0)
    return -1
  }

  #mainPlace(key: HashSlot): number {
    const size = this.#size
    switch (typeof key) {
      case 'string':
        return (hashOfString(key) & (size - 1)) * STRIDE
      case 'number': {
        if (key === 0) return 0
        doubles[0] = key
        const sum = ((words[0] as number) + (words[1] as number)) >>> 0
        return (sum % ((size - 1) | 1)) * STRIDE
      }
      case 'boolean':
        return (Number(key) & (size - 1)) * STRIDE
      default:
        return (((key as LuaObject).address >>> 0) % ((size - 1) | 1)) * STRIDE
    }
  }

  #put(key: LuaValue, value: LuaValue): void {
    if (this.#places !== undefined) {
      const at = this.#find(key, this.#mainPlace(key))
      if (at >= 0) {
        this.#places[at + 1] = value
        return
      }
    }
    this.#insert(key, value)
  }

  /** The key is not in the hash. */
  #insert(key: LuaValue, value: LuaValue): void {
    const places = this.#places
    if (places === undefined) return this.#rehash(key, value)
    const main = this.#mainPlace(key)
    if (places[main + 1] === undefined) return this.#fill(main, key, value)
    const free = this.#takeFree()
    if (free < 0) return this.#rehash(key, value)
    const othersMain = this.#mainPlace(places[main])
    if (othersMain === main) {
      // The new key goes to the free place, as the second of the chain.
      places[free + 2] = places[main + 2]
      places[main + 2] = free
      return this.#fill(free, key, value)
    }
    // The other key is not at its main place: it moves, and its chain with it.
    let before = othersMain
    while (places[before + 2] !== main) before = places[before + 2] as number
    places[before + 2] = free
    for (let part = 0; part < STRIDE; part++) places[free + part] = places[main + part]
    places[main + 2] = NO_NEXT
    this.#fill(main, key, value)
  }

  #fill(at: number, key: LuaValue, value: LuaValue): void {
    const places = this.#places as HashSlot[]
    places[at] = key
    places[at + 1] = value
  }

  #takeFree(): number {
    const places = this.#places as HashSlot[]
    while (this.#free-- > 0) {
      if (places[this.#free * STRIDE] === undefined) return this.#free * STRIDE
    }
    return -1
  }

  #searchBeyond(from: number): number {
    let below = from
    let above = from + 1
    while (this.getNumber(above) !== undefined) {
      below = above
      above *= 2
    }
    while (above - below > 1) {
      const middle = Math.floor((below + above) / 2)
      if (this.getNumber(middle) === undefined) above = middle
      else below = middle
    }
    return below
  }

  // Growing

  /** No place is free: counts the keys, chooses the sizes anew, and adds the key. */
  #rehash(key: LuaValue, value: LuaValue): void {
    const counts = new Uint32Array(MAX_ARRAY_BITS + 1)
    let total = this.#countArray(counts)
    let integers = total
    const places = this.#places
    if (places !== undefined) {
      for (let at = 0; at < places.length; at += STRIDE) {
        if (places[at + 1] === undefined) continue
        integers += countInteger(places[at] as LuaValue, counts)
        total++
      }
    }
    integers += countInteger(key, counts)
    total++
    const [arraySize, inArray] = bestArraySize(counts, integers)
    this.#resize(arraySize, total - inArray)
    this.set(key, value)
  }

  /** Counts the integer keys of the array by powers of two. */
  #countArray(counts: Uint32Array): number {
    let used = 0
    let at = 1
    for (let bits = 0, power = 1; bits <= MAX_ARRAY_BITS; bits++, power *= 2) {
      const last = Math.min(power, this.array.length)
      if (at > last) break
      for (; at <= last; at++) {
        if (this.array[at - 1] === undefined) continue
        counts[bits] = (counts[bits] as number) + 1
        used++
      }
    }
    return used
  }

  #resize(arraySize: number, hashSize: number): void {
    const oldArray = this.array
    const oldPlaces = this.#places
    if (arraySize > oldArray.length) this.#resizeArray(arraySize)
    this.#newHash(hashSize)
    if (arraySize < oldArray.length) {
      this.array = oldArray.slice(0, arraySize)
      for (let at = arraySize; at < oldArray.length; at++) {
        if (oldArray[at] !== undefined) this.setNumber(at + 1, oldArray[at])
      }
    }
    if (oldPlaces === undefined) return
    for (let at = oldPlaces.length - STRIDE; at >= 0; at -= STRIDE) {
      const value = oldPlaces[at + 1] as LuaValue
      if (value !== undefined) this.set(oldPlaces[at] as LuaValue, value)
    }
  }

  #resizeArray(size: number): void {
    this.#heap.charge(size * SLOT_BYTES)
    if (this.array.length === 0) this.array = NILS.slice(0, size)
    while (this.array.length < size) this.array.push(undefined)
  }

  #newHash(wanted: number): void {
    if (wanted === 0) {
      this.#places = undefined
      this.#size = 1
      return
    }
    let size = 1
    while (size < wanted) size *= 2
    this.#heap.charge(size * PLACE_BYTES)
    const places = FREE_PLACES.slice(0, size * STRIDE)
    for (let at = FREE_PLACES.length / STRIDE; at < size; at++) {
      places.push(undefined, undefined, NO_NEXT)
    }
    this.#places = places
    this.#size = size
    this.#free = size
  }
}
