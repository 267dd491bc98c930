/** Streams in RDB records. */
import type { StreamValue } from '../values.ts'
import { rdbLength } from './rdb-encode.ts'
import { unsupportedType } from './rdb-format.ts'
import { damage, type Parse, type RdbInput } from './rdb-input.ts'

/** Reads the value after its type byte. A stream may be empty. */
export function* readStream(_input: RdbInput, type: number): Parse<StreamValue> {
  return yield* damage(unsupportedType(type))
}

/** The value after its type byte and key, in pieces. */
export function* rdbStream(_value: StreamValue): Generator<string, void, void> {
  yield rdbLength(0)
}
