/**
 * How long a full resynchronisation takes: from the REPLICAOF to an empty node until the node says
 * that it is connected and has every key.
 */
import { nowMs, until } from '../support/clock.mjs'
import { withConnection } from '../support/connection.mjs'
import { HOST } from '../support/ports.mjs'

export const KEYS = 100_000
export const VALUE_BYTES = 100
const PAGE = 1_000
const LOAD_BOUND_MS = 60_000
const SYNC_BOUND_MS = 120_000
const POLL_PERIOD_MS = 5

/** Fills a master with the keys that are to be copied. */
export function fill({ port }) {
  const value = 'x'.repeat(VALUE_BYTES)
  const load = async (client) => {
    await client.flushall()
    for (let from = 0; from < KEYS; from += PAGE) {
      const pairs = Array.from({ length: PAGE }, (_, at) => [`key:${from + at}`, value])
      await client.mset(...pairs.flat())
    }
  }
  return withConnection(port, load, { commandTimeout: LOAD_BOUND_MS })
}

/** Returns milliseconds. `replica` must be empty and follow no master yet. */
export function measureResync(master, replica) {
  return withConnection(replica.port, async (client) => {
    const startedMs = nowMs()
    await client.replicaof(HOST, master.port)
    const done = async () => {
      replica.member.assertRunning()
      const [, , , state] = await client.role()
      return state === 'connected' && nowMs()
    }
    const doneMs = await until('the replica is in sync', SYNC_BOUND_MS, done, POLL_PERIOD_MS)
    const copied = await client.dbsize()
    if (copied !== KEYS) throw new Error(`${replica.member.title} has ${copied} of ${KEYS} keys`)
    return doneMs - startedMs
  })
}
