/** What saving and loading work on: a node that knows its place in the replication history. */
import type { NodeBase } from '../node-base.ts'
import type { Replication } from '../replication/replication.ts'

export interface PersistenceHost extends NodeBase {
  readonly replication: Replication
}
