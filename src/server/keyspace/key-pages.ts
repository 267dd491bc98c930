/**
 * Where the keys of a table stand, with what belongs to them: each at a position that stays the same for
 * as long as the key exists. Pages of 256 positions are added one by one, so growth copies nothing.
 *
 * A position that becomes free is used again before a new page is begun. A page on which nothing is left
 * gives its memory back; one on which a single key is left keeps all of its 4 KiB.
 */

/** A power of two. Smaller pages become empty sooner; larger ones cost less each. */
export const PAGE_SLOTS = 256
const PAGE_BITS = Math.log2(PAGE_SLOTS)
const LAST_SLOT = PAGE_SLOTS - 1

/** In place of a position: there is none. */
export const NOWHERE = -1

interface Page<V> {
  /** A key and its value in turn. Of a free slot: undefined and the next free slot. */
  cells: (string | V | number | undefined)[]
  firstFree: number
  live: number
  /** It stands in the list of pages that have room. */
  isOpen: boolean
}

export class KeyPages<V> {
  #pages: Page<V>[] = []
  /** The numbers of those that have room. The last is filled first. */
  #open: number[] = []
  #live = 0

  get live(): number {
    return this.#live
  }

  /** Behind the last position in use. */
  get end(): number {
    const last = this.#pages.length - 1
    return last < 0 ? 0 : last * PAGE_SLOTS + ((this.#pages[last] as Page<V>).cells.length >> 1)
  }

  /** How many pages hold memory. */
  get held(): number {
    return this.#pages.reduce((sum, { cells }) => sum + (cells.length > 0 ? 1 : 0), 0)
  }

  keyAt(position: number): string {
    return this.#pageOf(position).cells[2 * (position & LAST_SLOT)] as string
  }

  valueAt(position: number): V {
    return this.#pageOf(position).cells[2 * (position & LAST_SLOT) + 1] as V
  }

  setValueAt(position: number, value: V): void {
    this.#pageOf(position).cells[2 * (position & LAST_SLOT) + 1] = value
  }

  /** Gives where it stands now. */
  put(key: string, value: V): number {
    const number = this.#open.at(-1) ?? this.#begin()
    const page = this.#pages[number] as Page<V>
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

  /** As new: what comes now stands at the beginning. */
  #reset(): void {
    this.#pages = []
    this.#open = []
  }

  #begin(): number {
    const number = this.#pages.length
    this.#pages.push({ cells: [], firstFree: NOWHERE, live: 0, isOpen: true })
    this.#open.push(number)
    return number
  }

  #pageOf(position: number): Page<V> {
    return this.#pages[position >>> PAGE_BITS] as Page<V>
  }
}

function takeSlot<V>(page: Page<V>, key: string, value: V): number {
  const { cells, firstFree } = page
  if (firstFree === NOWHERE) return (cells.push(key, value) >> 1) - 1
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

/** `PAGE_SLOTS`: there is none. */
function nextSlot<V>({ cells }: Page<V>, from: number): number {
  for (let cell = 2 * from; cell < cells.length; cell += 2) {
    if (cells[cell] !== undefined) return cell >> 1
  }
  return PAGE_SLOTS
}
