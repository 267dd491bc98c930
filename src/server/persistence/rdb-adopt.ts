/**
 * Makes the contents of an RDB file the data of this node. A master leaves out expired keys; a replica
 * keeps them, because only its master decides that. Looking through millions of keys takes several
 * turns.
 */
import type { RdbContents } from '../rdb/rdb-reader.ts'
import type { Work } from './files.ts'
import type { PersistenceHost } from './host.ts'
import type { ExpiredKey, LoadedData } from './load-result.ts'
import { savedPosition } from './rdb-aux.ts'

/** How many keys with an expiry one turn looks at: about a millisecond. */
const KEYS_PER_TURN = 10_000

/**
 * `keepsExpired`: whether a key has expired is decided elsewhere, by the master or by the commands
 * that follow.
 */
export function* adoptRdb(
  host: PersistenceHost,
  contents: RdbContents,
  keepsExpired = host.replication.isReplica(),
): Work<LoadedData> {
  const { keyspace, port } = host
  for (const text of contents.notices) port.log('warning', text)
  adoptFunctions(host, contents.functions)
  const expiredKeys = keepsExpired ? [] : yield* dropExpired(contents, keyspace.nowMs)
  keyspace.replaceAll(contents.dbs, contents.expires)
  const keys = keyspace.dbs.reduce((sum, db) => sum + db.entries.size, 0)
  return {
    kind: 'loaded',
    position: savedPosition(contents.aux, keyspace.dbs.length),
    expiredKeys,
    keys,
    expired: expiredKeys.length,
    rdbKeys: keys,
  }
}

function* dropExpired({ dbs, expires }: RdbContents, nowMs: number): Work<ExpiredKey[]> {
  const dropped: ExpiredKey[] = []
  let looked = 0
  for (const [db, keys] of expires.entries()) {
    for (const [key, { expireAtMs }] of keys) {
      if (expireAtMs !== undefined && expireAtMs < nowMs) {
        dbs[db]?.delete(key)
        keys.delete(key)
        dropped.push({ db, key })
      }
      // Any request to the disk lets other work in.
      if (++looked % KEYS_PER_TURN === 0) yield { kind: 'size', path: '' }
    }
  }
  return dropped
}

function adoptFunctions({ functions, port }: PersistenceHost, sources: readonly string[]): void {
  functions.clear()
  for (const source of sources) {
    const added = functions.add(source)
    if (!added.ok) port.log('warning', `a library of functions is left out: ${added.error}`)
  }
}
