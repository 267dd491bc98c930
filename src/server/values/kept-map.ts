/** The fields of a hash as they were at a moment, and as they are (see kept-elements.ts). */
import { KeptElements } from './kept-elements.ts'
import type { HashFields, HashValue, SetMembers, SetValue } from './value.ts'

export class KeptMap extends KeptElements implements HashFields {
  readonly #owner: HashValue
  readonly #fields: HashFields
  /** The values that fields had at the moment, if they were set since without being deleted first. */
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

  /** The value at the moment of a field in the hash; undefined if it was not there. */
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

/** The members of a set as they were at a moment, and as they are (see kept-elements.ts). */
export class KeptSet extends KeptElements implements SetMembers {
  readonly #owner: SetValue
  readonly #members: SetMembers

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

  /** Whether the member in the set was there at the moment. */
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
