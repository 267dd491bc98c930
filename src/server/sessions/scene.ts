/** Where a change takes place, and who is told of it: all that serving a client that waited needs. */
import type { Moment } from '../../base/clock.ts'
import type { Db } from '../keyspace/db.ts'

export interface Scene {
  readonly db: Db
  readonly now: Moment
  /** Tells replicas. */
  propagate(argv: readonly string[]): void
}
