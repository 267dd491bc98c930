/** Roughly how many bytes a value takes: what it holds and a guess at what holding it costs. */
import { unreachable } from '../../base/assert.ts'
import type { Stream } from './stream.ts'
import type { Value } from './value.ts'

const PER_KEY_BYTES = 64
const PER_ELEMENT_BYTES = 16
/** A score, and the element's place in the order. */
const PER_SCORE_BYTES = 32
/** Of an entry, or of one that is pending with a consumer. */
const PER_ID_BYTES = 48

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
      return PER_KEY_BYTES + sum(value.set.keys()) + PER_SCORE_BYTES * value.set.size
    case 'stream':
      return PER_KEY_BYTES + streamBytes(value.stream)
    default:
      return unreachable(value)
  }
}

function sum(texts: Iterable<string>): number {
  let bytes = 0
  for (const text of texts) bytes += PER_ELEMENT_BYTES + text.length
  return bytes
}

/** By its nodes, whose bytes are known: a stream may be too long to look at every entry. */
function streamBytes({ nodes, length, groups }: Stream): number {
  let bytes = PER_ID_BYTES * length
  for (const node of nodes) bytes += node.bytes
  for (const [name, { pending, consumers }] of groups) {
    bytes += PER_KEY_BYTES + name.length + PER_ID_BYTES * pending.size + sum(consumers.keys())
  }
  return bytes
}
