/** The state that all of replication works on, as a master and as a replica. */
import { type Address, hostAndPort } from '../../base/ip.ts'
import type { JournalEvent } from '../../journal/event-table.ts'
import type { Reply } from '../../resp/reply.ts'
import type { NodeBase } from '../node-base.ts'
import { History } from './history/history.ts'
import { ReplicationStream } from './history/stream.ts'
import { Replicas } from './serving/replicas.ts'
import { Strict } from './strict/strict.ts'

export interface ReplicationState {
  readonly node: NodeBase
  readonly history: History
  /** The replicas attached to this node; a replica can have some as well. */
  readonly replicas: Replicas
  readonly stream: ReplicationStream
  /** The master this node follows; undefined: this node is a master. */
  master: Address | undefined
  /** Our own address on the last connection to the master. */
  linkHost: string
  readonly strict: Strict
}

export function newReplicationState(node: NodeBase): ReplicationState {
  const { settings, rootRng } = node
  const backlogSizeBytes = settings.int('repl-backlog-size')
  const history = new History(rootRng.fork('replication-id'), backlogSizeBytes)
  const replicas = new Replicas(node, history)
  const stream = new ReplicationStream(history, replicas)
  const strict = new Strict(node, history, replicas, stream)
  return { node, history, replicas, stream, master: undefined, linkHost: '', strict }
}

/** A node without a role in a strict group is no master either, see strict/strict.ts. */
export function isReplica({ master, strict }: ReplicationState): boolean {
  return master !== undefined || strict.isIdle
}

/** Changes of the role, see replication.ts. */
export interface RoleChange {
  /** `why`: for the record of the node. */
  follow(address: Address, why: string): Reply
  promote(why: string): void
}

/** For the record of the node; `event` is given the address of the master it follows. */
export function noteOfMaster(
  { node, master, history }: ReplicationState,
  event: (master: string, offset: number) => JournalEvent,
): void {
  if (node.journal.isOn && master !== undefined)
    node.journal.note(event(hostAndPort(master.host, master.port), history.offset))
}
