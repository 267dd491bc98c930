/**
 * How many elements come before a chunk, and which chunk holds the n-th one: a Fenwick tree over the
 * sizes of the chunks, in which both answers and every change of a size take a logarithmic number of
 * steps.
 */
export interface ChunkPlace {
  readonly chunk: number
  /** Index within the chunk. */
  readonly at: number
}

export class ChunkRanks {
  /** `#sums[i]` is the sum of as many sizes up to chunk `i - 1` as the lowest bit of `i` says. */
  readonly #sums: Int32Array
  readonly #topBit: number

  constructor(sizes: Iterable<number>, count: number) {
    this.#sums = new Int32Array(count + 1)
    this.#topBit = count === 0 ? 0 : 2 ** (31 - Math.clz32(count))
    let chunk = 0
    for (const size of sizes) this.#sums[++chunk] = size
    for (let i = 1; i <= count; i++) {
      const parent = i + (i & -i)
      if (parent <= count) this.#sums[parent] = this.#sum(parent) + this.#sum(i)
    }
  }

  /** A chunk grew, or shrank if `delta` is negative. */
  resized(chunk: number, delta: number): void {
    for (let i = chunk + 1; i < this.#sums.length; i += i & -i) this.#sums[i] = this.#sum(i) + delta
  }

  /** How many elements the chunks before this one have. */
  before(chunk: number): number {
    let elements = 0
    for (let i = chunk; i > 0; i -= i & -i) elements += this.#sum(i)
    return elements
  }

  /** Where the element of this rank is; the rank must be smaller than the number of elements. */
  find(rank: number): ChunkPlace {
    let chunk = 0
    let left = rank
    for (let bit = this.#topBit; bit > 0; bit >>= 1) {
      const next = chunk + bit
      if (next < this.#sums.length && this.#sum(next) <= left) {
        chunk = next
        left -= this.#sum(next)
      }
    }
    return { chunk, at: left }
  }

  #sum(i: number): number {
    return this.#sums[i] as number
  }
}
