/** What a base of the append-only file is made from: the data as they are at this moment. */
import { commandForm } from '../aof/command-form.ts'
import type { PersistenceHost } from './host.ts'
import { auxFields } from './rdb-aux.ts'
import { rdbOptions } from './rdb-options.ts'
import { SnapshotSource } from './rdb-save.ts'
import { SavePace } from './save-pace.ts'

/** `isRdb`: [aof-use-rdb-preamble]; otherwise it is commands. */
export function newBaseSource(host: PersistenceHost, isRdb: boolean): SnapshotSource {
  const { keyspace, functions, settings, now } = host
  const isTimed = settings.flag('aof-timestamp-enabled')
  const second = isTimed ? Math.floor(now.wallMs / 1000) : undefined
  const form = isRdb ? undefined : commandForm(functions.all(), second)
  const pace = new SavePace(settings, () => host.now)
  return new SnapshotSource(keyspace, auxFields(host, true), { ...rdbOptions(host), form }, pace)
}
