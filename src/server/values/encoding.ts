/**
 * The encoding Redis 7.0 would have chosen for a value (for hashes with fields that expire, Redis 7.4), by the same thresholds. Here every value is kept
 * in one way; but SCAN's paging and OBJECT ENCODING depend on the encoding, and so do tests that people
 * wrote for Redis.
 */
import { unreachable } from '../../base/assert.ts'
import { parseExact } from '../arguments/numbers.ts'
import type { Settings } from '../settings/settings.ts'
import { LONG_BYTES, lengthOf } from './long-string.ts'
import { type HashValue, type SetValue, TextString, type Value, type ZsetValue } from './value.ts'

export type Encoding =
  | 'int'
  | 'embstr'
  | 'raw'
  | 'quicklist'
  | 'intset'
  | 'listpack'
  | 'listpackex'
  | 'hashtable'
  | 'skiplist'
  | 'stream'

/** Redis keeps longer strings apart from their header. */
const MAX_EMBEDDED_BYTES = 44

export function encodingOf(value: Value, settings: Settings): Encoding {
  switch (value.type) {
    case 'string':
      if (lengthOf(value) > LONG_BYTES) return 'raw'
      return value instanceof TextString ? textEncoding(value) : stringEncoding(value.bytes)
    case 'list':
      return 'quicklist'
    case 'set':
      return isIntset(value, settings) ? 'intset' : 'hashtable'
    case 'hash':
      if (!isListpack(value, settings)) return 'hashtable'
      return value.expiries === undefined ? 'listpack' : 'listpackex'
    case 'zset':
      return isSmallZset(value, settings) ? 'listpack' : 'skiplist'
    case 'stream':
      return 'stream'
    default:
      return unreachable(value)
  }
}

/** In Redis, small integers are objects that many keys share. */
const SHARED_INTEGERS = 10_000
const SHARED = 2 ** 31 - 1

/** What OBJECT REFCOUNT says in Redis: shared integers have no count of their own. */
export function referencesTo(value: Value, settings: Settings): number {
  if (value.type !== 'string' || encodingOf(value, settings) !== 'int') return 1
  const number = Number(value.bytes)
  // A policy that looks at the use of each key needs an object of its own for it.
  const isShared =
    settings.int('maxmemory') === 0 || !/lru|lfu/.test(settings.text('maxmemory-policy'))
  return isShared && number >= 0 && number < SHARED_INTEGERS ? SHARED : 1
}

function textEncoding({ bytes, isRaw }: TextString): Encoding {
  return isRaw || bytes.length > MAX_EMBEDDED_BYTES ? 'raw' : 'embstr'
}

function stringEncoding(bytes: string): Encoding {
  if (parseExact(bytes) !== undefined) return 'int'
  return bytes.length <= MAX_EMBEDDED_BYTES ? 'embstr' : 'raw'
}

function isIntset({ members }: SetValue, settings: Settings): boolean {
  if (members.size > settings.int('set-max-intset-entries')) return false
  for (const member of members) if (parseExact(member) === undefined) return false
  return true
}

function isListpack({ fields }: HashValue, settings: Settings): boolean {
  if (fields.size > settings.int('hash-max-listpack-entries')) return false
  const maxBytes = settings.int('hash-max-listpack-value')
  for (const [field, value] of fields) {
    if (field.length > maxBytes || value.length > maxBytes) return false
  }
  return true
}

function isSmallZset({ set }: ZsetValue, settings: Settings): boolean {
  if (set.size > settings.int('zset-max-listpack-entries')) return false
  const maxBytes = settings.int('zset-max-listpack-value')
  for (const [member] of set) if (member.length > maxBytes) return false
  return true
}
