/**
 * Seeded randomness. One generator per process, forked by label, so that a new draw in one mechanism
 * never shifts the numbers another one sees and a recorded run stays replayable.
 */
export interface Rng {
  /** A whole number in 0..bound-1. */
  below(bound: number): number
  /** True in `numerator` of `denominator` cases. Whole numbers, so that every machine agrees. */
  chance(numerator: number, denominator: number): boolean
  /** `length` lower-case hex characters, as in run ids and replication ids. */
  hex(length: number): string
  /** One element of a non-empty list. */
  pick<T>(items: readonly T[]): T
  /** An independent generator; the same label of the same parent gives the same numbers. */
  fork(label: string): Rng
  /** Where the generator stands, for a record of the process; `reviveRng` goes on from there. */
  image(): RngImage
}

export interface RngImage {
  readonly seed: string
  /** The three words and the counter of sfc32. */
  readonly words: readonly [number, number, number, number]
}

/** A generator that goes on where another one stood. */
export function reviveRng(image: RngImage): Rng {
  return Sfc32.revive(image)
}

/** Builds a generator from text: any seed a person can type is a good seed. */
export function createRng(seed: string): Rng {
  return new Sfc32(seed)
}

/** sfc32 (Chris Doty-Humphrey, PractRand): 128 bits of state, fast in 32-bit integer arithmetic. */
class Sfc32 implements Rng {
  readonly #seed: string
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: string) {
    this.#seed = seed
    this.#a = hash(seed, 0x9e3779b9)
    this.#b = hash(seed, 0x85ebca6b)
    this.#c = hash(seed, 0xc2b2ae35)
    // The first outputs of similar seeds are alike; twelve rounds mix the state well.
    for (let round = 0; round < 12; round++) this.#next()
  }

  static revive({ seed, words }: RngImage): Sfc32 {
    const rng = new Sfc32(seed)
    ;[rng.#a, rng.#b, rng.#c, rng.#counter] = words
    return rng
  }

  image(): RngImage {
    return { seed: this.#seed, words: [this.#a, this.#b, this.#c, this.#counter] }
  }

  below(bound: number): number {
    return Math.floor((this.#next() / 2 ** 32) * bound)
  }

  chance(numerator: number, denominator: number): boolean {
    return this.below(denominator) < numerator
  }

  hex(length: number): string {
    let text = ''
    while (text.length < length) text += this.#next().toString(16).padStart(8, '0')
    return text.slice(0, length)
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error('broken invariant: pick needs a non-empty list')
    return items[this.below(items.length)] as T
  }

  fork(label: string): Rng {
    return new Sfc32(`${this.#seed}/${label}`)
  }

  #next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }
}

/**
 * FNV-1a over UTF-16 units with a final avalanche. It only has to spread seeds, not to resist an
 * attacker.
 */
function hash(text: string, basis: number): number {
  let value = basis | 0
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return value ^ (value >>> 16)
}
