/**
 * Where the keys of a table stand, with their values: each at a position that stays the same for as long
 * as the key exists. Pages of 256 positions are added one by one, so growth copies nothing.
 *
 * A position that becomes free is used again before a new page is begun. A page without keys gives its
 * memory back; a page with a single key keeps all of its 4 KiB.
 */

import { arrayBytes, grownCapacity, objectBytes } from '../values/engine-sizes.ts'

/** A power of two. Smaller pages become empty sooner; larger ones need less memory in all. */
const PAGE_SLOTS = 256
const PAGE_BITS = Math.log2(PAGE_SLOTS)
const LAST_SLOT = PAGE_SLOTS - 1
const PAGE_BYTES = objectBytes(5) + arrayBytes(2 * PAGE_SLOTS)

/** In place of a position: the key is not there. */
export const NOWHERE = -1

interface Page<V> {
  /** Keys and values alternate. A free slot has undefined and the number of the next free slot. */
  cells: (string | V | number | undefined)[]
  /** How many slots have been used since it was empty. */
  used: number
  firstFree: number
  live: number
  /** Whether it is in the list of pages with room. */
  isOpen: boolean
}

export class KeyPages<V> {
  #pages: Page<V>[] = []
  /** The numbers of the pages with room. The last one is filled first. */
  #open: number[] = []
  #live = 0
  #held = 0

  /** The same keys at the same positions; the values are shared. */
  copy(): KeyPages<V> {
    const copy = new KeyPages<V>()
    copy.#pages = this.#pages.map((page) => ({ ...page, cells: page.cells.slice() }))
    copy.#open = this.#open.slice()
    copy.#live = this.#live
    copy.#held = this.#held
    return copy
  }

  get live(): number {
    return this.#live
  }

  /** The position after the last one in use. */
  get end(): number {
    const last = this.#pages.length - 1
    return last < 0 ? 0 : last * PAGE_SLOTS + (this.#pages[last] as Page<V>).used
  }

  /** How many pages hold memory. */
  get held(): number {
    return this.#held
  }

  /** What the pages take in memory, without keys and values. The only page grows with its keys. */
  get heapBytes(): number {
    if (this.#held !== 1) return this.#held * PAGE_BYTES
    return Math.min(PAGE_BYTES, objectBytes(5) + arrayBytes(grownCapacity(2 * this.#live)))
  }

  keyAt(position: number): string {
    return this.#pageOf(position).cells[2 * (position & LAST_SLOT)] as string
  }

  /** Undefined if nothing stands there. */
  keyIfUsed(position: number): string | undefined {
    return this.#pageOf(position).cells[2 * (position & LAST_SLOT)] as string | undefined
  }

  valueAt(position: number): V {
    return this.#pageOf(position).cells[2 * (position & LAST_SLOT) + 1] as V
  }

  /** Reads the length of a key, and returns its value; undefined if nothing stands there. */
  peek(position: number): V | undefined {
    if (position === NOWHERE) return undefined
    const { cells } = this.#pageOf(position)
    const key = cells[2 * (position & LAST_SLOT)] as string | undefined
    if (key === undefined || key.length < 0) return undefined
    return cells[2 * (position & LAST_SLOT) + 1] as V
  }

  setValueAt(position: number, value: V): void {
    this.#pageOf(position).cells[2 * (position & LAST_SLOT) + 1] = value
  }

  /** Returns the position of the key. */
  put(key: string, value: V): number {
    const number = this.#open.at(-1) ?? this.#begin()
    const page = this.#pages[number] as Page<V>
    if (page.used === 0) this.#hold(page, number)
    const slot = takeSlot(page, key, value)
    this.#live++
    if (++page.live === PAGE_SLOTS) {
      this.#open.pop()
      page.isOpen = false
    }
    return number * PAGE_SLOTS + slot
  }

  remove(position: number): void {
    if (--this.#live === 0) return this.#reset()
    const page = this.#pageOf(position)
    if (!page.isOpen) this.#open.push(position >>> PAGE_BITS)
    page.isOpen = true
    if (--page.live === 0) {
      page.cells = []
      this.#held--
      page.used = 0
      page.firstFree = NOWHERE
    } else {
      freeSlot(page, position & LAST_SLOT)
    }
  }

  /** The first position in use from `from` on and before `end`. */
  next(from: number, end: number): number {
    for (let number = from >>> PAGE_BITS; number < this.#pages.length; number++) {
      const start = number * PAGE_SLOTS
      const position = start + nextSlot(this.#pages[number] as Page<V>, Math.max(0, from - start))
      if (position >= end) return NOWHERE
      if (position < start + PAGE_SLOTS) return position
    }
    return NOWHERE
  }

  /** Back to the initial state: new keys start at the first position. */
  #reset(): void {
    this.#pages = []
    this.#held = 0
    this.#open = []
  }

  #begin(): number {
    const number = this.#pages.length
    this.#pages.push({ cells: [], used: 0, firstFree: NOWHERE, live: 0, isOpen: true })
    this.#open.push(number)
    return number
  }

  /** The first page grows with its keys: most tables are small. To grow costs more than a page, so others do not. */
  #hold(page: Page<V>, number: number): void {
    this.#held++
    if (number > 0) page.cells = new Array(2 * PAGE_SLOTS)
  }

  #pageOf(position: number): Page<V> {
    return this.#pages[position >>> PAGE_BITS] as Page<V>
  }
}

function takeSlot<V>(page: Page<V>, key: string, value: V): number {
  const { cells, firstFree } = page
  if (firstFree === NOWHERE) {
    const slot = page.used++
    cells[2 * slot] = key
    cells[2 * slot + 1] = value
    return slot
  }
  page.firstFree = cells[2 * firstFree + 1] as number
  cells[2 * firstFree] = key
  cells[2 * firstFree + 1] = value
  return firstFree
}

function freeSlot<V>(page: Page<V>, slot: number): void {
  page.cells[2 * slot] = undefined
  page.cells[2 * slot + 1] = page.firstFree
  page.firstFree = slot
}

/** Returns `PAGE_SLOTS` if there is none. */
function nextSlot<V>({ cells }: Page<V>, from: number): number {
  for (let cell = 2 * from; cell < cells.length; cell += 2) {
    if (cells[cell] !== undefined) return cell >> 1
  }
  return PAGE_SLOTS
}
