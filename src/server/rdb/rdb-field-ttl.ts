/**
 * Hashes of Redis 7.4 that may hold fields with an expiry of their own. This node has no such thing. A
 * hash without any loads as what it is; a field with one is refused, because to keep it for ever or to
 * drop it early would both be wrong, and nobody would be told.
 */
import type { HashValue } from '../values/value.ts'
import { shownBytes } from './bytes.ts'
import { readListpack } from './packed.ts'
import { hashOf, packed, readCount } from './rdb-collections.ts'
import { TYPE } from './rdb-format.ts'
import { damage, type Parse, type RdbInput } from './rdb-input.ts'

/** The earliest expiry of any field stands before the fields, but not in the files of 7.4's release candidates. */
export function* readFieldTtlHash(input: RdbInput, type: number): Parse<HashValue | undefined> {
  if (type === TYPE.hashTtl || type === TYPE.hashTtlListpack) yield* input.bytes(8)
  const isPlain = type === TYPE.hashTtl || type === TYPE.hashTtlDraft
  return yield* hashOf(yield* isPlain ? plainFields(input) : packedFields(input))
}

function* plainFields(input: RdbInput): Parse<string[]> {
  const items: string[] = []
  for (let left = yield* readCount(input); left > 0; left--) {
    const expiry = yield* input.length64()
    items.push(yield* input.string(), yield* input.string())
    if (expiry !== 0n) yield* refuse(items.at(-2) as string)
  }
  return items
}

function* packedFields(input: RdbInput): Parse<string[]> {
  const triples = yield* packed(input, 'listpack', readListpack)
  if (triples.length % 3 !== 0) yield* damage('a hash with a field without a value or an expiry')
  const items: string[] = []
  for (let at = 0; at < triples.length; at += 3) {
    items.push(triples[at] as string, triples[at + 1] as string)
    if (triples[at + 2] !== '0') yield* refuse(triples[at] as string)
  }
  return items
}

function refuse(field: string): Parse<never> {
  return damage(`field ${shownBytes(field)} has an expiry of its own, which is not supported`)
}
