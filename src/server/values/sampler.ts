/**
 * Random elements of a collection, each equally likely. JavaScript's Map and Set cannot return an
 * element by its position, so a sampler keeps the keys in an array beside them. That doubles the
 * memory of the keys, so it is created by the first draw, and never for a few elements, which are simply
 * walked, nor for those of a table of keys (large.ts), which draws by itself.
 */
import { assert } from '../../base/assert.ts'
import type { Rng } from '../../base/rng.ts'
import { arrayBytes, grownCapacity, mapBytes } from './engine-sizes.ts'

/** Up to this size, walking to the drawn element is cheap enough. */
const SMALL = 64

export interface Keyed {
  readonly size: number
  /** Tables can draw by themselves, as long as they have few holes. */
  draw?(below: (bound: number) => number): string | undefined
  keys(): IterableIterator<string>
}

/** A value with elements that keeps a sampler once one was needed. */
export interface Sampled {
  sampler?: Sampler
}

export class Sampler {
  readonly #keys: string[] = []
  readonly #places = new Map<string, number>()

  constructor(keys: Iterable<string>) {
    for (const key of keys) this.add(key)
  }

  get size(): number {
    return this.#keys.length
  }

  /** What it takes in memory; the keys are those of the collection. */
  get heapBytes(): number {
    return mapBytes(this.size) + arrayBytes(grownCapacity(this.size))
  }

  /** Does nothing if the key is there already. */
  add(key: string): void {
    if (this.#places.has(key)) return
    this.#places.set(key, this.#keys.length)
    this.#keys.push(key)
  }

  /** Does nothing if the key is not there. The last key moves into the gap. */
  delete(key: string): void {
    const place = this.#places.get(key)
    if (place === undefined) return
    const last = this.#keys.pop() as string
    this.#places.delete(key)
    if (last === key) return
    this.#keys[place] = last
    this.#places.set(last, place)
  }

  pick(rng: Rng): string {
    return rng.pick(this.#keys)
  }
}

/** One key of a non-empty collection. `owner` keeps the sampler of a large one. */
export function pickKey(owner: Sampled, collection: Keyed, rng: Rng): string {
  assert(collection.size > 0, 'something can be drawn')
  if (owner.sampler === undefined && collection.size <= SMALL) {
    return keyAt(collection, rng.below(collection.size))
  }
  const drawn =
    owner.sampler === undefined ? collection.draw?.((bound) => rng.below(bound)) : undefined
  if (drawn !== undefined) return drawn
  owner.sampler ??= new Sampler(collection.keys())
  assert(owner.sampler.size === collection.size, 'the sampler is in step with its collection')
  return owner.sampler.pick(rng)
}

/** `count` different keys, in random order; `count` is at most the size of the collection. */
export function pickDistinctKeys(
  owner: Sampled,
  collection: Keyed,
  count: number,
  rng: Rng,
): string[] {
  assert(count <= collection.size, 'no more keys are drawn than there are')
  // Few out of many: drawing again is cheaper than copying all. If a sampler has to be created for it, very
  // few.
  const share = owner.sampler === undefined && collection.draw === undefined ? 64 : 4
  if (collection.size > SMALL && count * share < collection.size) {
    const drawn = new Set<string>()
    while (drawn.size < count) drawn.add(pickKey(owner, collection, rng))
    return [...drawn]
  }
  return shuffledStart([...collection.keys()], count, rng)
}

/** The first `count` steps of a Fisher-Yates shuffle. */
export function shuffledStart<T>(items: T[], count: number, rng: Rng): T[] {
  for (let place = 0; place < count; place++) {
    const other = place + rng.below(items.length - place)
    const drawn = items[other] as T
    items[other] = items[place] as T
    items[place] = drawn
  }
  return items.slice(0, count)
}

function keyAt(collection: Keyed, place: number): string {
  let at = 0
  for (const key of collection.keys()) {
    if (at === place) return key
    at++
  }
  throw new Error('broken invariant: the place lies within the collection')
}
