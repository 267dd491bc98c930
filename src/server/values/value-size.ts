/**
 * How many bytes a value takes in memory, without looking at its elements: each collection counts its own
 * as it changes.
 */
import { unreachable } from '../../base/assert.ts'
import { mapBytes, objectBytes, setBytes, textBytes } from './engine-sizes.ts'
import { LongString } from './long-string.ts'
import type { Sampler } from './sampler.ts'
import { type StringValue, TextString, type Value } from './value.ts'

/** The object that says which type it is. */
const VALUE_BYTES = objectBytes(2)
const TEXT_STRING_BYTES = objectBytes(3)
const LONG_STRING_BYTES = objectBytes(5)

export function valueBytes(value: Value): number {
  switch (value.type) {
    case 'string':
      return stringBytes(value)
    case 'list':
      return VALUE_BYTES + value.items.heapBytes
    case 'set': {
      const { members, sampler } = value
      const tableBytes = members.tableBytes ?? setBytes(members.size)
      return VALUE_BYTES + tableBytes + members.contentBytes + samplerBytes(sampler)
    }
    case 'hash': {
      const { fields, expiries, sampler } = value
      const tableBytes = fields.tableBytes ?? mapBytes(fields.size)
      const ownBytes = VALUE_BYTES + tableBytes + fields.contentBytes
      return ownBytes + (expiries?.heapBytes ?? 0) + samplerBytes(sampler)
    }
    case 'zset':
      return VALUE_BYTES + value.set.heapBytes
    case 'stream':
      return VALUE_BYTES + value.stream.heapBytes
    default:
      return unreachable(value)
  }
}

function stringBytes(value: StringValue): number {
  if (value instanceof LongString) return LONG_STRING_BYTES + value.heldBytes
  const ownBytes = value instanceof TextString ? TEXT_STRING_BYTES : VALUE_BYTES
  return ownBytes + textBytes(value.bytes.length)
}

function samplerBytes(sampler: Sampler | undefined): number {
  return sampler?.heapBytes ?? 0
}
