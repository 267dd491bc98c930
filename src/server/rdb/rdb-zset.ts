/** Sorted sets in RDB records. */
import type { ZsetValue } from '../values.ts'
import { rdbLength } from './rdb-encode.ts'
import { unsupportedType } from './rdb-format.ts'
import { damage, type Parse, type RdbInput } from './rdb-input.ts'

/** Reads the value after its type byte; undefined when it is empty. */
export function* readZset(_input: RdbInput, type: number): Parse<ZsetValue | undefined> {
  return yield* damage(unsupportedType(type))
}

/** The value after its type byte and key, in pieces. */
export function* rdbZset(value: ZsetValue): Generator<string, void, void> {
  yield rdbLength(value.set.size)
}
