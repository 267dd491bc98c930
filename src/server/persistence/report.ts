/**
 * INFO persistence. Redis measures what its forks copy; there are none here, so that is always 0. Fields
 * about the append-only file and about loading appear only while they apply.
 */
import { lines } from '../info/info-lines.ts'
import type { NodeStats } from '../info/stats.ts'
import type { LoadProgress } from './load-progress.ts'
import type { Persistence } from './persistence.ts'

export interface PersistenceReportSources {
  readonly persistence: Persistence
  readonly stats: NodeStats
  /** Whether a copy of a master comes in, beside the data that clients still read. */
  readonly isCopying: boolean
  /** Memory in use, as the runtime counts it. */
  readonly usedBytes: number
}

export function persistenceLines({
  persistence,
  stats,
  isCopying,
  usedBytes,
}: PersistenceReportSources): string[] {
  const { loading, aof } = persistence
  const { always, whileOn } = aof.report()
  return [
    ...lines({
      loading: loading.isActive ? 1 : 0,
      async_loading: isCopying ? 1 : 0,
      ...snapshotFields(persistence),
      ...savingFields(persistence, stats),
    }),
    ...always,
    ...lines({ module_fork_in_progress: 0, module_fork_last_cow_size: 0 }),
    ...whileOn,
    ...(loading.isActive && loading.progress !== undefined
      ? lines(loadingFields(loading.progress, usedBytes))
      : []),
  ]
}

/** About the running save or rewrite. */
function snapshotFields({ saving, aof }: Persistence) {
  const { keysTaken, keysTotal } = saving.isRunning ? saving : aof
  return {
    current_cow_peak: 0,
    current_cow_size: 0,
    current_cow_size_age: 0,
    current_fork_perc: (keysTotal === 0 ? 0 : (100 * keysTaken) / keysTotal).toFixed(2),
    current_save_keys_processed: keysTaken,
    current_save_keys_total: keysTotal,
  }
}

function savingFields({ saving, loading }: Persistence, stats: NodeStats) {
  return {
    rdb_changes_since_last_save: stats.changes,
    rdb_bgsave_in_progress: saving.isInBackground ? 1 : 0,
    rdb_last_save_time: saving.savedAtSeconds,
    rdb_last_bgsave_status: saving.hasFailed ? 'err' : 'ok',
    rdb_last_bgsave_time_sec: saving.lastDurationSeconds,
    rdb_current_bgsave_time_sec: saving.durationSeconds,
    rdb_saves: saving.begun,
    rdb_last_cow_size: 0,
    rdb_last_load_keys_expired: loading.last.expired,
    rdb_last_load_keys_loaded: loading.last.rdbKeys,
  }
}

function loadingFields(progress: LoadProgress, usedBytes: number) {
  return {
    loading_start_time: Math.floor(progress.startedAt.wallMs / 1000),
    loading_total_bytes: progress.totalBytes,
    loading_rdb_used_mem: usedBytes,
    loading_loaded_bytes: progress.loadedBytes,
    loading_loaded_perc: progress.percent.toFixed(2),
    loading_eta_seconds: progress.secondsLeft,
  }
}
