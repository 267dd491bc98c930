import type { Deadlines } from './deadlines.ts'
import type { HashFields } from './value.ts'

/** The fields of a hash without those that have expired and are not deleted yet. It is only read. */
export class LiveFields implements HashFields {
  readonly #fields: HashFields
  readonly #expiries: Deadlines
  readonly #nowMs: number

  constructor(fields: HashFields, expiries: Deadlines, nowMs: number) {
    this.#fields = fields
    this.#expiries = expiries
    this.#nowMs = nowMs
  }

  /** Takes as long as there are fields that expire. */
  get size(): number {
    let { size } = this.#fields
    for (const [, atMs] of this.#expiries) if (atMs < this.#nowMs) size--
    return size
  }

  get contentBytes(): number {
    return this.#fields.contentBytes
  }

  has(field: string): boolean {
    return this.#isLive(field) && this.#fields.has(field)
  }

  get(field: string): string | undefined {
    return this.#isLive(field) ? this.#fields.get(field) : undefined
  }

  set(): never {
    throw new Error('broken invariant: a view is not written to')
  }

  delete(): never {
    throw new Error('broken invariant: a view is not written to')
  }

  *keys(): IterableIterator<string> {
    for (const field of this.#fields.keys()) if (this.#isLive(field)) yield field
  }

  *values(): IterableIterator<string> {
    for (const [, value] of this) yield value
  }

  *[Symbol.iterator](): IterableIterator<[string, string]> {
    for (const pair of this.#fields) if (this.#isLive(pair[0])) yield pair
  }

  #isLive(field: string): boolean {
    const atMs = this.#expiries.get(field)
    return atMs === undefined || atMs >= this.#nowMs
  }
}
