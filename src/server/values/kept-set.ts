/** The members of a set as they were at a moment, and as they are (see kept-elements.ts). */
import { KeptElements } from './kept-elements.ts'
import type { Members, SetValue } from './value.ts'

export class KeptSet extends KeptElements implements Members {
  readonly #owner: SetValue
  readonly #members: Members

  constructor(owner: SetValue) {
    super(owner.members)
    this.#owner = owner
    this.#members = owner.members
  }

  add(member: string): void {
    this.put(member, '')
  }

  values(): IterableIterator<string> {
    return this.keys()
  }

  [Symbol.iterator](): IterableIterator<string> {
    return this.keys()
  }

  /** Whether the member that stands in the set was there at the moment. */
  isKept(member: string): boolean {
    return !this.added.has(member)
  }

  protected override replaceBy(): void {
    this.#owner.members = this.#members
  }

  protected override putIn(member: string): void {
    this.#members.add(member)
  }
}
