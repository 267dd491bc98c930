/** Fields of hashes: the one place that keeps a hash, its sampler and the expiries of its fields consistent. */
import type { CommandContext } from '../../context.ts'
import type { Db } from '../../keyspace/db.ts'
import { CountedFields } from '../../values/counted.ts'
import type { HashValue } from '../../values/value.ts'

/** The hash at `key`, ready to be changed and created if it is missing; undefined for another type. */
export function openHash({ db }: CommandContext, key: string): HashValue | undefined {
  let entry = db.find(key)
  if (entry?.value.type === 'hash' && entry.value.expiries !== undefined) {
    db.live(key, entry)
    entry = db.entries.get(key)
  }
  if (entry === undefined) {
    const hash: HashValue = { type: 'hash', fields: new CountedFields() }
    db.put(key, hash)
    return hash
  }
  if (entry.value.type !== 'hash') return undefined
  db.changing(key, entry)
  return entry.value
}

/** A field that gets another value does not expire any more, unless it keeps its expiry. Returns whether it is new. */
export function setField(hash: HashValue, field: string, value: string, keeps = false): boolean {
  const before = hash.fields.size
  hash.fields.set(field, value)
  const isNew = hash.fields.size > before
  if (isNew) hash.sampler?.add(field)
  else if (!keeps && hash.expiries !== undefined) persistField(hash, field)
  return isNew
}

/** Deletes fields that are there, and the key with the last of them. Returns how many. */
function deleteFields(db: Db, key: string, present: readonly string[]): number {
  const entry = db.entries.get(key)
  if (entry?.value.type !== 'hash') return 0
  const hash = entry.value
  db.changing(key, entry)
  let deleted = 0
  for (const field of present) if (removeField(hash, field)) deleted++
  if (hash.fields.size === 0) db.remove(key)
  return deleted
}

/** The same, and subscribers are told; replicas are not. */
export function dropFields(
  context: CommandContext,
  key: string,
  present: readonly string[],
): number {
  const deleted = deleteFields(context.db, key, present)
  context.notify('hdel', key)
  if (!context.db.entries.has(key)) context.notify('del', key)
  return deleted
}

/** Returns whether it had an expiry. */
export function persistField(hash: HashValue, field: string): boolean {
  const had = hash.expiries?.delete(field) === true
  if (hash.expiries?.size === 0) hash.expiries = undefined
  return had
}

/** Returns whether the field was there. */
function removeField(hash: HashValue, field: string): boolean {
  hash.sampler?.delete(field)
  if (hash.expiries !== undefined) persistField(hash, field)
  return hash.fields.delete(field)
}
