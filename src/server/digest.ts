/**
 * A fingerprint of the data: equal data gives equal digests whatever the order in which keys, members
 * and fields came. Each key is hashed on its own and the hashes are combined by exclusive or.
 */
import { unreachable } from '../base/assert.ts'
import { sha256 } from '../base/sha256.ts'
import type { Keyspace } from './keyspace.ts'
import type { Value } from './values.ts'

const WORDS = 5

/** 40 hex characters; all zeros for no keys. */
export function keyspaceDigest(keyspace: Keyspace): string {
  const digest = new Uint32Array(WORDS)
  for (const db of keyspace.dbs) {
    for (const [key, entry] of db.entries) {
      mix(
        digest,
        hashOf([String(db.index), key, String(entry.expireAtMs), ...partsOf(entry.value)]),
      )
    }
  }
  return toHex(digest)
}

function partsOf(value: Value): string[] {
  switch (value.type) {
    case 'string':
      return ['string', value.bytes]
    case 'list':
      return ['list', ...value.items]
    case 'set':
      return ['set', unordered([...value.members].map((member) => [member]))]
    case 'hash':
      return ['hash', unordered([...value.fields])]
    default:
      return unreachable(value)
  }
}

function unordered(elements: readonly (readonly string[])[]): string {
  const digest = new Uint32Array(WORDS)
  for (const element of elements) mix(digest, hashOf(element))
  return toHex(digest)
}

/** Each part with its length, so that `ab` `c` and `a` `bc` differ. */
function hashOf(parts: readonly string[]): string {
  return sha256(parts.map((part) => `${part.length}:${part}`).join(''))
}

function mix(digest: Uint32Array, hash: string): void {
  for (let word = 0; word < WORDS; word++) {
    const bits = Number.parseInt(hash.slice(word * 8, word * 8 + 8), 16)
    digest[word] = ((digest[word] ?? 0) ^ bits) >>> 0
  }
}

function toHex(digest: Uint32Array): string {
  return Array.from(digest, (word) => word.toString(16).padStart(8, '0')).join('')
}
