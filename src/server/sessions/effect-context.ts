/**
 * Where a change takes place, and how replicas are told: all it takes to serve a client that
 * waited.
 */
import type { Moment } from '../../base/clock.ts'
import type { Db } from '../keyspace/db.ts'
import type { KeyspaceEvent } from './keyspace-event.ts'

export interface EffectContext {
  readonly db: Db
  readonly now: Moment
  /** Tells replicas of the change. */
  propagate(argv: readonly string[]): void
  /** Tells subscribers what happened to the key, which is in `db` unless another one is given. */
  notify(event: KeyspaceEvent, key: string, db?: Db): void
}
