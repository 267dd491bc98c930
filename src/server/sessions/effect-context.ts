/**
 * Where a change takes place, and how replicas are told: all it takes to serve a client that
 * waited.
 */
import type { Moment } from '../../base/clock.ts'
import type { Db } from '../keyspace/db.ts'

export interface EffectContext {
  readonly db: Db
  readonly now: Moment
  /** Tells replicas of the change. */
  propagate(argv: readonly string[]): void
}
