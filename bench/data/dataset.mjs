/** The data: many small keys, the most common kind. */
import { withConnection } from '../support/connection.mjs'

export const DEFAULT_KEYS = 1_000_000
export const VALUE_BYTES = 64

const PAGE = 1_000
const FILL_BOUND_MS = 120_000

export function keyAt(number) {
  return `key:${number}`
}

/** Fills an empty node with `keys` keys. */
export function fill({ port }, keys) {
  const value = 'x'.repeat(VALUE_BYTES)
  const load = async (client) => {
    for (let from = 0; from < keys; from += PAGE) {
      const count = Math.min(PAGE, keys - from)
      await client.mset(Array.from({ length: count }, (_, at) => [keyAt(from + at), value]).flat())
    }
  }
  return withConnection(port, load, { commandTimeout: FILL_BOUND_MS })
}
