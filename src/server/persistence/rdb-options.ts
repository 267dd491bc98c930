/** How an RDB file is to be written according to the settings. */
import type { SnapshotOptions } from '../rdb/snapshot.ts'
import type { PersistenceHost } from './host.ts'

export function rdbOptions({
  settings,
  functions,
}: Pick<PersistenceHost, 'settings' | 'functions'>): SnapshotOptions {
  return {
    functions: functions.all(),
    compresses: settings.flag('rdbcompression'),
    hasChecksum: settings.flag('rdbchecksum'),
  }
}
