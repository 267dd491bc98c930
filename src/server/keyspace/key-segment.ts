/**
 * A small piece of the index of a table: the hashes of some keys and the positions of the keys, in one
 * array with open addressing and linear probing. What is deleted leaves no mark: what follows moves up,
 * so that searches stay short however often keys come and go.
 */

/** A segment with so many slots or more is split instead of being made larger. */
export const SEGMENT_SLOTS = 1024

const MIN_SLOTS = 8

/** The share of the slots at which a segment is full: 3 of 4. */
const FULL = 0.75

/** The share a new array is given at the most, so that it does not have to be made anew soon. */
const ROOMY = 0.625

/** Where a search begins is told by the upper bits of a hash; the lower ones choose the segment. */
const HOME_SHIFT = 19

export class Segment {
  /** A hash and a position plus one, in turn; 0 in place of the second: nothing is here. */
  cells: Int32Array
  used = 0
  /** By how many bits of the hash its keys were chosen. */
  depth: number

  constructor(depth: number, count = 0) {
    this.depth = depth
    this.cells = cellsFor(count)
  }

  get slots(): number {
    return this.cells.length >> 1
  }

  get isFull(): boolean {
    return this.used >= FULL * this.slots
  }

  /** There has to be room. */
  put(hash: number, place: number): void {
    const { cells } = this
    let at = homeOf(hash, cells)
    while (cells[at + 1] !== 0) at = (at + 2) & (cells.length - 1)
    cells[at] = hash
    cells[at + 1] = place
    this.used++
  }

  /** It has to be there. */
  remove(hash: number, place: number): void {
    const { cells } = this
    let at = homeOf(hash, cells)
    while (cells[at + 1] !== place) at = (at + 2) & (cells.length - 1)
    closeGap(cells, at)
    this.used--
  }

  /** Moves to an array for `count`. Gives how many were moved. */
  resize(count: number): number {
    const old = this.cells
    this.cells = cellsFor(count)
    this.used = 0
    return copyTo(old, () => this)
  }

  /** A new segment gets those whose next bit is set. */
  split(): Segment {
    const bit = 1 << this.depth
    const old = this.cells
    const count = countSet(old, bit)
    const sibling = new Segment(++this.depth, count)
    this.cells = cellsFor(this.used - count)
    this.used = 0
    copyTo(old, (hash) => ((hash & bit) === 0 ? this : sibling))
    return sibling
  }

  /** Takes what `sibling` has, and is chosen by one bit less. */
  merge(sibling: Segment): number {
    this.depth--
    const moved = this.resize(this.used + sibling.used)
    return moved + copyTo(sibling.cells, () => this)
  }
}

/** Where in the cells the search for a hash begins. */
export function homeOf(hash: number, cells: Int32Array): number {
  return (hash >>> HOME_SHIFT) & (cells.length - 2)
}

function cellsFor(count: number): Int32Array {
  let slots = MIN_SLOTS
  while (count > ROOMY * slots) slots *= 2
  return new Int32Array(2 * slots)
}

function copyTo(cells: Int32Array, target: (hash: number) => Segment): number {
  let moved = 0
  for (let at = 0; at < cells.length; at += 2) {
    const [hash, place] = [cells[at] as number, cells[at + 1] as number]
    if (place === 0) continue
    target(hash).put(hash, place)
    moved++
  }
  return moved
}

function countSet(cells: Int32Array, bit: number): number {
  let count = 0
  for (let at = 0; at < cells.length; at += 2) {
    if (cells[at + 1] !== 0 && ((cells[at] as number) & bit) !== 0) count++
  }
  return count
}

/** What may stand at the gap moves there, and leaves a gap itself (Knuth, volume 3, 6.4, algorithm R). */
function closeGap(cells: Int32Array, from: number): void {
  const mask = cells.length - 1
  let gap = from
  for (let at = (gap + 2) & mask; cells[at + 1] !== 0; at = (at + 2) & mask) {
    const probes = (at - homeOf(cells[at] as number, cells)) & mask
    if (probes < ((at - gap) & mask)) continue
    cells[gap] = cells[at] as number
    cells[gap + 1] = cells[at + 1] as number
    gap = at
  }
  cells[gap + 1] = 0
}
