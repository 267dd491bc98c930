/**
 * The items of a list as they were at a moment, in the ring that the list goes on using: before a
 * place gets another item, the old one is noted. When the list moves to another ring it leaves this
 * one unchanged, and nothing has to be noted any more.
 */
export class KeptItems {
  readonly #ring: readonly (string | undefined)[]
  readonly #head: number
  readonly #length: number
  /** By place in the ring. */
  readonly #noted = new Map<number, string>()

  constructor(ring: readonly (string | undefined)[], head: number, length: number) {
    this.#ring = ring
    this.#head = head
    this.#length = length
  }

  /** The item at `index`, from 0; undefined beyond the end. */
  at(index: number): string | undefined {
    if (index >= this.#length) return undefined
    const place = (this.#head + index) & (this.#ring.length - 1)
    return this.#noted.get(place) ?? this.#ring[place]
  }

  /** `item` is about to be replaced by another one. */
  note(place: number, item: string): void {
    const index = (place - this.#head) & (this.#ring.length - 1)
    if (index < this.#length && !this.#noted.has(place)) this.#noted.set(place, item)
  }
}
