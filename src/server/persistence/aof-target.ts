/** A node as what its append-only file is loaded into. */
import { filesOf, type ManifestFile } from '../aof/manifest.ts'
import type { AofFiles } from './aof-files.ts'
import { AofLoader, type AofTarget } from './aof-load.ts'
import type { Work } from './files.ts'
import type { PersistenceHost } from './host.ts'
import type { LoadProgress } from './load-progress.ts'
import type { LoadRefused, LoadResult } from './load-result.ts'
import { adoptRdb } from './rdb-adopt.ts'
import { loadRdb } from './rdb-load.ts'

export function nodeTarget(host: PersistenceHost, progress: LoadProgress): AofTarget {
  return {
    settings: host.settings,
    apply: (argv) => host.applyLoaded(argv),
    loadBase: (path) => loadBase(host, progress, path),
    log: (text) => host.port.log('warning', text),
  }
}

function* loadBase(
  host: PersistenceHost,
  progress: LoadProgress,
  path: string,
): ReturnType<AofTarget['loadBase']> {
  const { keyspace, settings } = host
  const { serial, usage } = keyspace
  const parts = {
    ...{ dbs: keyspace.newTables(), serial, usage, isVerified: settings.flag('rdbchecksum') },
    // The size of the file is expected already.
    progress: {
      expect: () => undefined,
      advance: (bytes: number) => progress.advance(bytes),
      onKeys: progress.onKeys,
    },
  }
  const read = yield* loadRdb(path, parts)
  if (read.kind !== 'loaded') return read
  // An expired key may be set again, or read, by a command that was executed while it was alive.
  const { keys } = yield* adoptRdb(host, read.contents, true)
  return { kind: 'loaded', keys, endOffset: read.endOffset }
}

const NOTHING_TO_LOAD: LoadRefused = {
  kind: 'refused',
  text: 'there is none. BGREWRITEAOF writes one',
}

/** In place of the present data and functions. Nothing is lost if there are no files. */
export function* loadAgain(
  host: PersistenceHost,
  files: AofFiles,
  progress: LoadProgress,
): Work<LoadResult> {
  const { keyspace, functions } = host
  const manifest = yield* files.onDisk()
  if (manifest === undefined || filesOf(manifest).length === 0) return NOTHING_TO_LOAD
  keyspace.replaceAll(keyspace.newTables(), [])
  functions.clear()
  const source = { manifest, pathOf: (file: ManifestFile) => files.pathOf(file) }
  const loaded = yield* new AofLoader(nodeTarget(host, progress), progress).load(source)
  if (loaded.kind === 'refused') return loaded
  const keys = keyspace.dbs.reduce((sum, db) => sum + db.entries.size, 0)
  const { rdbKeys } = loaded
  return { kind: 'loaded', position: undefined, expiredKeys: [], keys, expired: 0, rdbKeys }
}
