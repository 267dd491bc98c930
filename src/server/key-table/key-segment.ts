/**
 * A small piece of the index of a table: the hashes of some keys and the positions of the keys, in one
 * array with open addressing and linear probing. A deletion leaves no mark: the entries after it move
 * up, so that searches stay short however often keys come and go.
 */

/** A segment with this many slots or more is split instead of being enlarged. */
export const SEGMENT_SLOTS = 1024

export const MIN_SLOTS = 8

/** The share of the slots at which a segment is full: 3 of 4. */
const FULL = 0.75

/** A new array is filled to this share at most, so that it does not have to be replaced soon. */
const ROOMY = 0.625

/** The upper bits of a hash say where a search begins; the lower ones choose the segment. */
const HOME_SHIFT = 19

export class Segment {
  /** Hashes and positions plus one alternate; 0 as the second number means a free slot. */
  cells: Int32Array
  used = 0
  /** How many bits of the hash choose this segment. */
  depth: number

  constructor(depth: number, count = 0) {
    this.depth = depth
    this.cells = cellsFor(count)
  }

  copy(): Segment {
    const copy = new Segment(this.depth)
    copy.cells = this.cells.slice()
    copy.used = this.used
    return copy
  }

  get slots(): number {
    return this.cells.length >> 1
  }

  get isFull(): boolean {
    return this.used >= FULL * this.slots
  }

  /** There must be a free slot. */
  put(hash: number, place: number): void {
    const { cells } = this
    let at = homeOf(hash, cells)
    while (cells[at + 1] !== 0) at = (at + 2) & (cells.length - 1)
    cells[at] = hash
    cells[at + 1] = place
    this.used++
  }

  /** The entry must be there. */
  remove(hash: number, place: number): void {
    const { cells } = this
    let at = homeOf(hash, cells)
    while (cells[at + 1] !== place) at = (at + 2) & (cells.length - 1)
    closeGap(cells, at)
    this.used--
  }

  /** Adds positions to `found`, from a slot on and round, until it has `count`. */
  sample(found: number[], count: number, from: number): void {
    const { cells } = this
    const mask = cells.length - 1
    for (let seen = 0; seen < cells.length && found.length < count; seen += 2) {
      const place = cells[(2 * from + seen + 1) & mask] as number
      if (place !== 0) found.push(place - 1)
    }
  }

  /** Moves to an array for `count` entries. Returns how many were moved. */
  resize(count: number): number {
    const old = this.cells
    this.cells = cellsFor(count)
    this.used = 0
    return copyTo(old, () => this)
  }

  /** The new segment gets the entries whose next bit is set. */
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

  /** Takes over the entries of `sibling`; one bit less chooses the result. */
  merge(sibling: Segment): number {
    this.depth--
    const moved = this.resize(this.used + sibling.used)
    return moved + copyTo(sibling.cells, () => this)
  }
}

/** The index in the cells at which the search for a hash begins. */
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

/**
 * An entry that may stand at the gap moves there, and leaves a gap itself (Knuth, volume 3, 6.4,
 * algorithm R).
 */
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
