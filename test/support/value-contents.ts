import type { Value } from '../../src/server/values.ts'

/** What a value holds, in a form tests can compare and print. */
export function contentsOf(value: Value): unknown {
  switch (value.type) {
    case 'string':
      return value.bytes
    case 'list':
      return [...value.items]
    case 'set':
      return [...value.members]
    case 'hash':
      return [...value.fields]
    case 'zset':
      return [...value.set]
    case 'stream':
      return value.stream
  }
}
