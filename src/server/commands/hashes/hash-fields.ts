/** Changing fields: the one place that keeps a hash and its sampler in step. */
import type { CommandContext } from '../../context.ts'
import type { HashValue } from '../../values/value.ts'

/** The hash at `key`, about to be changed, made if it is missing; undefined: another type. */
export function openHash({ db }: CommandContext, key: string): HashValue | undefined {
  const entry = db.find(key)
  if (entry === undefined) {
    const hash: HashValue = { type: 'hash', fields: new Map() }
    db.put(key, hash)
    return hash
  }
  if (entry.value.type !== 'hash') return undefined
  db.changing(key, entry)
  return entry.value
}

/** Whether the field is new. */
export function setField(hash: HashValue, field: string, value: string): boolean {
  const before = hash.fields.size
  hash.fields.set(field, value)
  const isNew = hash.fields.size > before
  if (isNew) hash.sampler?.add(field)
  return isNew
}

/** Whether it was there. */
export function removeField(hash: HashValue, field: string): boolean {
  hash.sampler?.delete(field)
  return hash.fields.delete(field)
}
