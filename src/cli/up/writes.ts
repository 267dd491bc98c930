/**
 * Which acknowledged writes does the master not have? A client writes 1, 2, 3, … to one key, and is told
 * with each answer what stood there before. If that is less than what it had been promised, the writes
 * between are lost.
 */

type Range = [first: number, last: number]

export class PromisedWrites {
  /** The numbers that were acknowledged and are not known to be lost, as ranges. */
  readonly #promised: Range[] = []
  #lost = 0

  get lost(): number {
    return this.#lost
  }

  /** `before`: what stood there; 0 if nothing did. Returns how many promised writes are gone. */
  acknowledged(number: number, before: number): number {
    const lost = this.#dropAbove(before)
    this.#lost += lost
    const last = this.#promised.at(-1)
    if (last !== undefined && last[1] === number - 1) last[1] = number
    else this.#promised.push([number, number])
    return lost
  }

  #dropAbove(before: number): number {
    let dropped = 0
    for (let last = this.#promised.at(-1); last !== undefined; last = this.#promised.at(-1)) {
      const [first, end] = last
      if (end <= before) break
      dropped += end - Math.max(first - 1, before)
      if (first > before) this.#promised.pop()
      else last[1] = before
    }
    return dropped
  }
}
