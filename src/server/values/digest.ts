/**
 * A fingerprint of the data, the one of Redis' DEBUG DIGEST: equal data gives equal digests whatever
 * the order in which keys, members and fields came, on our nodes and on real ones. Each key is hashed
 * with its value on its own, and the hashes of all keys are combined by exclusive or. Whether a key has
 * an expiry is part of it, but not when.
 */
import { unreachable } from '../../base/assert.ts'
import { doubleText } from '../../base/double-text.ts'
import { SHA1_WORDS, sha1, sha1OfHash } from '../../base/sha1.ts'
import type { Entry } from '../keyspace/db.ts'
import type { Keyspace } from '../keyspace/keyspace.ts'
import { idMs, idSeq } from './stream-id.ts'
import type { Value } from './value.ts'

type Digest = Int32Array

/** Redis' numbers for the types. */
const TYPE_NUMBERS: Readonly<Record<Value['type'], number>> = {
  string: 0,
  list: 1,
  set: 2,
  zset: 3,
  hash: 4,
  stream: 6,
}
const TYPE_HASHES = new Map(
  Object.entries(TYPE_NUMBERS).map(([type, number]) => [type, sha1(bigEndian(number))]),
)
const EXPIRY_MARK = sha1('!!expire!!')
/** Of a field, as in Redis 7.4. */
const FIELD_EXPIRY_MARK = sha1('!!hexpire!!')

/** 40 hex characters; all zeros for no keys. */
export function keyspaceDigest(keyspace: Keyspace): string {
  let digest: Digest = new Int32Array(SHA1_WORDS)
  for (const db of keyspace.dbs) {
    if (db.entries.size === 0) continue
    digest = mixed(digest, sha1(bigEndian(db.index)))
    for (const [key, entry] of db.entries) xor(digest, sha1OfHash(digestOf(key, entry)))
  }
  return toHex(digest)
}

/** The digest of one value, without its key; all zeros if there is none. */
export function valueDigest(entry: Entry | undefined): string {
  const start: Digest = new Int32Array(SHA1_WORDS)
  return toHex(entry === undefined ? start : withEntry(start, entry))
}

function digestOf(key: string, entry: Entry): Digest {
  return withEntry(sha1OfHash(sha1(key)), entry)
}

function withEntry(start: Digest, { value, expireAtMs }: Entry): Digest {
  const typeHash = TYPE_HASHES.get(value.type) ?? sha1('')
  const digest = withValue(mixed(start, typeHash), value)
  if (expireAtMs !== undefined) xor(digest, EXPIRY_MARK)
  return digest
}

/** Elements whose order matters are mixed in one after the other, all others by exclusive or. */
function withValue(digest: Digest, value: Value): Digest {
  switch (value.type) {
    case 'string':
      return mixed(digest, sha1(value.bytes))
    case 'list': {
      let all = digest
      for (const item of value.items) all = mixed(all, sha1(item))
      return all
    }
    case 'set':
      for (const member of value.members) xor(digest, sha1(member))
      return digest
    case 'hash':
      for (const [field, text] of value.fields) {
        const pair = mixed(sha1OfHash(sha1(field)), sha1(text))
        if (value.expiries?.get(field) !== undefined) xor(pair, FIELD_EXPIRY_MARK)
        xor(digest, sha1OfHash(pair))
      }
      return digest
    case 'zset':
      for (const [member, score] of value.set) xor(digest, memberDigest(member, score))
      return digest
    case 'stream': {
      let all = digest
      for (const { id, pairs } of value.stream.range()) {
        all = mixed(all, sha1(`${idMs(id)}.${idSeq(id)}`))
        for (const text of pairs) all = mixed(all, sha1(text))
      }
      return all
    }
    default:
      return unreachable(value)
  }
}

/** The score goes in as the text that Redis writes for it. */
function memberDigest(member: string, score: number): Digest {
  return sha1OfHash(mixed(sha1OfHash(sha1(member)), sha1(doubleText(score))))
}

/** Order matters: the hash goes in, and the result so far is hashed again. */
function mixed(digest: Digest, hash: Digest): Digest {
  xor(digest, hash)
  return sha1OfHash(digest)
}

function xor(digest: Digest, hash: Digest): void {
  for (let word = 0; word < SHA1_WORDS; word++) {
    digest[word] = (digest[word] ?? 0) ^ (hash[word] ?? 0)
  }
}

function bigEndian(number: number): string {
  return String.fromCharCode(
    number >>> 24,
    (number >>> 16) & 0xff,
    (number >>> 8) & 0xff,
    number & 0xff,
  )
}

function toHex(digest: Digest): string {
  return Array.from(digest, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}
