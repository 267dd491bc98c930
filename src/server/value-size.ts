/** Roughly how many bytes a value takes: what it holds and a guess at what holding it costs. */
import { unreachable } from '../base/assert.ts'
import type { SortedSet } from './sorted-set.ts'
import type { Value } from './values.ts'

const PER_KEY_BYTES = 64
const PER_ELEMENT_BYTES = 16

export function valueBytes(value: Value): number {
  switch (value.type) {
    case 'string':
      return PER_KEY_BYTES + value.bytes.length
    case 'list':
      return PER_KEY_BYTES + sum(value.items)
    case 'set':
      return PER_KEY_BYTES + sum(value.members)
    case 'hash':
      return PER_KEY_BYTES + sum(value.fields.keys()) + sum(value.fields.values())
    case 'zset':
      return PER_KEY_BYTES + sum(membersOf(value.set))
    case 'stream':
      return PER_KEY_BYTES
    default:
      return unreachable(value)
  }
}

function sum(texts: Iterable<string>): number {
  let bytes = 0
  for (const text of texts) bytes += PER_ELEMENT_BYTES + text.length
  return bytes
}

function* membersOf(set: SortedSet): Iterable<string> {
  for (const [member] of set) yield member
}
