/**
 * What a pattern of SORT means for an element: `weight_*` is the string at that key with the element in
 * place of the asterisk, `user_*->name` a field of the hash there, `#` the element itself.
 */
import type { Db } from '../../keyspace/db.ts'

/** Returns what the pattern names for an element; undefined if there is nothing. */
export type PatternLookup = (element: string) => string | undefined

export function patternLookup(db: Db, pattern: string): PatternLookup {
  if (pattern === '#') return (element) => element
  const asterisk = pattern.indexOf('*')
  // The same key for every element would not distinguish them.
  if (asterisk < 0) return () => undefined
  const before = pattern.slice(0, asterisk)
  const { after, field } = splitField(pattern.slice(asterisk + 1))
  return (element) => {
    const key = before + element + after
    const value = db.live(key, db.findSource(key))
    if (field !== undefined) return value?.type === 'hash' ? value.fields.get(field) : undefined
    return value?.type === 'string' ? value.bytes : undefined
  }
}

/** An arrow with nothing after it is part of the key. */
function splitField(rest: string): { after: string; field: string | undefined } {
  const arrow = rest.indexOf('->', 0)
  if (arrow < 0 || arrow + 2 === rest.length) return { after: rest, field: undefined }
  return { after: rest.slice(0, arrow), field: rest.slice(arrow + 2) }
}
