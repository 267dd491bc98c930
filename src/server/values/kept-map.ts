/** The fields of a hash as they were at a moment, and as they are (see kept-elements.ts). */
import { KeptElements } from './kept-elements.ts'
import type { Fields, HashValue } from './value.ts'

export class KeptMap extends KeptElements implements Fields {
  readonly #owner: HashValue
  readonly #fields: Fields
  /** What fields had at the moment that were set since, and not deleted first. */
  #old = new Map<string, string>()

  constructor(owner: HashValue) {
    super(owner.fields)
    this.#owner = owner
    this.#fields = owner.fields
  }

  get(field: string): string | undefined {
    return this.isGone(field) ? this.regained.get(field) : this.#fields.get(field)
  }

  set(field: string, value: string): void {
    this.put(field, value)
  }

  *values(): IterableIterator<string> {
    for (const field of this.keys()) yield this.get(field) as string
  }

  *[Symbol.iterator](): IterableIterator<[string, string]> {
    for (const field of this.keys()) yield [field, this.get(field) as string]
  }

  /** What the field that stands in the hash had at the moment; undefined: it was not there. */
  kept(field: string, value: string): string | undefined {
    return this.added.has(field) ? undefined : (this.#old.get(field) ?? value)
  }

  override release(): void {
    super.release()
    this.#old = new Map()
  }

  protected override replaceBy(): void {
    this.#owner.fields = this.#fields
  }

  protected override putIn(field: string, value: string): void {
    this.#fields.set(field, value)
  }

  protected override noteOld(field: string): void {
    if (!this.#old.has(field)) this.#old.set(field, this.#fields.get(field) as string)
  }
}
