/**
 * A Map and a Set, for hashes and sets, that know how much their contents take. Counting on each change costs less than a
 * look-up; adding everything up for each question would take time in proportion to the data.
 */
import { textBytes } from './engine-sizes.ts'

export class CountedFields extends Map<string, string> {
  /** The fields and values, without the table they stand in. */
  contentBytes = 0

  constructor(pairs: Iterable<readonly [field: string, value: string]> = []) {
    super()
    for (const [field, value] of pairs) this.set(field, value)
  }

  override set(field: string, value: string): this {
    const old = super.get(field)
    const gone = old === undefined ? -textBytes(field.length) : textBytes(old.length)
    this.contentBytes += textBytes(value.length) - gone
    return super.set(field, value)
  }

  override delete(field: string): boolean {
    const old = super.get(field)
    if (old === undefined) return false
    this.contentBytes -= textBytes(field.length) + textBytes(old.length)
    return super.delete(field)
  }

  override clear(): void {
    this.contentBytes = 0
    super.clear()
  }
}

export class CountedMembers extends Set<string> {
  contentBytes = 0

  constructor(members: Iterable<string> = []) {
    super()
    for (const member of members) this.add(member)
  }

  override add(member: string): this {
    const before = this.size
    super.add(member)
    if (this.size > before) this.contentBytes += textBytes(member.length)
    return this
  }

  override delete(member: string): boolean {
    if (!super.delete(member)) return false
    this.contentBytes -= textBytes(member.length)
    return true
  }

  override clear(): void {
    this.contentBytes = 0
    super.clear()
  }
}
